// The metric over all weights of three features: a triangle of cells, whose values the mouse or the arrow keys show.

import { VIRIDIS_STOPS, viridis } from "./colors.js";
import { el, svg } from "./elements.js";
import { number } from "./numbers.js";
import { canvas, corners, frame, middle, outline, overlay, paint, path, place, sharesAt, star } from "./triangle.js";
import { diamond } from "./weights.js";

/** @import { Kind } from "./gains.js" */
/** @import { Cell, Shares } from "./triangle.js" */

/**
 * @typedef {{
 *   features: string[], metric: string, resolution: number, values: number[],
 *   plateau: number[], plateauShare: number, outline: Shares[][],
 *   below: { share: number, triangles: Shares[][] } | null,
 *   optimum: { weights: Shares, value: number, standardError: number },
 * }} Surface as workflows/surface/surface_page.py makes it
 */
/** @typedef {{ label: string, kind: Kind, weights: Shares, value: number }} SurfaceMark */

/** @param {number} share */
export const percent = share => `${(100 * share).toFixed(0)}%`;

/**
 * @param {string[]} features
 * @param {number[]} weights
 */
export const namedWeights = (features, weights) =>
  features.map((name, j) => `${name} ${number(weights[j], 3)}`).join(", ");

/**
 * What there is to say about a surface, a sentence each.
 *
 * @param {Surface} surface
 */
export function surfaceTexts({ features, optimum, plateauShare, below }) {
  return [
    `★ best ${number(optimum.value)} at ${namedWeights(features, optimum.weights)}`,
    `Outlined: the plateau, ${percent(plateauShare)} of all weights, within ` +
      `one standard error (${number(optimum.standardError)}) of the best`,
    ...(below ? [`Shaded: ${percent(below.share)} of all weights, proven to be below the plateau`] : []),
  ];
}

/**
 * @param {Surface} surface
 * @param {SurfaceMark[]} [marks] weights to show, by name
 * @returns {HTMLElement}
 */
export function surfaceFigure(surface, marks = []) {
  const { features, metric, resolution: K, values, optimum, below } = surface;
  const plateau = new Set(surface.plateau);
  const low = values.reduce((a, b) => Math.min(a, b));
  const high = values.reduce((a, b) => Math.max(a, b));

  /** @param {number} value */
  const color = value => viridis(high > low ? (value - low) / (high - low) : 0);

  /** @param {number} i */
  const rowStart = i => i * (2 * K - i);

  /** @param {number} i */
  const rowLength = i => 2 * (K - i) - 1;

  const cells = Array.from({ length: K }, (_, i) =>
    Array.from({ length: rowLength(i) }, (_, m) => ({ K, i, m, value: values[rowStart(i) + m] })),
  ).flat();
  const { canvas: painting, pen } = canvas();
  paint(pen, cells, color);

  const cursor = svg("path", { class: "surface-cursor" });
  const drawing = overlay();
  if (below) {
    // One path, so that no side between two triangles is shaded twice.
    const d = below.triangles.map(triangle => `${path([triangle])}Z`).join("");
    drawing.append(svg("path", { d, fill: "black", opacity: 0.3, "shape-rendering": "crispEdges" }));
  }
  drawing.append(...frame(features), ...outline(surface.outline), star(optimum.weights));
  for (const { label, kind, weights } of marks) drawing.append(...marked(label, kind, weights));
  drawing.append(cursor);

  const how =
    "Point at a cell, or focus the triangle and use the arrow keys; Home jumps to the best cell. A corner gives one " +
    "feature all the weight, and the opposite side none. Each cell shows the mean of the metric across it.";
  const told = [
    `${metric} over the weights of ${features.join(", ")}, a triangle of cells.`,
    `Best ${number(optimum.value)} at ${namedWeights(features, optimum.weights)}.`,
    ...marks.map(({ label, weights, value }) => `${label} ${number(value)} at ${namedWeights(features, weights)}.`),
  ];
  const picture = el(
    "div",
    { class: "surface-picture", tabindex: 0, role: "img", "aria-label": told.join(" ") },
    painting,
    drawing,
  );
  const here = el("p", { class: "surface-here", role: "status" });
  const bar = el("div", { class: "surface-bar" });
  bar.style.background = `linear-gradient(to right, ${VIRIDIS_STOPS.map(([, stop]) => stop)})`;
  const scale = el("div", { class: "surface-scale" }, el("span", {}, number(low)), bar, el("span", {}, number(high)));
  let shown = { i: 0, m: 0 };

  /**
   * @param {number} row
   * @param {number} along
   */
  function show(row, along) {
    const i = Math.max(0, Math.min(K - 1, row));
    const m = Math.max(0, Math.min(rowLength(i) - 1, along));
    const cell = rowStart(i) + m;
    shown = { i, m };
    cursor.setAttribute("d", `${path([corners(K, i, m)])}Z`);
    const where = plateau.has(cell) ? ", on the plateau" : "";
    here.textContent = `${number(values[cell])} at ${namedWeights(features, middle(K, i, m))}${where}`;
  }

  function showBest() {
    const best = /** @type {Cell} */ (cells.find(cell => cell.value === high));
    show(best.i, best.m);
  }

  picture.addEventListener("pointermove", event => {
    const shares = sharesAt(event, painting);
    if (Math.min(...shares) < 0) return;
    const [i, j, k] = shares.map(x => Math.min(K - 1, Math.floor(K * x)));
    show(i, 2 * j + Number(i + j + k < K - 1));
  });
  picture.addEventListener("keydown", event => {
    const { i, m } = shown;
    // One row up, the cells start half a cell further right, so the cell above has an index less by one.
    if (event.key === "ArrowLeft") show(i, m + 1);
    else if (event.key === "ArrowRight") show(i, m - 1);
    else if (event.key === "ArrowUp") show(i + 1, m - 1);
    else if (event.key === "ArrowDown") show(i - 1, m + 1);
    else if (event.key === "Home") showBest();
    else return;
    event.preventDefault();
  });
  showBest();
  return el("div", { class: "surface" }, here, picture, scale, el("p", { class: "soft" }, how));
}

/**
 * Weights and their name, which are seen on light and dark cells; a shape says the same as the color.
 *
 * @param {string} name
 * @param {Kind} kind
 * @param {Shares} weights
 * @returns {SVGElement[]}
 */
function marked(name, kind, weights) {
  const [x, y] = place(weights);
  const shape =
    kind === "current"
      ? svg("path", { d: diamond(x, y, 11) })
      : svg("circle", { cx: x, cy: y, r: kind === "pick" ? 9 : 6 });
  shape.setAttribute("class", `surface-mark surface-${kind}`);
  const isRight = weights[2] > weights[1];
  const text = { x: x + (isRight ? -16 : 16), y: y + 5, "text-anchor": isRight ? "end" : "start" };
  return [shape, svg("text", { class: "surface-label", ...text }, name)];
}
