// Models on training, validation and test queries: the last of these is the result, the others explain it.

import { el } from "./charts/elements.js";
import { direction, number, probability, signed } from "./charts/numbers.js";

/** @import { ModelTable, Part } from "./answers.js" */

const WORDS = { train: "training", validation: "validation", test: "test" };

/** @param {Part} part */
export const partName = part => (part.role ? WORDS[part.role] : part.data);

/**
 * The part that tells how models do on new queries, and whether it does: training queries do not.
 *
 * @param {ModelTable} table
 */
export const result = ({ parts }) => parts[parts.length - 1];

/**
 * @param {Part} part
 * @param {number} i of the model
 */
export function gainCells(part, i) {
  const { marker, difference, interval, corrected_p_value, wins } = part.rows[i];
  return [
    el("td", { class: direction(marker) }, `${signed(difference)}${marker}`),
    el("td", {}, `[${signed(interval[0])}, ${signed(interval[1])}]`),
    el("td", {}, probability(corrected_p_value)),
    el("td", {}, `${wins.wins}/${wins.losses}/${wins.ties}`),
  ];
}

/**
 * The mean on each part; on a part that the model was trained on, a held-out value there is none.
 *
 * @param {ModelTable} table
 * @param {number} i of the model
 */
export function valueCells({ parts }, i) {
  return parts.map((part, place) => {
    const { mean, system } = part.rows[i];
    const isLeak = part.role === "test" && part.seen.includes(system);
    const tip = isLeak ? "This model was trained on these queries: the value is not held out" : null;
    const look = { class: place === parts.length - 1 ? "held" : null, "data-value": mean, "data-tip": tip };
    return el("td", look, `${number(mean)}${isLeak ? " (trained on)" : ""}`);
  });
}

/** @param {ModelTable} table */
export const valueHeads = ({ parts }) =>
  parts.map(part => el("th", { scope: "col", "data-tip": part.data }, partName(part)));
