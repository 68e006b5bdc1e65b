// Charts with a row for each of several things: names on the left, one axis from left to right for all.

import { ticks } from "./axes.js";
import { svg } from "./elements.js";
import { cut } from "./numbers.js";
import { label } from "./plot.js";

/** @import { Scale } from "./axes.js" */

const LETTER = 7.2; // pixels, about
const FOOT = 40;
const TOP = 6;

/**
 * The room that names need on the left, and the names as they fit.
 *
 * @param {string[]} names
 * @param {number} width of the chart
 */
export function gutter(names, width) {
  const most = Math.max(8, Math.floor((width * 0.36) / LETTER));
  const fitting = names.map(name => cut(name, most));
  return { fitting, left: 14 + LETTER * Math.max(...fitting.map(name => name.length)) };
}

/**
 * The grid and the axis below some rows.
 *
 * @param {{ left: number, right: number, rows: number, row: number, ends: [number, number], title: string }} options
 *   `row` is the height of a row, `ends` are the values at both ends
 */
export function rowAxis({ left, right, rows, row, ends: [low, high], title }) {
  const bottom = TOP + rows * row;
  /** @type {Scale} */
  const x = value => left + ((right - left) * (value - low)) / (high - low || 1);
  const grid = ticks(low, high, Math.max(2, (right - left) / 90)).flatMap(([tick, text]) => [
    svg("path", { class: "plot-grid", d: `M${x(tick).toFixed(1)} ${TOP}V${bottom}` }),
    label("plot-tick", x(tick), bottom + 12, text, { anchor: "middle" }),
  ]);
  const name = label("plot-axis", right, bottom + 30, `${title} →`, { anchor: "end" });
  /** @param {number} i */
  const middle = i => TOP + row * (i + 0.5);
  return { x, middle, bottom, height: bottom + FOOT, children: [...grid, name] };
}
