// The ascents of a training: the metric by lines searched, a curve for each start.

import { panel } from "./axes.js";
import { DASHES, LINES } from "./colours.js";
import { el, number, svg } from "./dom.js";

const MARGIN = { left: 56, right: 14, top: 26, bottom: 42 };

// No two of the first 36 curves have both colour and dashes in common.
const style = i => ({ stroke: LINES[i % LINES.length], "stroke-dasharray": DASHES[(i + Math.floor(i / LINES.length)) % DASHES.length] });

// `curves` maps a name to its points [lines, value].
export function curveChart({ curves, metric, width }) {
  const height = 260, points = [...curves.values()].flat();
  const [lowest, highest] = [Math.min(...points.map(p => p[1])), Math.max(...points.map(p => p[1]))];
  const room = (highest - lowest || 0.1) * 0.08, farthest = Math.max(1, ...points.map(p => p[0]));
  const chart = svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, class: "chart", role: "img",
    "aria-label": `${metric} of ${curves.size} ascents, the best ${number(highest)}` });
  const { element, x, y } = panel({ left: MARGIN.left, top: MARGIN.top, width: width - MARGIN.left - MARGIN.right,
    height: height - MARGIN.top - MARGIN.bottom, xs: [0, farthest], ys: [lowest - room, highest + room],
    xName: "lines searched", yName: metric });
  [...curves].forEach(([name, path], i) => {
    const d = path.map(([lines, value], k) => `${k ? `H${x(lines)}V` : `M${x(lines)} `}${y(value)}`).join("");
    const [lastLines, lastValue] = path.at(-1);
    element.append(svg("path", { class: "curve", d, ...style(i) }, svg("title", {}, `${name}: ${number(lastValue)}`)),
      svg("circle", { cx: x(lastLines), cy: y(lastValue), r: 3, fill: style(i).stroke }));
  });
  chart.append(element);
  return chart;
}

export const curveLegend = curves => el("ul", { class: "legend" }, [...curves].map(([name, path], i) => el("li", {},
  svg("svg", { viewBox: "0 0 30 8", width: 30, height: 8, "aria-hidden": "true" }, svg("path", { class: "curve", d: "M0 4h30", ...style(i) })),
  ` ${name} ${number(path.at(-1)[1])}`)));

export const curveTable = curves => [["ascent", "lines", "value"],
  ...[...curves].flatMap(([name, path]) => path.map(([lines, value]) => [name, lines, value]))];
