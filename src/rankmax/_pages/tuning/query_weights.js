// For which queries the weights move, and why; nothing where weights are the same for all queries.

import { el } from "../charts/elements.js";
import { number, signed } from "../charts/numbers.js";
import { section, table } from "./parts.js";

/** @import { MovedQuery, TuningData } from "./tuning_data.js" */

/**
 * @param {TuningData} tuning
 * @returns {HTMLElement[]}
 */
export function queryWeightsSections({ summary }) {
  const { query_features: features, moved_queries: queries, mean_moved: mean } = summary.varying ?? {};
  if (!features || !queries) return [];
  const title = "Queries whose weights move";
  if (!features.length || !queries.length) {
    const same = "The fit to all queries does not vary: no query feature moves the weights.";
    return [section(title, "on these queries", el("p", {}, same))];
  }
  const names = Object.keys(summary.weights);
  const shares = names.map(name => `share of ${name}`);
  return [
    section(
      title,
      "on these queries",
      el("p", {}, `On average ${number(100 * (mean ?? 0), 0)}% of the weight moves from one system to another.`),
      table(
        ["", "moved", ...shares, "because of"],
        queries.map(one => [
          one.query,
          `${number(100 * one.moved, 0)}%`,
          ...names.map(name => number(one.weights[name], 2)),
          el("div", {}, reasons(one)),
        ]),
        {
          caption: "Queries whose weights move most, with the largest contributions",
          wide: names.map((_, j) => j + 2),
        },
      ),
      el("h3", {}, "What moves them"),
      table(
        ["query feature", "mean", "s.d.", ...names],
        features.map(one => [
          one.feature,
          number(one.mean, 2),
          number(one.deviation, 2),
          ...names.map(name => signed(one.change[name], 3)),
        ]),
        { caption: "Change of the weights for a standard deviation of each query feature", wide: [1, 2] },
      ),
      el(
        "p",
        { class: "soft" },
        "Changes are for one standard deviation (s.d.) of a query feature, of which three at most count. A weight that " +
          "falls below 0 becomes 0.",
      ),
    ),
  ];
}

/** @param {MovedQuery} query */
const reasons = ({ contributions }) =>
  contributions.map(one =>
    el("div", { class: "reason" }, `${one.feature} ${number(one.value, 2)}: ${signed(one.share, 2)} of ${one.system}`),
  );
