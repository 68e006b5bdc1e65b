// A metric surface: the value of the cell under the mouse or the arrow keys.

import { VIRIDIS_STOPS, viridis } from "../../_pages/charts/colors.js";
import { byId, svg } from "../../_pages/charts/elements.js";
import { number } from "../../_pages/charts/numbers.js";
import {
  canvas,
  corners,
  frame,
  middle,
  outline,
  overlay,
  paint,
  path,
  place,
  sharesAt,
  star,
} from "../../_pages/charts/triangle.js";

/** @import { Cell, Shares } from "../../_pages/charts/triangle.js" */

/**
 * @typedef {{
 *   features: string[], metric: string, resolution: number, values: number[],
 *   plateau: number[], plateauShare: number, outline: Shares[][],
 *   below: { share: number, triangles: Shares[][] } | null,
 *   optimum: { weights: Shares, value: number, standardError: number },
 *   marks: { label: string, weights: Shares, value: number }[],
 * }} Surface as surface_page.py writes it
 */

const SHAPES = ["●", "◆", "■", "▲"]; // marks differ by shape, not by color alone

/** @type {Surface} */
const surface = JSON.parse(byId("surface").textContent ?? "");
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

// The picture

const cells = Array.from({ length: K }, (_, i) =>
  Array.from({ length: rowLength(i) }, (_, m) => ({ K, i, m, value: values[rowStart(i) + m] })),
).flat();
const { canvas: painting, pen } = canvas();
paint(pen, cells, color);

const cursor = svg("path", { fill: "none", stroke: "#d6246e", "stroke-width": 2.5, "stroke-linejoin": "round" });
const drawing = overlay();
if (below) {
  // One path, so that no side between two triangles is shaded twice.
  const d = below.triangles.map(triangle => `${path([triangle])}Z`).join("");
  drawing.append(svg("path", { d, fill: "black", opacity: 0.3, "shape-rendering": "crispEdges" }));
}
drawing.append(...frame(features), ...outline(surface.outline), star(optimum.weights));
surface.marks.forEach((mark, n) => {
  const [x, y] = place(mark.weights);
  drawing.append(svg("text", { x, y, class: "mark" }, SHAPES[n % SHAPES.length]));
});
drawing.append(cursor);
const picture = byId("picture");
picture.append(painting, drawing);

// The texts

/** @param {Shares} weights */
const named = weights => features.map((name, j) => `${name} ${number(weights[j], 3)}`).join(", ");

/** @param {number} share */
const percent = share => `${(100 * share).toFixed(0)}%`;

/**
 * @param {string} id
 * @param {string} text
 */
const write = (id, text) => {
  byId(id).textContent = text;
};

const listed = features.join(", ");
const marks = surface.marks.map(
  (mark, n) => `${SHAPES[n % SHAPES.length]} ${mark.label} ${number(mark.value)} at ${named(mark.weights)}`,
);
document.title = `${metric} over ${listed}`;
write("heading", `${metric} over the weights of ${listed}`);
write("best", `★ best ${number(optimum.value)} at ${named(optimum.weights)}`);
write(
  "share",
  `Outlined: the plateau, ${percent(surface.plateauShare)} of all weights, within ` +
    `one standard error (${number(optimum.standardError)}) of the best`,
);
if (below) write("below", `Shaded: ${percent(below.share)} of all weights, proven to be below the plateau`);
write("marks", marks.join("; "));
write("low", number(low));
write("high", number(high));
byId("bar").style.background = `linear-gradient(to right, ${VIRIDIS_STOPS.map(([, stop]) => stop)})`;
picture.setAttribute("aria-label", `${metric} over the weights of ${listed}, a triangle of cells`);

// The cell that is shown

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
  write("here", `${number(values[cell])} at ${named(middle(K, i, m))}${where}`);
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
