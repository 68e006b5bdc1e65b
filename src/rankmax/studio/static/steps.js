// The metric along one weight: an exact step function, its widest best interval shaded, where we are marked.

import { panel } from "./axes.js";
import { number, short, svg } from "./dom.js";

const MARGIN = { left: 56, right: 14, top: 26, bottom: 42 };

// `told` is what the server says of the function; `at` is where the page stands; `pick` is called with a new place.
export function stepChart({ told, at, width, name, metric, pick }) {
  const sideBySide = told.windows.length > 1 && width > 620;
  const each = sideBySide ? width / 2 : width, high = 250;
  const height = sideBySide || told.windows.length === 1 ? high : 2 * high;
  const chart = svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, class: "chart", role: "img",
    "aria-label": `${metric} along the weight of ${name}, best ${number(told.best.value)} from ${end(told.best.low)} to ${end(told.best.high)}` });
  told.windows.forEach((drawn, i) => chart.append(window_({ drawn, told, at, name, metric, pick, chart,
    left: sideBySide ? i * each : 0, top: sideBySide ? 0 : i * high, width: each, height: high,
    title: i ? "around the best" : metric })));
  return chart;
}

export const end = value => value === null ? "∞" : short(value);

function window_({ drawn, told, at, name, pick, left, top, width, height, title, chart }) {
  const { edges, lows, highs } = drawn, [x0, x1] = [edges[0], edges.at(-1)];
  const lowest = Math.min(...lows), highest = Math.max(...highs), room = (highest - lowest || 0.1) * 0.08;
  const box = { left: left + MARGIN.left, top: top + MARGIN.top, width: width - MARGIN.left - MARGIN.right,
    height: height - MARGIN.top - MARGIN.bottom };
  const { element, x, y, back } = panel({ ...box, xs: [x0, x1], ys: [lowest - room, highest + room],
    xName: `weight of ${name}`, yName: title });
  const from = Math.max(told.best.low ?? x0, x0), to = Math.min(told.best.high ?? x1, x1);
  if (to >= from) {
    element.append(svg("rect", { class: "best", x: x(from), y: box.top, width: Math.max(2, x(to) - x(from)), height: box.height }));
  }
  const forth = highs.map((value, i) => `${x(edges[i])} ${y(value)}L${x(edges[i + 1])} ${y(value)}`);
  const exact = lows.every((value, i) => value === highs[i]);
  if (!exact) {
    const below = lows.map((value, i) => `${x(edges[i + 1])} ${y(value)}L${x(edges[i])} ${y(value)}`).reverse();
    element.append(svg("path", { class: "band", d: `M${forth.join("L")}L${below.join("L")}Z` }));
  }
  element.append(svg("path", { class: "steps", d: `M${forth.join("L")}` }));
  if (at >= x0 && at <= x1) element.append(svg("path", { class: "now", d: `M${x(at)} ${box.top}v${box.height}` }));
  const target = svg("rect", { class: pick ? "target" : "target still", x: box.left, y: box.top, width: box.width, height: box.height });
  if (pick) {
    const move = event => {
      const scale = chart.viewBox.baseVal.width / chart.getBoundingClientRect().width;
      pick(Math.max(x0, Math.min(x1, back((event.clientX - chart.getBoundingClientRect().left) * scale))));
    };
    target.addEventListener("pointerdown", event => { target.setPointerCapture(event.pointerId); move(event); });
    target.addEventListener("pointermove", event => { if (event.buttons) move(event); });
  }
  element.append(target);
  return element;
}

export const stepTable = told => [["low", "high", "lowest_value", "highest_value"],
  ...told.windows.flatMap(({ edges, lows, highs }) => lows.map((low, i) => [edges[i], edges[i + 1], low, highs[i]]))];
