// The metric over all nonnegative weights of three features: a triangle of cells on a canvas, drawn from coarse to
// fine as rows arrive, with an outline of the plateau, a star at the optimum and a point to drag.

import { VIRIDIS_STOPS, ink, viridis } from "./colours.js";
import { cut, el, number, svg } from "./dom.js";

const WIDTH = 720, SIDE = 600, TOP = 40, LEFT = (WIDTH - SIDE) / 2, HIGH = SIDE * Math.sqrt(0.75), HEIGHT = TOP + HIGH + 60;
const SHARP = 2, STEP = 0.01, MOST_LETTERS = 24, CELLS_A_FRAME = 800;
const BAR = { x: 24, y: 46, width: 16, height: 130 };
const unit = j => [0, 1, 2].map(c => Number(c === j));

// The first feature's corner is at the top, the second's on the left, the third's on the right.
const place = ([a, , c]) => [LEFT + SIDE * (c + a / 2), TOP + HIGH * (1 - a)];
const path = lines => lines.map(line => "M" + line.map(w => place(w).map(x => x.toFixed(1)).join(" ")).join("L")).join("");

// Cells lie row by row, the first weight ascending, then the second; every other one has its tip downwards.
function corners(K, i, m) {
  const down = m % 2, j = m >> 1, k = K - 1 - down - i - j;
  const [o, p] = down ? [0, 1] : [1, 0];
  return [[(i + o) / K, (j + p) / K, (k + p) / K], [(i + p) / K, (j + o) / K, (k + p) / K], [(i + p) / K, (j + p) / K, (k + o) / K]];
}

const cellsOf = (K, i, values) => values.map((value, m) => ({ K, i, m, value }));

export class Simplex {
  constructor({ move }) {
    this.canvas = el("canvas", { width: SHARP * WIDTH, height: SHARP * HEIGHT, "aria-hidden": "true" });
    this.overlay = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, "aria-hidden": "true", class: "chart" });
    this.element = el("div", { class: "simplex", tabindex: 0, role: "application" }, this.canvas, this.overlay);
    this.pen = this.canvas.getContext("2d");
    this.pen.scale(SHARP, SHARP);
    this.pen.lineWidth = 0.6;  // over the seams that smoothed edges leave
    this.point = svg("g", {}, svg("circle", { r: 10, fill: "#d55e00", "fill-opacity": 0.9, stroke: "white", "stroke-width": 3 }),
      svg("circle", { r: 12, fill: "none", stroke: "black", "stroke-width": 1.2 }));
    Object.assign(this, { move, waiting: null, rescaled: false });
    this.element.addEventListener("pointerdown", event => {
      this.element.setPointerCapture(event.pointerId);
      this.drag(event);
    });
    this.element.addEventListener("pointermove", event => { if (event.buttons) this.drag(event); });
    this.element.addEventListener("keydown", event => this.key(event));
  }

  begin(features, metric) {
    Object.assign(this, { features, metric, levels: new Map(), low: Infinity, high: -Infinity, optimum: null, fresh: [] });
    this.element.setAttribute("aria-label", `${metric} over the weights of ${features.join(", ")}. Arrow keys move the weights.`);
    this.pen.clearRect(0, 0, WIDTH, HEIGHT);
    this.draw();
  }

  row({ resolution, row, values }) {
    if (!this.levels.has(resolution)) this.levels.set(resolution, []);
    this.levels.get(resolution)[row] = values;
    this.fresh.push(...cellsOf(resolution, row, values));
    const [low, high] = [Math.min(this.low, ...values), Math.max(this.high, ...values)];
    this.rescaled ||= low < this.low || high > this.high;
    Object.assign(this, { low, high });
    this.waiting ??= requestAnimationFrame(() => this.catchUp());
  }

  // Paints what has come, all of it anew only where its colours have changed; a part in each frame, so that nobody waits.
  catchUp() {
    if (this.rescaled) {
      this.fresh = this.cells;
      this.rescaled = false;
      this.draw();
    }
    this.paint(this.fresh.splice(0, CELLS_A_FRAME));
    this.waiting = this.fresh.length ? requestAnimationFrame(() => this.catchUp()) : null;
  }

  finish(optimum) { this.optimum = optimum; this.draw(); }

  // Only the point moves: a drag must not paint thousands of cells.
  show(shares) {
    this.shares = shares;
    this.point.setAttribute("display", shares ? "inline" : "none");
    if (shares) this.point.setAttribute("transform", `translate(${place(shares)})`);
  }

  get cells() {
    return [...this.levels].sort(([a], [b]) => a - b).flatMap(([K, rows]) => rows.flatMap((values, i) => cellsOf(K, i, values)));
  }

  colour(value) { return viridis(this.high > this.low ? (value - this.low) / (this.high - this.low) : 0); }

  paint(cells) {
    const { pen } = this;
    for (const { K, i, m, value } of cells) {
      pen.beginPath();
      for (const w of corners(K, i, m)) pen.lineTo(...place(w));
      pen.closePath();
      pen.fillStyle = pen.strokeStyle = this.colour(value);
      pen.fill();
      pen.stroke();
    }
  }

  draw() { this.overlay.replaceChildren(...this.marks(), this.point); }

  // The colours from the lowest value to the highest, in the free corner.
  scale() {
    if (!Number.isFinite(this.low)) return [];
    const { x, y, width, height } = BAR;
    const text = (right, down, words) => svg("text", { class: "tick", x: x + right, y: y + down, "dominant-baseline": "middle" }, words);
    return [text(0, -18, this.metric), text(width + 8, 6, number(this.high)), text(width + 8, height - 6, number(this.low)),
      svg("linearGradient", { id: "values", x1: 0, x2: 0, y1: 1, y2: 0 }, VIRIDIS_STOPS.map(([offset, colour]) => svg("stop", { offset, "stop-color": colour }))),
      svg("rect", { ...BAR, fill: "url(#values)" })];
  }

  marks() {
    const marks = this.scale();
    for (let j = 0; j < 3; j++) for (const tick of [0.2, 0.4, 0.6, 0.8]) {
      const ends = [1, 2].map(next => unit(j).map((x, c) => x ? tick : c === (j + next) % 3 ? 1 - tick : 0));
      const [[x, y], [u, v]] = ends.map(place), reach = 18 / Math.hypot(x - u, y - v);
      marks.push(svg("path", { d: path([ends]), stroke: "white", "stroke-width": 0.6, opacity: 0.35 }),
        svg("text", { class: "tick", x: x + reach * (x - u), y: y + reach * (y - v), "text-anchor": "middle", "dominant-baseline": "middle" }, tick));
    }
    marks.push(svg("path", { class: "axis", d: path([[0, 1, 2, 0].map(unit)]), fill: "none" }));
    [["middle", 0, -14], ["start", -24, 46], ["end", 24, 46]].forEach(([anchor, right, down], j) => {
      const [x, y] = place(unit(j));
      marks.push(svg("text", { class: "corner", x: x + right, y: y + down, "text-anchor": anchor }, svg("title", {}, this.features[j]), cut(this.features[j], MOST_LETTERS)));
    });
    if (this.optimum) {
      for (const [stroke, width] of [["white", 4], ["black", 1.6]])
        marks.push(svg("path", { d: path(this.optimum.outline), fill: "none", stroke, "stroke-width": width, "stroke-linecap": "round" }));
      marks.push(star(place(this.optimum.weights)));
    }
    return marks;
  }

  // The same picture as one SVG, the cells included.
  picture() {
    const finest = Math.max(...this.levels.keys());
    const cells = this.cells.filter(cell => cell.K === finest).map(({ K, i, m, value }) =>
      svg("path", { d: path([corners(K, i, m)]) + "Z", fill: this.colour(value), stroke: this.colour(value), "stroke-width": 0.6 }));
    return svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, "font-family": "sans-serif", "font-size": 14 }, cells, this.marks().map(mark => {
      if (mark.tagName === "text") mark.setAttribute("fill", ink("ink"));
      if (mark.classList.contains("axis")) mark.setAttribute("stroke", ink("soft"));
      return mark;
    }), this.point.cloneNode(true));
  }

  table() {
    const finest = Math.max(...this.levels.keys());
    return [[...this.features, this.metric], ...this.cells.filter(cell => cell.K === finest).map(({ K, i, m, value }) => {
      const a = (i + 0.5) / K, b = (m / 2 + 0.25) / K;
      return [a, b, 1 - a - b, value];
    })];
  }

  drag(event) {
    const box = this.canvas.getBoundingClientRect();
    const a = 1 - ((event.clientY - box.top) * HEIGHT / box.height - TOP) / HIGH;
    const c = ((event.clientX - box.left) * WIDTH / box.width - LEFT) / SIDE - a / 2;
    this.go([a, 1 - a - c, c]);
  }

  key(event) {
    const [a, b, c] = this.shares ?? [1 / 3, 1 / 3, 1 / 3];
    const moves = { ArrowUp: [STEP, -STEP / 2, -STEP / 2], ArrowDown: [-STEP, STEP / 2, STEP / 2],
      ArrowLeft: [0, STEP, -STEP], ArrowRight: [0, -STEP, STEP] };
    if (event.key === "Home" && this.optimum) this.go(this.optimum.weights);
    else if (moves[event.key]) this.go([a, b, c].map((x, j) => x + moves[event.key][j]));
    else return;
    event.preventDefault();
  }

  go(shares) {
    const kept = shares.map(x => Math.max(0, x)), sum = kept[0] + kept[1] + kept[2];
    if (sum > 0) this.move(kept.map(x => x / sum));
  }
}

function star([x, y]) {
  const points = Array.from({ length: 10 }, (_, i) => {
    const r = i % 2 ? 4.6 : 12, angle = Math.PI * (i / 5 - 0.5);
    return `${x + r * Math.cos(angle)} ${y + r * Math.sin(angle)}`;
  });
  return svg("path", { d: `M${points.join("L")}Z`, fill: "white", stroke: "black", "stroke-width": 1.4, "stroke-linejoin": "round" });
}
