// The ascents of a training: the metric by number of line searches, one curve per start.

import { extent, panel, roomy, stairs } from "./charts/axes.js";
import { DASHES, LINES } from "./charts/colors.js";
import { el, svg } from "./charts/elements.js";
import { counted, number } from "./charts/numbers.js";
import { hideTip, showTip } from "./tip.js";

/** @typedef {[number, number]} Point Line searches so far, and the value. */
/** @typedef {Map<string, Point[]>} Curves Points by name of the ascent. */

const MARGIN = { left: 56, right: 14, top: 26, bottom: 42 };
const HEIGHT = 260;
const MOST = 36; // no two of so many have both color and dashes in common, and a page stays fast with thousands of starts

/**
 * @param {number} i
 */
const style = i => ({
  stroke: LINES[i % LINES.length],
  "stroke-dasharray": DASHES[(i + Math.floor(i / LINES.length)) % DASHES.length],
});

/** @param {Point[]} points */
export const lastOf = points => points[points.length - 1];

/**
 * Adds a step of an ascent.
 *
 * @param {Curves} curves
 * @param {[string, number, number]} step
 */
export function addStep(curves, [ascent, n_lines, value]) {
  const curve = curves.get(ascent) ?? [];
  curves.set(ascent, curve);
  curve.push([n_lines, value]);
}

/**
 * The curves that are drawn: those that end highest, in their order.
 *
 * @param {Curves} curves
 * @returns {Curves}
 */
function highestOf(curves) {
  if (curves.size <= MOST) return curves;
  const names = [...curves.keys()].sort((a, b) => endOf(curves, b) - endOf(curves, a));
  const drawn = new Set(names.slice(0, MOST));
  return new Map([...curves].filter(([name]) => drawn.has(name)));
}

/**
 * @param {Curves} curves
 * @param {string} name
 */
const endOf = (curves, name) => lastOf(/** @type {Point[]} */ (curves.get(name)))[1];

/**
 * @param {{ curves: Curves, metric: string, width: number }} options
 */
export function curveChart({ curves: all, metric, width }) {
  const curves = highestOf(all);
  const points = [...curves.values()].flat();
  const [lowest, highest] = extent(points.map(([, value]) => value));
  const [, farthest] = extent([1, ...points.map(([lines]) => lines)]);
  const { element, x, y } = panel({
    left: MARGIN.left,
    top: MARGIN.top,
    width: width - MARGIN.left - MARGIN.right,
    height: HEIGHT - MARGIN.top - MARGIN.bottom,
    xs: [0, farthest],
    ys: roomy([lowest, highest]),
    xName: "line searches",
    yName: metric,
  });
  [...curves].forEach(([name, path], i) => {
    const [lines, value] = lastOf(path);
    const title = svg("title", {}, `${name}: ${number(value)}`);
    element.append(
      svg("path", { class: "curve", d: stairs(path, x, y), ...style(i) }, title),
      svg("circle", { cx: x(lines), cy: y(value), r: 3, fill: style(i).stroke }),
    );
  });
  const label = `${metric} of ${all.size} ascents, the best ${number(highest)}`;
  const size = { viewBox: `0 0 ${width} ${HEIGHT}`, width, height: HEIGHT };
  const chart = svg("svg", { ...size, class: "chart", role: "img", "aria-label": label, "data-tips": "" }, element);
  chart.addEventListener("pointermove", event => {
    const box = chart.getBoundingClientRect();
    const at = ((event.clientX - box.left) * width) / box.width;
    const height = ((event.clientY - box.top) * HEIGHT) / box.height;
    const near = [...curves].map(([name, path]) => {
      const [lines, value] = path.filter(point => x(point[0]) <= at).pop() ?? path[0];
      return { name, lines, value, away: Math.abs(y(value) - height) };
    });
    const nearest = near.reduce((a, b) => (b.away < a.away ? b : a));
    showTip(
      event,
      `${nearest.name}, ${counted(nearest.lines, "line search", "line searches")}: ${number(nearest.value)}`,
    );
  });
  chart.addEventListener("pointerleave", hideTip);
  return chart;
}

/** @param {Curves} all */
export function curveLegend(all) {
  const curves = highestOf(all);
  const size = { viewBox: "0 0 30 8", width: 30, height: 8, "aria-hidden": "true" };
  const entries = [...curves].map(([name, path], i) => {
    const line = svg("path", { class: "curve", d: "M0 4h30", ...style(i) });
    return el("li", {}, svg("svg", size, line), ` ${name} ${number(lastOf(path)[1])}`);
  });
  const n_lower = all.size - curves.size;
  return el("ul", { class: "legend" }, entries, n_lower ? el("li", {}, `${n_lower} lower ones are not drawn`) : null);
}

/**
 * @param {Curves} curves
 * @returns {(string | number)[][]}
 */
export const curveTable = curves => [
  ["ascent", "line_searches", "value"],
  ...[...curves].flatMap(([name, path]) => path.map(([lines, value]) => [name, lines, value])),
];
