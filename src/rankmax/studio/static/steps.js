// The metric along one weight, as a step function that is a slider: drag along it, or use the keys.

import { svg } from "./charts/elements.js";
import { number, short } from "./charts/numbers.js";
import { stepPanel } from "./charts/steps.js";

/** @import { StepFunction } from "./answers.js" */

/**
 * @typedef {{ element: SVGSVGElement, mark: (at: number | null) => void }} StepChart
 *   `mark` shows the current position.
 */

const MARGIN = { left: 56, right: 14, top: 26, bottom: 42 };
const HIGH = 250;
const NARROW = 620;
/** @type {Record<string, number>} */
const KEYS = { ArrowLeft: -0.01, ArrowRight: 0.01, PageDown: -0.1, PageUp: 0.1 }; // shares of the drawn range

/** @param {number | null} value */
export const end = value => (value === null ? "∞" : short(value));

/**
 * @param {{
 *   told: StepFunction, name: string, metric: string, width: number, pick: (at: number) => void, floor?: number,
 * }} options `pick` is called with a new position; `floor` is a value to draw a line at
 * @returns {StepChart}
 */
export function stepChart({ told, name, metric, width, pick, floor }) {
  const { windows, best } = told;
  const isSideBySide = windows.length > 1 && width > NARROW;
  const each = isSideBySide ? width / 2 : width;
  const height = isSideBySide ? HIGH : HIGH * windows.length;
  const label = `${metric} along the ${name}, best ${number(best.value)} from ${end(best.low)} to ${end(best.high)}`;
  const element = svg("svg", {
    viewBox: `0 0 ${width} ${height}`,
    width,
    height,
    class: "chart",
    role: "slider",
    tabindex: 0,
    "aria-label": label,
  });
  const panels = windows.map((columns, i) => {
    const box = {
      left: (isSideBySide ? i * each : 0) + MARGIN.left,
      top: (isSideBySide ? 0 : i * HIGH) + MARGIN.top,
      width: each - MARGIN.left - MARGIN.right,
      height: HIGH - MARGIN.top - MARGIN.bottom,
    };
    const panel = stepPanel({ columns, best, box, xName: name, yName: i ? "around the best" : metric, floor });
    const target = svg("rect", { class: "target", x: box.left, y: box.top, width: box.width, height: box.height });
    panel.element.append(target);
    return { ...panel, target };
  });
  element.append(...panels.map(panel => panel.element));
  const { from: low, until: high } = panels[0];
  let here = 0;

  /**
   * @param {number} to
   * @param {number} from
   * @param {number} until
   */
  const go = (to, from, until) => pick(Math.max(from, Math.min(until, to)));
  element.addEventListener("keydown", event => {
    if (event.key in KEYS) go(here + KEYS[event.key] * (high - low), low, high);
    else if (event.key === "Home") pick(best.middle);
    else return;
    event.preventDefault();
  });
  for (const { target, back, from, until } of panels) {
    /** @param {PointerEvent} event */
    const move = event => {
      const box = element.getBoundingClientRect();
      go(back(((event.clientX - box.left) * width) / box.width), from, until);
    };
    target.addEventListener("pointerdown", event => {
      target.setPointerCapture(event.pointerId);
      move(event);
    });
    target.addEventListener("pointermove", event => {
      if (event.buttons) move(event);
    });
  }

  /** @param {number | null} at */
  function mark(at) {
    here = at ?? 0;
    element.setAttribute("aria-valuenow", String(here));
    for (const panel of panels) panel.mark(at);
  }
  return { element, mark };
}

/**
 * @param {StepFunction} told
 * @returns {(string | number)[][]}
 */
export const stepTable = told => [
  ["low", "high", "lowest_value", "highest_value"],
  ...told.windows.flatMap(({ edges, lows, highs }) => lows.map((low, i) => [edges[i], edges[i + 1], low, highs[i]])),
];
