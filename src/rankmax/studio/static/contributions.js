// What each feature adds to a document's score, under the reference and now.

import { cut, short, svg } from "./dom.js";

const MOST = 12, HIGH = 22, TOP = 24, NUMBER = 66;

const sizeOf = ([, before, after]) => Math.max(Math.abs(before), Math.abs(after));

function partsOf({ first, second }) {
  const names = [...new Set([...Object.keys(first.contributions), ...Object.keys(second.contributions)])];
  return names.map(name => [name, first.contributions[name] ?? 0, second.contributions[name] ?? 0]).sort((a, b) => sizeOf(b) - sizeOf(a));
}

// Bars from zero. The two settings may be of any size, so each has a scale of its own.
export function contributionChart(document, width) {
  const parts = partsOf(document).slice(0, MOST), name = Math.min(220, width * 0.3), column = (width - name) / 2, bar = column - NUMBER - 12;
  const height = TOP + HIGH * parts.length + 4;
  const text = (x, y, words, properties = {}) => svg("text", { x, y, "dominant-baseline": "middle", ...properties }, words);
  const scales = [1, 2].map(side => {
    const values = [0, ...parts.map(part => part[side])], low = Math.min(...values), size = Math.max(...values) - low || 1;
    return value => bar * (value - low) / size;
  });
  const rows = parts.map((part, i) => {
    const y = TOP + HIGH * (i + 0.5);
    return [text(0, y, cut(part[0], Math.floor(name / 7)), { class: "part" }), [1, 2].map(side => {
      const left = name + column * (side - 1) + NUMBER + 8, [zero, end] = [0, part[side]].map(value => left + scales[side - 1](value));
      return [text(left - 8, y, short(part[side]), { "text-anchor": "end" }),
        svg("rect", { class: end < zero ? "falls" : "rises", x: Math.min(zero, end), y: y - 6, width: Math.abs(end - zero), height: 12 }),
        svg("path", { class: "axis", d: `M${zero} ${y - HIGH / 2}v${HIGH}` })];
    })];
  });
  return svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, class: "chart parts", role: "img",
    "aria-label": parts.map(([feature, before, after]) => `${feature}: ${short(before)} in the reference, ${short(after)} now`).join("; ") },
    ["reference", "current"].map((words, i) => text(name + column * i + NUMBER, 8, words, { class: "name", "text-anchor": "end" })), rows.flat(3));
}

export const contributionTable = document => [["feature", "reference", "current"], ...partsOf(document)];
