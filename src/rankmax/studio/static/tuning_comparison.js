// Two tunings side by side: what was asked, what was found, and the weights.

import { el } from "./charts/elements.js";
import { number, signed } from "./charts/numbers.js";
import { between, section, table } from "./tuning/parts.js";

/** @import { Child } from "./charts/elements.js" */
/** @import { TuningData } from "./tuning/tuning_data.js" */

/**
 * @param {string} name
 * @param {TuningData} tuning
 * @param {string} against
 * @param {TuningData} other
 */
export function tuningComparison(name, tuning, against, other) {
  const both = [tuning.summary, other.summary];
  /**
   * @param {string} title
   * @param {(summary: TuningData["summary"]) => Child} value
   * @returns {Child[]}
   */
  const row = (title, value) => [title, ...both.map(value)];
  const systems = [...new Set(both.flatMap(({ weights }) => Object.keys(weights)))];
  const isSame = dataOf(tuning) === dataOf(other) && both[0].metrics[0] === both[1].metrics[0];
  return section(
    "Two tunings",
    "held out",
    table(
      ["", name, against],
      [
        row("metric", ({ metrics }) => metrics[0]),
        row("queries", ({ queries }) => queries),
        row("current fusion", ({ current }) => current.label),
        row("verdict", ({ verdict }) => verdict.word),
        row("pick", ({ pick }) => pick.label),
        row("held-out value of the pick", ({ rows }) => number(rows[0].mean)),
        row("held-out value of the current fusion", ({ rows }) => number(rows[1].mean)),
        row("gain over the current fusion", ({ rows }) => `${signed(rows[0].gain)} ${rows[0].marker}`.trim()),
        row("95% interval of the gain", ({ rows }) => between(rows[0].gain_interval, value => signed(value, 3))),
        ...systems.map(system =>
          row(`weight of ${system}`, ({ weights }) => (system in weights ? number(weights[system], 3) : "–")),
        ),
      ],
      { caption: "Two tunings side by side" },
    ),
    el(
      "p",
      { class: "soft" },
      "Weights are those of the recommended fusion. ",
      isSame
        ? "Both are of the same judged documents and metric, so the values can be compared."
        : "They are of different documents or metrics, so their values cannot be compared with each other.",
    ),
  );
}

/** @param {TuningData} tuning */
const dataOf = ({ provenance }) => provenance.facts.find(([name]) => name === "data")?.[1];
