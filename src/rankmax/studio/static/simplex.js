// The metric over all nonnegative weights of three features: a triangle of cells, drawn from coarse to fine as rows
// arrive, with an outline of the plateau, a star at the optimum and a point to drag.

import { VIRIDIS_STOPS, viridis } from "./charts/colors.js";
import { el, svg } from "./charts/elements.js";
import { number } from "./charts/numbers.js";
import {
  canvas,
  corners,
  frame,
  HEIGHT,
  middle,
  outline,
  overlay,
  paint,
  path,
  place,
  sharesAt,
  star,
  WIDTH,
} from "./charts/triangle.js";
import { ink } from "./dom.js";
import { hideTip, showTip } from "./tip.js";

/** @import { Optimum, Row } from "./answers.js" */
/** @import { Cell, Shares } from "./charts/triangle.js" */

const STEP = 0.01;
const CELLS_A_FRAME = 800;
const BAR = { x: 24, y: 46, width: 16, height: 130 };
/** @type {Record<string, Shares>} */
const MOVES = {
  ArrowUp: [STEP, -STEP / 2, -STEP / 2],
  ArrowDown: [-STEP, STEP / 2, STEP / 2],
  ArrowLeft: [0, STEP, -STEP],
  ArrowRight: [0, -STEP, STEP],
};

/**
 * @param {number} K
 * @param {number} i
 * @param {number[]} values
 * @returns {Cell[]}
 */
const cellsOf = (K, i, values) => values.map((value, m) => ({ K, i, m, value }));

export class Simplex {
  /** @type {string[]} */
  features = ["", "", ""];
  metric = "";
  /** @type {Map<number, number[][]>} rows of values by resolution */
  levels = new Map();
  low = Infinity;
  high = -Infinity;
  /** @type {Optimum | null} */
  optimum = null;
  /** @type {Cell[]} not painted yet */
  fresh = [];
  /** @type {Shares | null} */
  shares = null;
  /** @type {number | null} */
  waiting = null;
  isRescaled = false;

  /** @param {{ move: (shares: Shares) => void }} options `move` is called with the new shares */
  constructor({ move }) {
    const { canvas: picture, pen } = canvas();
    this.move = move;
    this.canvas = picture;
    this.pen = pen;
    this.overlay = overlay();
    this.element = el(
      "div",
      { class: "simplex", tabindex: 0, role: "application", "data-tips": "" },
      picture,
      this.overlay,
    );
    this.point = svg(
      "g",
      {},
      svg("circle", { r: 10, fill: "#d55e00", "fill-opacity": 0.9, stroke: "white", "stroke-width": 3 }),
      svg("circle", { r: 12, fill: "none", stroke: "black", "stroke-width": 1.2 }),
    );
    this.element.addEventListener("pointerdown", event => {
      this.element.setPointerCapture(event.pointerId);
      this.go(sharesAt(event, picture));
    });
    this.element.addEventListener("pointermove", event => {
      const shares = sharesAt(event, picture);
      if (event.buttons) this.go(shares);
      else if (shares.every(share => share >= 0)) showTip(event, this.told(shares));
      else hideTip();
    });
    this.element.addEventListener("pointerleave", hideTip);
    this.element.addEventListener("keydown", event => this.key(event));
    const size = new ResizeObserver(() => {
      this.element.style.setProperty("--unit", String(WIDTH / (this.element.clientWidth || WIDTH)));
    });
    size.observe(this.element); // text keeps its size, whatever that of the picture
  }

  /**
   * @param {string[]} features
   * @param {string} metric
   */
  begin(features, metric) {
    this.features = features;
    this.metric = metric;
    this.levels = new Map();
    this.low = Infinity;
    this.high = -Infinity;
    this.optimum = null;
    this.fresh = [];
    const label = `${metric} over the weights of ${features.join(", ")}. Arrow keys move the weights.`;
    this.element.setAttribute("aria-label", label);
    this.pen.clearRect(0, 0, WIDTH, HEIGHT);
    this.draw();
  }

  /** @param {Row} row */
  row({ resolution, row, values }) {
    const rows = this.levels.get(resolution) ?? [];
    this.levels.set(resolution, rows);
    rows[row] = values;
    this.fresh.push(...cellsOf(resolution, row, values));
    const low = Math.min(this.low, ...values);
    const high = Math.max(this.high, ...values);
    this.isRescaled ||= low < this.low || high > this.high;
    this.low = low;
    this.high = high;
    this.waiting ??= requestAnimationFrame(() => this.catchUp());
  }

  // Paints new cells, and all cells again only when the colors have changed; some in each frame, so that the page stays
  // responsive.
  catchUp() {
    if (this.isRescaled) {
      this.fresh = this.cells;
      this.isRescaled = false;
      this.draw();
    }
    paint(this.pen, this.fresh.splice(0, CELLS_A_FRAME), value => this.color(value));
    this.waiting = this.fresh.length ? requestAnimationFrame(() => this.catchUp()) : null;
  }

  /** @param {Optimum} optimum */
  finish(optimum) {
    this.optimum = optimum;
    this.draw();
  }

  /**
   * Moves only the point: dragging must not repaint thousands of cells.
   *
   * @param {Shares | null} shares
   */
  show(shares) {
    this.shares = shares;
    const words = shares ? this.features.map((name, j) => `${name} ${number(shares[j], 2)}`).join(", ") : "outside";
    this.element.setAttribute("aria-description", words);
    this.point.setAttribute("display", shares ? "inline" : "none");
    if (shares) this.point.setAttribute("transform", `translate(${place(shares)})`);
  }

  get cells() {
    return [...this.levels]
      .sort(([a], [b]) => a - b)
      .flatMap(([K, rows]) => rows.flatMap((values, i) => cellsOf(K, i, values)));
  }

  get finestCells() {
    const finest = Math.max(...this.levels.keys());
    return this.cells.filter(cell => cell.K === finest);
  }

  /**
   * The shares at a place, and the value of the cell that it is in.
   *
   * @param {Shares} shares
   */
  told(shares) {
    const words = this.features.map((name, j) => `${name} ${number(shares[j], 2)}`).join(", ");
    for (const [K, rows] of [...this.levels].sort(([a], [b]) => b - a)) {
      const [a, b] = shares.map(share => Math.min(share, 1 - 1e-9) * K);
      const isDown = (a % 1) + (b % 1) > 1;
      const value = rows[Math.floor(a)]?.[2 * Math.floor(b) + Number(isDown)];
      if (value !== undefined) return `${words}: ${this.metric} ${number(value)}`;
    }
    return words;
  }

  /** @param {number} value */
  color(value) {
    return viridis(this.high > this.low ? (value - this.low) / (this.high - this.low) : 0);
  }

  draw() {
    this.overlay.replaceChildren(...this.marks(), this.point);
  }

  /**
   * The colors from the lowest value to the highest, in the free corner.
   *
   * @returns {SVGElement[]}
   */
  scale() {
    if (!Number.isFinite(this.low)) return [];
    const { x, y, width, height } = BAR;
    const stops = VIRIDIS_STOPS.map(([offset, color]) => svg("stop", { offset, "stop-color": color }));
    /**
     * @param {number} right
     * @param {number} down
     * @param {string} words
     */
    const text = (right, down, words) =>
      svg("text", { class: "tick", x: x + right, y: y + down, "dominant-baseline": "middle" }, words);
    return [
      text(0, -18, this.metric),
      text(width + 8, 6, number(this.high)),
      text(width + 8, height - 6, number(this.low)),
      svg("linearGradient", { id: "values", x1: 0, x2: 0, y1: 1, y2: 0 }, stops),
      svg("rect", { ...BAR, fill: "url(#values)" }),
    ];
  }

  marks() {
    const marks = [...this.scale(), ...frame(this.features)];
    if (this.optimum) marks.push(...outline(this.optimum.outline ?? []), star(this.optimum.weights));
    return marks;
  }

  // The same picture as one SVG, the cells included.
  picture() {
    const cells = this.finestCells.map(({ K, i, m, value }) => {
      const color = this.color(value);
      return svg("path", { d: `${path([corners(K, i, m)])}Z`, fill: color, stroke: color, "stroke-width": 0.6 });
    });
    const marks = this.marks();
    for (const mark of marks) {
      if (mark.tagName === "text") mark.setAttribute("fill", ink("ink"));
      if (mark.classList.contains("axis")) mark.setAttribute("stroke", ink("soft"));
    }
    const look = { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, "font-family": "sans-serif", "font-size": 14 };
    return svg("svg", look, cells, marks, this.point.cloneNode(true));
  }

  /** @returns {(string | number)[][]} */
  table() {
    const rows = this.finestCells.map(({ K, i, m, value }) => [...middle(K, i, m), value]);
    return [[...this.features, this.metric], ...rows];
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const here = this.shares ?? [1 / 3, 1 / 3, 1 / 3];
    if (event.key === "Home" && this.optimum) this.go(this.optimum.weights);
    else if (event.key in MOVES) this.go(here.map((x, j) => x + MOVES[event.key][j]));
    else return;
    event.preventDefault();
  }

  /** @param {Shares} shares some of them may be negative */
  go(shares) {
    const kept = shares.map(x => Math.max(0, x));
    const sum = kept[0] + kept[1] + kept[2];
    if (sum > 0) this.move(kept.map(x => x / sum));
  }
}
