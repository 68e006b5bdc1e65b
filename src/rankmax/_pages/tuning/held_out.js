// All fusion methods on held-out queries, each compared with the current one.

import { el } from "../charts/elements.js";
import { gainsPlot } from "../charts/gains.js";
import { direction, number, signed } from "../charts/numbers.js";
import { between, section, table } from "./parts.js";

/** @import { Kind } from "../charts/gains.js" */
/** @import { FusionRow, TuningData } from "./tuning_data.js" */

const LONGEST = 24; // letters of a name that fit below a chart

/** @param {TuningData} tuning */
export function heldOutSection({ summary }) {
  const [metric, ...others] = summary.metrics;
  const kinds = summary.rows.map(
    (row, i) => /** @type {Kind} */ (i === 0 ? "pick" : row.is_current ? "current" : "other"),
  );
  const rows = summary.rows.map((row, i) => [
    named(row, kinds[i]),
    number(row.mean),
    ...others.map(other => number(row.means[other])),
    row.is_current
      ? null
      : el("span", { class: direction(row.marker) }, signed(row.gain), el("span", { class: "marker" }, row.marker)),
    row.is_current ? null : between(row.gain_interval, value => signed(value, 3)),
    between(row.interval, value => number(value, 3)),
  ]);
  /** @type {string[]} */
  const looks = [...kinds];
  if (summary.varying) {
    const { name, means } = summary.varying;
    const gain = means[metric] - summary.rows[1].mean;
    const each = others.map(other => number(means[other]));
    rows.push([name.replace(/^weights /, ""), number(means[metric]), ...each, signed(gain), null, null]);
    looks.push("other");
  }
  const over = summary.current.label.length <= LONGEST ? summary.current.label : "the current fusion";
  const last = summary.metrics.length + 2;
  return section(
    "All fusion methods, compared with the current one",
    "held out",
    gainsPlot({
      gains: summary.rows.map(({ name, gain, gain_interval, marker }, i) => ({
        name,
        gain,
        interval: gain_interval,
        kind: kinds[i],
        marker,
      })),
      title: `gain in ${metric} over ${over}`,
    }),
    table(
      ["", ...summary.metrics, "gain over current", "95% interval of the gain", `95% interval of ${metric}`],
      rows,
      { kinds: looks, wide: [last, last + 1], caption: "Held-out values of all fusion methods" },
    ),
    el(
      "p",
      { class: "soft" },
      "▲ the interval of the gain lies above 0, ▼ below. Intervals are bootstrap ones over queries; those of gains " +
        "are paired, query by query.",
    ),
    el(
      "details",
      {},
      el("summary", {}, "How these values are held out"),
      el(
        "p",
        {},
        "Each query's value comes from weights that were learned, and a candidate that was selected, without that " +
          `query: ${summary.repeats} times, the queries are split into ${summary.folds} folds, and each fold is ` +
          "evaluated with the weights fitted to the other folds. Where a row represents several candidates, as " +
          "“pick” represents all, an inner cross-validation within those other folds selects one, so that the cost " +
          "of selection is part of the value. Fixed weights, as those of RRF or of one system alone, learn nothing.",
      ),
      el(
        "p",
        {},
        "Sections marked “on these queries” learn from all queries and evaluate on the same; their values tend to be " +
          "higher than those on new queries.",
      ),
    ),
  );
}

/**
 * @param {FusionRow} row
 * @param {Kind} kind
 * @returns {(Node | string)[]}
 */
function named(row, kind) {
  if (kind === "other") return [row.name];
  return [kind === "pick" ? row.label : row.name, " ", el("span", { class: `badge ${kind}` }, kind)];
}
