// The contribution of each feature to a document's score, or to the difference of two documents' scores, under the
// reference and the current weights.

import { svg } from "./charts/elements.js";
import { cut, short } from "./charts/numbers.js";
import { referenceName } from "./state.js";

/** @import { RankedDocument } from "./answers.js" */
/** @import { Properties } from "./charts/elements.js" */

/** @typedef {[string, number, number]} Part Feature, its contribution in the reference, and its current one. */

const MOST = 12;
const HIGH = 24;
const TOP = 24;
const BOTTOM = 20;
const NUMBER = 60;
const LETTER = 6.6;
const SIDES = /** @type {const} */ ([1, 2]);

/** @param {Part} part */
const sizeOf = ([, before, after]) => Math.max(Math.abs(before), Math.abs(after));

/**
 * Features by size of the current contribution, then of the reference's.
 *
 * @param {Part[]} parts
 */
const sorted = parts => parts.sort((a, b) => Math.abs(b[2]) - Math.abs(a[2]) || sizeOf(b) - sizeOf(a));

/** @param {RankedDocument[]} documents */
const namesOf = documents => [
  ...new Set(
    documents.flatMap(({ first, second }) => [first, second].flatMap(side => Object.keys(side.contributions))),
  ),
];

/** @param {RankedDocument} document */
const partsOf = document =>
  sorted(
    namesOf([document]).map(name => [
      name,
      document.first.contributions[name] ?? 0,
      document.second.contributions[name] ?? 0,
    ]),
  );

/**
 * @param {RankedDocument} document
 * @param {RankedDocument} beside
 */
function differencesOf(document, beside) {
  /**
   * @param {"first" | "second"} side
   * @param {string} name
   */
  const difference = (side, name) =>
    (document[side].contributions[name] ?? 0) - (beside[side].contributions[name] ?? 0);
  return sorted(namesOf([document, beside]).map(name => [name, difference("first", name), difference("second", name)]));
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
 * @param {Part[]} all
 * @param {number} width
 * @param {string} axis the name of what is drawn
 * @param {(feature: string) => string} told the values of a feature
 */
function partsChart(all, width, axis, told) {
  const parts = all.slice(0, MOST);
  const name = Math.min(200, width * 0.28);
  const column = (width - name) / 2;
  const bar = column - NUMBER - 12;
  const height = TOP + HIGH * parts.length + BOTTOM;
  const scales = SIDES.map(side => {
    const values = [0, ...parts.map(part => part[side])];
    const low = Math.min(...values);
    const size = Math.max(...values) - low || 1;
    return (/** @type {number} */ value) => (bar * (value - low)) / size;
  });
  const rows = parts.map((part, i) => {
    const y = TOP + HIGH * (i + 0.5);
    const bars = SIDES.flatMap(side => {
      const left = name + column * (side - 1) + NUMBER + 8;
      const [zero, end] = [0, part[side]].map(value => left + scales[side - 1](value));
      const place = { x: Math.min(zero, end), y: y - 6, width: Math.abs(end - zero), height: 12 };
      return [
        text(left - 8, y, short(part[side], 3), { "text-anchor": "end" }),
        svg("rect", { class: end < zero ? "falls" : "rises", ...place }),
        svg("path", { class: "axis", d: `M${zero} ${y - HIGH / 2}v${HIGH}` }),
      ];
    });
    const tip = `${part[0]}: ${told(part[0])}; ${referenceName()} ${short(part[1])}, current ${short(part[2])}`;
    const target = svg("rect", { class: "row", x: 0, y: y - HIGH / 2, width, height: HIGH });
    return svg(
      "g",
      { "data-tip": tip },
      target,
      text(0, y, cut(part[0], Math.floor(name / LETTER)), { class: "part" }),
      bars,
    );
  });
  const letters = Math.floor((column - 8) / LETTER);
  const heads = [referenceName(), "current"].map((words, i) =>
    text(name + column * i + NUMBER + 8, 8, cut(words, letters), { class: "name" }),
  );
  const label = parts.map(
    ([feature, before, after]) => `${feature}: reference ${short(before)}, current ${short(after)}`,
  );
  const left = all.length - parts.length;
  const note = `${axis}${left > 0 ? `; ${left} smaller ones not shown` : ""}`;
  const size = { viewBox: `0 0 ${width} ${height}`, width, height };
  return svg(
    "svg",
    { ...size, class: "chart parts", role: "img", "aria-label": label.join("; ") || "no feature has a weight" },
    heads,
    rows,
    text(0, height - 8, note, { class: "name" }),
  );
}

/**
 * @param {RankedDocument} document
 * @param {number} width
 */
export const contributionChart = (document, width) =>
  partsChart(
    partsOf(document),
    width,
    "value × weight",
    feature => `value ${feature in document.values ? short(document.values[feature]) : "–"}`,
  );

/**
 * @param {RankedDocument} document
 * @param {RankedDocument} beside
 * @param {number} width
 */
export const differenceChart = (document, beside, width) =>
  partsChart(differencesOf(document, beside), width, "difference × weight", feature => {
    const [own, other] = [document, beside].map(({ values }) => (feature in values ? short(values[feature]) : "–"));
    return `values ${own} and ${other}`;
  });

/**
 * @param {RankedDocument} document
 * @returns {(string | number)[][]}
 */
export const contributionTable = document => [
  ["feature", "value", "reference", "current"],
  ...partsOf(document).map(([name, before, after]) => [name, document.values[name], before, after]),
];

/**
 * @param {RankedDocument} document
 * @param {RankedDocument} beside
 * @returns {(string | number)[][]}
 */
export const differenceTable = (document, beside) => [
  ["feature", document.id, beside.id, "reference", "current"],
  ...differencesOf(document, beside).map(([name, before, after]) => [
    name,
    document.values[name],
    beside.values[name],
    before,
    after,
  ]),
];
