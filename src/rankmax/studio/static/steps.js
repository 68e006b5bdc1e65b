// The metric along one weight, as a step function that is a slider: drag along it, or use the keys.

import { ticks } from "./charts/axes.js";
import { svg } from "./charts/elements.js";
import { number, short } from "./charts/numbers.js";
import { stepPanel } from "./charts/steps.js";
import { hideTip, showTip } from "./tip.js";

/** @import { Box, Panel } from "./charts/axes.js" */
/** @import { StepFunction } from "./answers.js" */
/** @import { Columns, Interval } from "./charts/steps.js" */

/**
 * @typedef {{ element: SVGSVGElement, mark: (at: number | null) => void }} StepChart
 *   `mark` shows the current position.
 */

const MARGIN = { left: 56, right: 14, top: 26, bottom: 42 };
const HIGH = 250;
const NARROW = 620;
/** @type {Record<string, number>} in steps, of which the distance of two ticks has ten */
const KEYS = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10 };
const SHOWN_TICKS = 8;

/**
 * The end of an interval; null stands for none.
 *
 * @param {number | null} value
 * @param {string} [sign]
 */
export const end = (value, sign = "") => (value === null ? `${sign}∞` : short(value));

/**
 * @param {{
 *   told: StepFunction, name: string, metric: string, width: number, pick: (at: number) => unknown, floor: number,
 *   within?: Interval & { middle: number },
 * }} options `pick` is called with a new position; `floor` is one standard error below the best, `within` the interval
 *   around the best that reaches it
 * @returns {StepChart}
 */
export function stepChart({ told, name, metric, width, pick, floor, within }) {
  const { windows, best } = told;
  const isSideBySide = windows.length > 1 && width > NARROW;
  const each = isSideBySide ? width / 2 : width;
  const height = isSideBySide ? HIGH : HIGH * windows.length;
  const label = `${metric} along the ${name}, best ${number(best.value)} from ${end(best.low, "−")} to ${end(best.high)}`;
  const element = svg("svg", {
    viewBox: `0 0 ${width} ${height}`,
    width,
    height,
    class: "chart",
    role: "slider",
    tabindex: 0,
    "aria-label": label,
    "data-tips": "",
  });
  const panels = windows.map((columns, i) => {
    const box = {
      left: (isSideBySide ? i * each : 0) + MARGIN.left,
      top: (isSideBySide ? 0 : i * HIGH) + MARGIN.top,
      width: each - MARGIN.left - MARGIN.right,
      height: HIGH - MARGIN.top - MARGIN.bottom,
    };
    const panel = stepPanel({ columns, best, box, xName: name, yName: i ? "around the exact maximum" : metric, floor });
    const target = svg("rect", { class: "target", x: box.left, y: box.top, width: box.width, height: box.height });
    if (!i) panel.element.prepend(...shades(panel, box));
    panel.element.append(target);
    return { ...panel, columns, target };
  });
  element.append(...panels.map(panel => panel.element));
  const { from: low, until: high } = panels[0];
  const [[first], [second]] = [...ticks(low, high, SHOWN_TICKS), [high, ""], [high, ""]];
  const step = (second - first) / 10 || (high - low) / 100;
  const top = within?.middle ?? best.middle;
  element.setAttribute("aria-valuemin", String(low));
  element.setAttribute("aria-valuemax", String(high));
  let here = 0;

  /**
   * The band of one standard error below the best, and the interval around the best that stays in it.
   *
   * @param {Panel & { from: number, until: number }} panel
   * @param {Box} box
   */
  function shades({ x, y, from, until }, { left, top: above, width: wide, height: tall }) {
    const upper = Math.max(above, y(best.value));
    const lower = Math.min(above + tall, y(floor));
    const band = svg("rect", { class: "error", x: left, y: upper, width: wide, height: Math.max(0, lower - upper) });
    if (!within) return [band];
    const [start, stop] = [Math.max(within.low ?? from, from), Math.min(within.high ?? until, until)];
    const size = { x: x(start), y: above, width: Math.max(0, x(stop) - x(start)), height: tall };
    return [svg("rect", { class: "within", ...size }), band];
  }

  /**
   * @param {number} to
   * @param {number} from
   * @param {number} until
   */
  const go = (to, from, until) => pick(Math.max(from, Math.min(until, to)));
  element.addEventListener("keydown", event => {
    if (event.key in KEYS) go(Number(((Math.round(here / step) + KEYS[event.key]) * step).toPrecision(8)), low, high);
    else if (event.key === "Home") pick(top);
    else return;
    event.preventDefault();
  });
  for (const { target, back, from, until, columns } of panels) {
    /** @param {PointerEvent} event */
    const place = event => {
      const box = element.getBoundingClientRect();
      return back(((event.clientX - box.left) * width) / box.width);
    };
    /** @param {PointerEvent} event */
    const move = event => go(place(event), from, until);
    target.addEventListener("pointerdown", event => {
      target.setPointerCapture(event.pointerId);
      move(event);
    });
    target.addEventListener("pointermove", event => {
      if (event.buttons) move(event);
      else showTip(event, `${name} ${short(place(event))}: ${metric} ${valueAt(columns, place(event))}`);
    });
    target.addEventListener("pointerleave", hideTip);
  }

  /** @param {number | null} at */
  function mark(at) {
    here = at ?? 0;
    element.setAttribute("aria-valuenow", String(here));
    const value = here < low || here > high ? "outside of the chart" : valueAt(windows[0], here);
    element.setAttribute("aria-valuetext", `${name} ${short(here)}, ${metric} ${value}`);
    for (const panel of panels) panel.mark(at);
  }
  return { element, mark };
}

/**
 * The value at a place, or from the lowest to the highest where a column of the screen holds several.
 *
 * @param {Columns} columns
 * @param {number} at
 */
function valueAt({ edges, lows, highs }, at) {
  let [from, until] = [0, lows.length - 1];
  while (from < until) {
    const middle = (from + until + 1) >> 1;
    if (edges[middle] <= at) from = middle;
    else until = middle - 1;
  }
  return lows[from] === highs[from] ? number(highs[from]) : `${number(lows[from])} to ${number(highs[from])}`;
}

/**
 * @param {StepFunction} told
 * @returns {(string | number)[][]}
 */
export const stepTable = told => [
  ["low", "high", "lowest_value", "highest_value"],
  ...told.windows.flatMap(({ edges, lows, highs }) => lows.map((low, i) => [edges[i], edges[i + 1], low, highs[i]])),
];
