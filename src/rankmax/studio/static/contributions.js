// The contribution of each feature to a document's score, under the reference and the current weights.

import { svg } from "./charts/elements.js";
import { cut, short } from "./charts/numbers.js";

/** @import { RankedDocument } from "./answers.js" */
/** @import { Properties } from "./charts/elements.js" */

/** @typedef {[string, number, number]} Part Feature, its contribution in the reference, and its current one. */

const MOST = 12;
const HIGH = 22;
const TOP = 24;
const NUMBER = 66;
const SIDES = /** @type {const} */ ([1, 2]);

/** @param {Part} part */
const sizeOf = ([, before, after]) => Math.max(Math.abs(before), Math.abs(after));

/**
 * @param {RankedDocument} document
 * @returns {Part[]}
 */
function partsOf({ first, second }) {
  const names = new Set([...Object.keys(first.contributions), ...Object.keys(second.contributions)]);
  return [...names]
    .map(name => /** @type {Part} */ ([name, first.contributions[name] ?? 0, second.contributions[name] ?? 0]))
    .sort((a, b) => sizeOf(b) - sizeOf(a));
}

/**
 * @param {number} x
 * @param {number} y
 * @param {string} words
 * @param {Properties} [properties]
 */
const text = (x, y, words, properties = {}) =>
  svg("text", { x, y, "dominant-baseline": "middle", ...properties }, words);

/**
 * Bars from zero. The two settings may differ in scale, so each has its own axis.
 *
 * @param {RankedDocument} document
 * @param {number} width
 */
export function contributionChart(document, width) {
  const parts = partsOf(document).slice(0, MOST);
  const name = Math.min(220, width * 0.3);
  const column = (width - name) / 2;
  const bar = column - NUMBER - 12;
  const height = TOP + HIGH * parts.length + 4;
  const scales = SIDES.map(side => {
    const values = [0, ...parts.map(part => part[side])];
    const low = Math.min(...values);
    const size = Math.max(...values) - low || 1;
    return (/** @type {number} */ value) => (bar * (value - low)) / size;
  });
  const rows = parts.flatMap((part, i) => {
    const y = TOP + HIGH * (i + 0.5);
    const bars = SIDES.flatMap(side => {
      const left = name + column * (side - 1) + NUMBER + 8;
      const [zero, end] = [0, part[side]].map(value => left + scales[side - 1](value));
      const place = { x: Math.min(zero, end), y: y - 6, width: Math.abs(end - zero), height: 12 };
      return [
        text(left - 8, y, short(part[side]), { "text-anchor": "end" }),
        svg("rect", { class: end < zero ? "falls" : "rises", ...place }),
        svg("path", { class: "axis", d: `M${zero} ${y - HIGH / 2}v${HIGH}` }),
      ];
    });
    return [text(0, y, cut(part[0], Math.floor(name / 7)), { class: "part" }), ...bars];
  });
  const heads = ["reference", "current"].map((words, i) =>
    text(name + column * i + NUMBER, 8, words, { class: "name", "text-anchor": "end" }),
  );
  const label = parts.map(
    ([feature, before, after]) => `${feature}: reference ${short(before)}, current ${short(after)}`,
  );
  const size = { viewBox: `0 0 ${width} ${height}`, width, height };
  return svg("svg", { ...size, class: "chart parts", role: "img", "aria-label": label.join("; ") }, heads, rows);
}

/**
 * @param {RankedDocument} document
 * @returns {(string | number)[][]}
 */
export const contributionTable = document => [["feature", "reference", "current"], ...partsOf(document)];
