// The metric along one weight: an exact step function, its widest best interval shaded, where we are marked.

import { panel } from "./axes.js";
import { number, short, svg } from "./dom.js";

const MARGIN = { left: 56, right: 14, top: 26, bottom: 42 };
const HIGH = 250, NARROW = 620;
const KEYS = { ArrowLeft: -0.01, ArrowRight: 0.01, PageDown: -0.1, PageUp: 0.1 };  // shares of what is drawn

// A chart of what the server `told` of the function along `name`, and `mark`, which shows where the page stands. `pick`
// is called with a new place; `floor` is a value to draw a line at.
export function stepChart({ told, name, metric, width, pick, floor = null }) {
  const { windows, best } = told, sideBySide = windows.length > 1 && width > NARROW;
  const each = sideBySide ? width / 2 : width, height = sideBySide ? HIGH : HIGH * windows.length;
  const element = svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, class: "chart", role: "slider", tabindex: 0,
    "aria-label": `${metric} along the ${name}, best ${number(best.value)} from ${end(best.low)} to ${end(best.high)}` });
  const panels = windows.map((drawn, i) => window_({ drawn, best, name, floor, title: i ? "around the best" : metric, width: each,
    left: sideBySide ? i * each : 0, top: sideBySide ? 0 : i * HIGH }));
  element.append(...panels.map(part => part.element));
  let here = 0;

  const [low, high] = [windows[0].edges[0], windows[0].edges.at(-1)];
  const go = (to, from, until) => pick(Math.max(from, Math.min(until, to)));
  element.addEventListener("keydown", event => {
    if (event.key in KEYS) go(here + KEYS[event.key] * (high - low), low, high);
    else if (event.key === "Home") pick(best.middle);
    else return;
    event.preventDefault();
  });
  for (const { target, back, from, until } of panels) {
    const move = event => {
      const box = element.getBoundingClientRect();
      go(back((event.clientX - box.left) * width / box.width), from, until);
    };
    target.addEventListener("pointerdown", event => { target.setPointerCapture(event.pointerId); move(event); });
    target.addEventListener("pointermove", event => { if (event.buttons) move(event); });
  }

  function mark(at) {
    here = at ?? 0;
    element.setAttribute("aria-valuenow", here);
    panels.forEach(part => part.mark(at));
  }
  return { element, mark };
}

export const end = value => value === null ? "∞" : short(value);

function window_({ drawn, best, name, floor, left, top, width, title }) {
  const { edges, lows, highs } = drawn, [x0, x1] = [edges[0], edges.at(-1)];
  const lowest = Math.min(...lows), highest = Math.max(...highs), room = (highest - lowest || 0.1) * 0.08;
  const box = { left: left + MARGIN.left, top: top + MARGIN.top, width: width - MARGIN.left - MARGIN.right,
    height: HIGH - MARGIN.top - MARGIN.bottom };
  const { element, x, y, back } = panel({ ...box, xs: [x0, x1], ys: [lowest - room, highest + room], xName: name, yName: title });
  const from = Math.max(best.low ?? x0, x0), to = Math.min(best.high ?? x1, x1);
  if (to >= from) {
    element.append(svg("rect", { class: "best", x: x(from), y: box.top, width: Math.max(2, x(to) - x(from)), height: box.height }));
  }
  const forth = highs.map((value, i) => `${x(edges[i])} ${y(value)}L${x(edges[i + 1])} ${y(value)}`);
  const exact = lows.every((value, i) => value === highs[i]);
  if (!exact) {
    const below = lows.map((value, i) => `${x(edges[i + 1])} ${y(value)}L${x(edges[i])} ${y(value)}`).reverse();
    element.append(svg("path", { class: "band", d: `M${forth.join("L")}L${below.join("L")}Z` }));
  }
  if (floor !== null && floor > lowest - room) element.append(svg("path", { class: "floor", d: `M${box.left} ${y(floor)}h${box.width}` }));
  const now = svg("path", { class: "now" });
  const target = svg("rect", { class: "target", x: box.left, y: box.top, width: box.width, height: box.height });
  element.append(svg("path", { class: "steps", d: `M${forth.join("L")}` }), now, target);
  const mark = at => now.setAttribute("d", at !== null && at >= x0 && at <= x1 ? `M${x(at)} ${box.top}v${box.height}` : "");
  return { element, target, back, mark, from: x0, until: x1 };
}

export const stepTable = told => [["low", "high", "lowest_value", "highest_value"],
  ...told.windows.flatMap(({ edges, lows, highs }) => lows.map((low, i) => [edges[i], edges[i + 1], low, highs[i]]))];
