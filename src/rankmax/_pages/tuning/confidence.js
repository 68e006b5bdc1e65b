// The weights and their uncertainty.

import { el } from "../charts/elements.js";
import { number, short } from "../charts/numbers.js";
import { weightsPlot } from "../charts/weights.js";
import { between, legend, section, table } from "./parts.js";

/** @import { TuningData } from "./tuning_data.js" */

const MOST_ROWS = 12;

/** @param {TuningData} tuning */
export function confidenceSection({ summary, resampled }) {
  const { learned, current, pick, plateau_ranges: ranges } = summary;
  const names = Object.keys(learned.weights).sort((a, b) => learned.weights[b] - learned.weights[a]);
  const isComparable =
    current.normalization === learned.normalization &&
    Object.values(current.weights).every(weight => weight >= 0 && weight <= 1);
  const isPick = pick.label === learned.label;
  /** @param {number} weight */
  const brief = weight => number(weight, 2);
  const rows = names.map(name => [
    name,
    number(learned.weights[name], 3),
    short(learned.rounded_weights[name]),
    between(learned.intervals[name], brief),
    ...(ranges ? [between(ranges[name], brief)] : []),
    ...(isPick ? [] : [number(pick.weights[name], 3)]),
    number(current.weights[name], 3),
  ]);
  const header = ["", "learned", "round", "90% of samples", ...(ranges ? ["within 1 s.e. of best"] : [])];
  return section(
    "The weights and their confidence",
    "on these queries",
    el(
      "p",
      {},
      "The pick is ",
      el("b", {}, pick.label),
      `, ${pick.agreement}. The learned weights below are for scores normalized within each query by `,
      el("b", {}, learned.normalization),
      `; the current fusion, ${current.label}, uses `,
      el("b", {}, current.normalization),
      isComparable ? "." : ", so that its weights are not comparable with them and not marked.",
    ),
    weightsPlot(
      names.slice(0, MOST_ROWS).map(name => ({
        name,
        learned: learned.weights[name],
        current: isComparable ? current.weights[name] : null,
        interval: learned.intervals[name],
        counts: resampled[name],
      })),
    ),
    legend(
      ["box", "best weights for resampled queries"],
      ["pick", "learned, with 90% of these"],
      ...(isComparable ? [/** @type {[string, string]} */ (["current", "current"])] : []),
    ),
    table([...header, ...(isPick ? [] : ["pick"]), "current"], rows, {
      wide: ranges ? [2, 4] : [2],
      caption: "Learned weights with their intervals",
    }),
    el(
      "p",
      { class: "soft" },
      "90% of samples: range of the best weights over resampled queries. ",
      ranges ? "Within 1 s.e. of best: range of the weights within one standard error of the best. " : null,
      `Mean geodesic distance of the resampled weights from the learned ones: ${number(learned.spread, 3)}.`,
    ),
  );
}
