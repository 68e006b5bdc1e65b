// Parts of a tuning's page: sections with a badge, tables, legends.

import { el } from "../charts/elements.js";

/** @import { Child } from "../charts/elements.js" */

/**
 * @param {string} title
 * @param {"held out" | "on these queries" | ""} badge the queries of the values
 * @param {Child[]} content
 */
export function section(title, badge, ...content) {
  const of = badge ? el("span", { class: `badge ${badge.split(" ")[0]}` }, badge) : null;
  return el("section", {}, el("h2", {}, title, " ", of), ...content);
}

/**
 * A table: the first column holds names, all others numbers.
 *
 * @param {string[]} header
 * @param {Child[][]} rows
 * @param {{ kinds?: string[], wide?: number[], caption?: string }} [how] `kinds` are the classes of the rows, `wide` are
 *   the columns that narrow screens leave out
 */
export function table(header, rows, { kinds = [], wide = [], caption } = {}) {
  /** @param {number} i */
  const look = i => (wide.includes(i) ? { class: "wide" } : {});
  const head = header.map((cell, i) => (cell ? el("th", { scope: "col", ...look(i) }, cell) : el("td", look(i))));
  const body = rows.map(([first, ...cells], row) =>
    el(
      "tr",
      { class: kinds[row] },
      el("th", { scope: "row" }, first),
      cells.map((cell, i) => el("td", look(i + 1), cell)),
    ),
  );
  return el(
    "table",
    { class: "numbers" },
    caption ? el("caption", { class: "unseen" }, caption) : null,
    el("thead", {}, el("tr", {}, head)),
    el("tbody", {}, body),
  );
}

/** @param {[kind: string, text: string][]} entries */
export const legend = (...entries) =>
  el(
    "p",
    { class: "keys" },
    entries.map(([kind, text]) => el("span", {}, el("i", { class: `key ${kind}` }), text)),
  );

/**
 * Names as an enumeration in a sentence, or their number where there are many.
 *
 * @param {string[]} names
 */
export const listed = names =>
  names.length > 6 ? `${names.length} signals` : `${names.slice(0, -1).join(", ")} and ${names[names.length - 1]}`;

/**
 * @param {number[]} ends
 * @param {(value: number) => string} write
 */
export const between = ([low, high], write) => `${write(low)} to ${write(high)}`;
