// The metric over all nonnegative weights of three features, as shares: a triangle of cells on a canvas, and what is
// drawn over it. The first feature's corner is at the top, the second's on the left, the third's on the right.

import { el, svg } from "./elements.js";
import { cut } from "./numbers.js";

/** @typedef {number[]} Shares Three, of sum 1. */
/**
 * @typedef {{ K: number, i: number, m: number, value: number }} Cell
 *   The m-th cell of row i, where each side is cut into K: the first weight ascends by row, the second within one.
 *   Every other cell has its tip downwards.
 */

const SIDE = 600;
const TOP = 40;
const SHARP = 2;
const MOST_LETTERS = 24;

export const WIDTH = 720;
const LEFT = (WIDTH - SIDE) / 2;
const HIGH = SIDE * Math.sqrt(0.75);
export const HEIGHT = TOP + HIGH + 60;

/** @param {number} j */
const unit = j => [0, 1, 2].map(c => Number(c === j));

/**
 * @param {Shares} shares
 * @returns {[number, number]}
 */
export const place = ([a, , c]) => [LEFT + SIDE * (c + a / 2), TOP + HIGH * (1 - a)];

/**
 * The shares under a pointer, some of them negative where it is outside.
 *
 * @param {PointerEvent} event
 * @param {Element} picture
 * @returns {Shares}
 */
export function sharesAt(event, picture) {
  const box = picture.getBoundingClientRect();
  const a = 1 - (((event.clientY - box.top) * HEIGHT) / box.height - TOP) / HIGH;
  const c = (((event.clientX - box.left) * WIDTH) / box.width - LEFT) / SIDE - a / 2;
  return [a, 1 - a - c, c];
}

/** @param {Shares[][]} lines */
export const path = lines =>
  lines
    .map(
      line =>
        `M${line
          .map(w =>
            place(w)
              .map(x => x.toFixed(1))
              .join(" "),
          )
          .join("L")}`,
    )
    .join("");

/**
 * @param {number} K
 * @param {number} i
 * @param {number} m
 * @returns {Shares[]}
 */
export function corners(K, i, m) {
  const down = m % 2;
  const j = m >> 1;
  const k = K - 1 - down - i - j;
  const [o, p] = down ? [0, 1] : [1, 0];
  return [
    [(i + o) / K, (j + p) / K, (k + p) / K],
    [(i + p) / K, (j + o) / K, (k + p) / K],
    [(i + p) / K, (j + p) / K, (k + o) / K],
  ];
}

/**
 * @param {number} K
 * @param {number} i
 * @param {number} m
 * @returns {Shares}
 */
export function middle(K, i, m) {
  const a = (i + 0.5) / K;
  const b = (m / 2 + 0.25) / K;
  return [a, b, 1 - a - b];
}

/** @returns {{ canvas: HTMLCanvasElement, pen: CanvasRenderingContext2D }} */
export function canvas() {
  const element = el("canvas", { width: SHARP * WIDTH, height: SHARP * HEIGHT, "aria-hidden": "true" });
  const pen = /** @type {CanvasRenderingContext2D} */ (element.getContext("2d"));
  pen.scale(SHARP, SHARP);
  pen.lineWidth = 0.6; // over the seams that smoothed edges leave
  return { canvas: element, pen };
}

export const overlay = () => svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, "aria-hidden": "true", class: "chart" });

/**
 * @param {CanvasRenderingContext2D} pen
 * @param {Cell[]} cells
 * @param {(value: number) => string} color
 */
export function paint(pen, cells, color) {
  for (const { K, i, m, value } of cells) {
    pen.beginPath();
    for (const w of corners(K, i, m)) pen.lineTo(...place(w));
    pen.closePath();
    pen.fillStyle = pen.strokeStyle = color(value);
    pen.fill();
    pen.stroke();
  }
}

/**
 * The sides, lines of equal shares with their numbers, and the names of the features.
 *
 * @param {string[]} features
 * @returns {SVGElement[]}
 */
export function frame(features) {
  const marks = [];
  for (let j = 0; j < 3; j++) {
    for (const tick of [0.2, 0.4, 0.6, 0.8]) {
      const ends = [1, 2].map(next => unit(j).map((x, c) => (x ? tick : c === (j + next) % 3 ? 1 - tick : 0)));
      const [[x, y], [u, v]] = ends.map(place);
      const reach = 18 / Math.hypot(x - u, y - v);
      const at = { x: x + reach * (x - u), y: y + reach * (y - v) };
      marks.push(
        svg("path", { d: path([ends]), stroke: "white", "stroke-width": 0.6, opacity: 0.35 }),
        svg("text", { class: "tick", ...at, "text-anchor": "middle", "dominant-baseline": "middle" }, tick),
      );
    }
  }
  marks.push(svg("path", { class: "axis", d: path([[0, 1, 2, 0].map(unit)]), fill: "none" }));
  for (const [j, anchor, right, down] of /** @type {const} */ ([
    [0, "middle", 0, -14],
    [1, "start", -24, 46],
    [2, "end", 24, 46],
  ])) {
    const [x, y] = place(unit(j));
    const name = features[j];
    const at = { x: x + right, y: y + down, "text-anchor": anchor };
    marks.push(svg("text", { class: "corner", ...at }, svg("title", {}, name), cut(name, MOST_LETTERS)));
  }
  return marks;
}

/**
 * The outline of a plateau, which is seen on light and dark cells.
 *
 * @param {Shares[][]} lines
 */
export function outline(lines) {
  const both = { d: path(lines), fill: "none", "stroke-linecap": "round" };
  return [
    svg("path", { ...both, stroke: "white", "stroke-width": 4 }),
    svg("path", { ...both, stroke: "black", "stroke-width": 1.6 }),
  ];
}

/** @param {Shares} shares */
export function star(shares) {
  const [x, y] = place(shares);
  const points = Array.from({ length: 10 }, (_, i) => {
    const r = i % 2 ? 4.6 : 12;
    const angle = Math.PI * (i / 5 - 0.5);
    return `${x + r * Math.cos(angle)} ${y + r * Math.sin(angle)}`;
  });
  const look = { fill: "white", stroke: "black", "stroke-width": 1.4, "stroke-linejoin": "round" };
  return svg("path", { d: `M${points.join("L")}Z`, ...look });
}
