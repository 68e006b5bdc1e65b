// What charts share: round numbers along an axis, the axes themselves, and lines between points.

import { svg } from "./elements.js";
import { grouped, short } from "./numbers.js";

/** @typedef {[number, number]} Pair */
/** @typedef {(value: number) => number} Scale */
/** @typedef {{ left: number, top: number, width: number, height: number }} Box */
/**
 * @typedef {{ element: SVGGElement, x: Scale, y: Scale, back: Scale }} Panel
 *   `element` takes what is drawn, `x` and `y` give places on the screen, `back` the value
 *   at a place from left to right.
 */

const MOST_DECIMALS = 6; // beyond, powers of ten are shorter

/**
 * Round numbers between two, each with the text to show.
 *
 * @param {number} low
 * @param {number} high
 * @param {number} about how many
 * @returns {[number, string][]}
 */
export function ticks(low, high, about) {
  if (!(high > low)) return [[low, short(low)]];
  const rough = (high - low) / about;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5].find(times => times * power >= rough) ?? 10);
  const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  return Array.from({ length: last - first + 1 }, (_, i) => {
    const tick = Number(((first + i) * step).toPrecision(12));
    return [tick, decimals > MOST_DECIMALS ? short(tick) : tick.toFixed(decimals).replace(/^-/, "\u2212")];
  });
}

/**
 * Powers of ten between two numbers, each with the text to show.
 *
 * @param {number} low
 * @param {number} high
 * @returns {[number, string][]}
 */
export function powers(low, high) {
  const first = Math.ceil(Math.log10(low) - 1e-9);
  const last = Math.floor(Math.log10(high) + 1e-9);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => [
    10 ** (first + i),
    grouped(10 ** (first + i)),
  ]);
}

/**
 * The least and the greatest of some numbers; there may be more of them than a call has arguments.
 *
 * @param {number[]} values
 */
export const extent = values =>
  values.reduce(([low, high], x) => /** @type {Pair} */ ([Math.min(low, x), Math.max(high, x)]), [Infinity, -Infinity]);

/**
 * An interval with some room around it.
 *
 * @param {number[]} interval
 * @returns {Pair}
 */
export function roomy([low, high]) {
  const room = 0.08 * (high - low || 0.1);
  return [low - room, high + room];
}

/**
 * @param {Box & { xs: number[], ys: number[], xName: string, yName?: string, log?: boolean }} options `xs` and `ys` are
 *   the ends of the axes, `log` asks for a logarithmic one from left to right
 * @returns {Panel}
 */
export function panel({ left, top, width, height, xs: [x0, x1], ys: [y0, y1], xName, yName = "", log = false }) {
  const along = log ? Math.log : (/** @type {number} */ value) => value;
  const span = along(x1) - along(x0) || 1;
  const bottom = top + height;
  /** @type {Scale} */
  const x = value => left + (width * (along(value) - along(x0))) / span;
  /** @type {Scale} */
  const y = value => top + height * (1 - (value - y0) / (y1 - y0));
  /** @type {Scale} */
  const back = place => x0 + ((x1 - x0) * (place - left)) / width;
  const element = svg(
    "g",
    {},
    ticks(y0, y1, 4).flatMap(([tick, text]) => [
      svg("path", { class: "grid", d: `M${left} ${y(tick)}h${width}` }),
      label("tick", left - 6, y(tick), "end", text, { "dominant-baseline": "middle" }),
    ]),
    (log ? powers(x0, x1) : ticks(x0, x1, Math.max(2, width / 70))).flatMap(([tick, text]) => [
      svg("path", { class: "axis", d: `M${x(tick)} ${bottom}v4` }),
      label("tick", x(tick), bottom + 17, "middle", text),
    ]),
    svg("path", { class: "axis", d: `M${left} ${bottom}h${width}` }),
    label("name", left + width / 2, bottom + 34, "middle", xName),
    yName ? label("name", left - 6, top - 8, "start", yName) : null,
  );
  return { element, x, y, back };
}

/**
 * @param {string} kind
 * @param {number} x
 * @param {number} y
 * @param {string} anchor
 * @param {string} text
 * @param {Record<string, string>} properties
 */
function label(kind, x, y, anchor, text, properties = {}) {
  return svg("text", { class: kind, x, y, "text-anchor": anchor, ...properties }, text);
}

/**
 * The path through some places.
 *
 * @param {number[][]} places
 */
export const joined = places => `M${places.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`).join("L")}`;

/**
 * The path of a value that stays until the next point: the best so far of an ascent, for instance.
 *
 * @param {number[][]} points
 * @param {Scale} x
 * @param {Scale} y
 */
export const stairs = (points, x, y) =>
  points
    .map(([at, value], i) => (i ? `H${x(at).toFixed(1)}V` : `M${x(at).toFixed(1)} `) + y(value).toFixed(1))
    .join("");
