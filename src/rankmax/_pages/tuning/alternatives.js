// Two metrics at once, and weights that depend on the query; empty where neither was asked for.

import { el } from "../charts/elements.js";
import { number } from "../charts/numbers.js";
import { tradeOffPlot } from "../charts/trade_off.js";
import { legend, section, table } from "./parts.js";

/** @import { TuningData } from "./tuning_data.js" */

/**
 * @param {TuningData} tuning
 * @returns {HTMLElement[]}
 */
export function alternativeSections({ summary, trade_off: both }) {
  const { trade_off_metrics: titles, trade_off: points, constraint, varying, learned } = summary;
  const names = Object.keys(summary.weights);
  const sections = [];
  if (titles && points && both) {
    const kept = constraint
      ? `Constraint ${constraint.text}: ${constraint.met ? "met" : "cannot be met"}, with ` +
        `${number(constraint.value)} on all queries and ${number(constraint.held_out)} held out.`
      : null;
    sections.push(
      section(
        `${titles[0]} against ${titles[1]}`,
        "on these queries",
        el(
          "p",
          {},
          `Weights for ${learned.normalization} for which neither metric can be higher without the other being lower, ` +
            "together with the pick and the current fusion.",
        ),
        kept ? el("p", {}, kept) : null,
        tradeOffPlot({
          points: points.map(({ values, weights }) => ({
            values,
            text: `${values.map(value => number(value)).join(", ")} at ${names
              .map((name, j) => `${name} ${number(weights[j], 2)}`)
              .join(", ")}`,
          })),
          marked: [
            { values: both.pick, kind: "pick", name: "pick" },
            { values: both.current, kind: "current", name: "current" },
          ],
          titles,
        }),
        legend(["pick", "pick"], ["current", "current"], ["other", "best weights"]),
        table(
          [titles[0], titles[1], ...names],
          points.map(({ values, weights }) => [
            number(values[0]),
            number(values[1]),
            ...weights.map(weight => number(weight, 2)),
          ]),
          { caption: "Weights on the frontier of both metrics" },
        ),
      ),
    );
  }
  if (varying) {
    const labels = Object.keys(varying.weights);
    sections.push(
      section(
        varying.name[0].toUpperCase() + varying.name.slice(1),
        "held out",
        el("p", { class: "advice" }, varying.verdict.text),
        table(
          ["", ...labels],
          names.map(name => [name, ...labels.map(label => number(varying.weights[label][name], 3))]),
          { caption: "Weights that depend on the query" },
        ),
        el("p", { class: "soft" }, "The verdict is on held-out queries; the weights are learned from all."),
      ),
    );
  }
  return sections;
}
