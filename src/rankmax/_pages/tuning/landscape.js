// The metric over all weights: a line for two systems, a triangle for three, and slices for four to six.

import { extent } from "../charts/axes.js";
import { el } from "../charts/elements.js";
import { exchangePlot } from "../charts/exchange.js";
import { number } from "../charts/numbers.js";
import { namedWeights, percent, surfaceFigure } from "../charts/surface.js";
import { legend, section } from "./parts.js";

/** @import { Landscape, TuningData } from "./tuning_data.js" */

/** @param {TuningData} tuning */
export function landscapeSection({ summary, landscape }) {
  const { best, plateau_share: share, learned } = summary;
  const scores = learned.normalization.replace(/ scores$/, "");
  const told =
    `With ${scores} scores, the best weights reach ${number(best.value)}, with a standard error of ` +
    `${number(best.standard_error)}.` +
    (share === null
      ? ""
      : ` ${percent(share)} of all weights are within one standard error of that: these queries cannot tell them apart.`);
  return section(
    "The metric over all weights",
    "on these queries",
    el("p", {}, told),
    best.proven ? el("p", { class: "proof" }, el("b", {}, "Proven"), `: ${best.proven}.`) : null,
    landscape ? drawn(landscape, summary.metrics[0]) : [],
    landscape?.absent.length
      ? el(
          "p",
          { class: "soft" },
          `Weights for scores normalized otherwise cannot be shown in this chart: ${landscape.absent.join(" and ")}.`,
        )
      : null,
  );
}

/**
 * @param {Landscape} landscape
 * @param {string} metric
 * @returns {(Node | null)[]}
 */
function drawn({ surface, exchanges, marks, current, floor, through }, metric) {
  if (surface) {
    return [
      el(
        "ul",
        { class: "plain" },
        el(
          "li",
          {},
          `★ best ${number(surface.optimum.value)} at ${namedWeights(surface.features, surface.optimum.weights)}`,
        ),
        ...marks.map(({ label, kind, weights, value }) =>
          el(
            "li",
            {},
            el("i", { class: `key ${kind}` }),
            `${label} ${number(value)} at ${namedWeights(surface.features, weights)}`,
          ),
        ),
        el(
          "li",
          {},
          `Outlined: the plateau, within one standard error (${number(surface.optimum.standardError)}) of the best`,
        ),
      ),
      surfaceFigure(surface, marks),
    ];
  }
  const range = extent(exchanges.flatMap(({ steps }) => [...steps.lows, ...steps.highs]));
  const isOne = exchanges.length === 1;
  const charts = exchanges.map(({ features: [first, second], total, steps, marks: own }) => {
    const rest = isOne ? `the rest is ${second}'s` : `${second} has the rest of ${number(total, 2)}`;
    const chart = exchangePlot({
      ...{ steps, marks: own, floor, current, range },
      titles: [`weight of ${first}; ${rest}`, metric],
    });
    return isOne ? chart : el("figure", {}, el("figcaption", {}, `${first} or ${second}`), chart);
  });
  return [
    isOne
      ? null
      : el(
          "p",
          {},
          "Each chart trades the weight of one system for that of another; all other weights are those of the " +
            `${through}; the metric is exact at every weight.`,
          marks.length > 1 ? " Other weights are marked by their shares between the two." : null,
        ),
    isOne ? charts[0] : el("div", { class: "slices" }, charts),
    legend(
      ...marks.map(({ label, kind }) => /** @type {[string, string]} */ ([kind, `weights: ${label}`])),
      ["current level", `dashed: value of the current fusion, ${number(current)}`],
      ["best", "within one standard error of best"],
    ),
  ];
}
