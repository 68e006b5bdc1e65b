// A step function: its widest best interval shaded; a band from lowest to highest where steps are too many to draw.

import { extent, joined, panel, roomy } from "./axes.js";
import { svg } from "./elements.js";

/** @import { Box, Panel } from "./axes.js" */

/**
 * @typedef {{ edges: number[], lows: number[], highs: number[] }} Columns
 *   The lowest and the highest value from each edge to the next one; they are equal in a step.
 */
/** @typedef {{ low: number | null, high: number | null }} Interval Null stands for an end that there is not. */

/**
 * @param {{ columns: Columns, best: Interval, box: Box, xName: string, yName?: string, floor?: number | null }} options
 *   `floor` is a value to draw a line at
 * @returns {Panel & { from: number, until: number, mark: (at: number | null) => void }} `mark` shows a place
 */
export function stepPanel({ columns, best, box, xName, yName = "", floor = null }) {
  const { edges, lows, highs } = columns;
  const from = edges[0];
  const until = edges[edges.length - 1];
  const ys = roomy([extent(lows)[0], extent(highs)[1]]);
  const drawn = panel({ ...box, xs: [from, until], ys, xName, yName });
  const { element, x, y } = drawn;
  const low = Math.max(best.low ?? from, from);
  const high = Math.min(best.high ?? until, until);
  if (high >= low) {
    const width = Math.max(2, x(high) - x(low));
    element.append(svg("rect", { class: "best", x: x(low), y: box.top, width, height: box.height }));
  }
  /** @param {number[]} values */
  const along = values =>
    values.flatMap((value, i) => [
      [x(edges[i]), y(value)],
      [x(edges[i + 1]), y(value)],
    ]);
  if (lows.some((value, i) => value !== highs[i])) {
    const outline = [...along(highs), ...along(lows).reverse()];
    element.append(svg("path", { class: "band", d: `${joined(outline)}Z` }));
  }
  if (floor !== null && floor > ys[0]) {
    element.append(svg("path", { class: "floor", d: `M${box.left} ${y(floor)}h${box.width}` }));
  }
  const now = svg("path", { class: "now" });
  element.append(svg("path", { class: "steps", d: joined(along(highs)) }), now);
  /** @param {number | null} at */
  const mark = at => {
    const isInside = at !== null && at >= from && at <= until;
    now.setAttribute("d", isInside ? `M${x(at)} ${box.top}v${box.height}` : "");
  };
  return { ...drawn, from, until, mark };
}
