// Elements of the demonstration's page: panels, tables, and charts that fit the available width.

import { panel as axesPanel } from "../../_pages/charts/axes.js";
import { byId, el, svg } from "../../_pages/charts/elements.js";

/** @import { Box, Panel } from "../../_pages/charts/axes.js" */

/** @typedef {string | number | HTMLElement} TableCell */

export const MARGIN = { left: 52, right: 14, top: 10, bottom: 38 };

/**
 * @param {string} id
 * @param {string} text
 */
export function write(id, text) {
  byId(id).textContent = text;
}

/**
 * @param {string} title
 * @param {Node[]} content
 */
export const panel = (title, ...content) => el("div", { class: "panel" }, el("h3", {}, title), ...content);

/**
 * A table that scrolls, also by keys, where it is wider than the page.
 *
 * @param {string} label
 * @param {TableCell[]} header
 * @param {TableCell[][]} rows
 */
export function table(label, header, rows) {
  /**
   * @param {"th" | "td"} kind
   * @param {TableCell[]} row
   */
  const line = (kind, row) =>
    el(
      "tr",
      {},
      row.map(cell => (cell instanceof Element ? cell : el(kind, {}, cell))),
    );
  const body = rows.map(row => line("td", row));
  return el(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": label },
    el("table", {}, el("thead", {}, line("th", header)), el("tbody", {}, body)),
  );
}

/**
 * A chart that is drawn at the available width, and redrawn when that changes.
 *
 * @param {string} label
 * @param {number} height
 * @param {(picture: SVGSVGElement, width: number) => void} draw
 */
export function chart(label, height, draw) {
  const picture = svg("svg", { role: "img", "aria-label": label, height });
  const holder = el("div", { class: "chart" }, picture);
  let drawn = 0;
  // In the next frame, as drawing may change the width of the observed element.
  const observer = new ResizeObserver(() =>
    requestAnimationFrame(() => {
      const width = holder.clientWidth;
      if (width === drawn || width === 0) return;
      drawn = width;
      picture.replaceChildren();
      picture.setAttribute("width", String(width));
      draw(picture, width);
    }),
  );
  observer.observe(holder);
  return holder;
}

/**
 * The part of a chart inside its axes.
 *
 * @param {number} width
 * @param {number} height
 * @returns {Box}
 */
export const inside = (width, height) => ({
  left: MARGIN.left,
  top: MARGIN.top,
  width: width - MARGIN.left - MARGIN.right,
  height: height - MARGIN.top - MARGIN.bottom,
});

/**
 * Draws axes and returns the scales of the chart.
 *
 * @param {SVGSVGElement} picture
 * @param {Box} box
 * @param {{ xs: number[], ys: number[], xName: string, log?: boolean }} options
 * @returns {Panel}
 */
export function axes(picture, box, options) {
  const drawn = axesPanel({ ...box, ...options });
  picture.append(drawn.element);
  return drawn;
}
