// Saving of charts as SVG and PNG, and of their data as CSV.

import { el, svg } from "./charts/elements.js";
import { ink } from "./dom.js";

/** @typedef {(string | number | null | undefined)[][]} Table Rows of cells, the names of the columns first. */

const MARGIN = 12;
// biome-ignore format: a table
const STYLES = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-opacity", "opacity",
  "font-size", "font-family", "font-weight", "text-anchor", "dominant-baseline", "stroke-linejoin"];

/**
 * @param {() => string} name
 * @param {() => SVGSVGElement} picture an element of the page, or one that needs no style sheet
 * @param {() => Table} table
 */
export function saveButtons(name, picture, table) {
  /**
   * @param {string} label
   * @param {() => void} save
   */
  const button = (label, save) =>
    el("button", { type: "button", class: "quiet", onclick: save, "aria-label": `Save as ${label}` }, label);
  return el(
    "span",
    { class: "save" },
    "Save as ",
    button("SVG", () => download(`${name()}.svg`, new Blob([standalone(picture())], { type: "image/svg+xml" }))),
    button("PNG", async () => download(`${name()}.png`, await raster(picture()))),
    button("CSV", () => download(`${name()}.csv`, csv(table()))),
  );
}

/**
 * @param {string} name
 * @param {Blob} blob
 */
export function download(name, blob) {
  const link = el("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** @param {Table} rows */
export function csv(rows) {
  const lines = rows.map(row => `${row.map(cell => quoted(String(cell ?? ""))).join(",")}\n`);
  return new Blob([lines.join("")], { type: "text/csv" });
}

/** @param {string} text */
const quoted = text => (/[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** @param {SVGSVGElement} picture */
function sizeOf(picture) {
  const { width, height } = picture.viewBox.baseVal;
  return [width + 2 * MARGIN, height + 2 * MARGIN];
}

/**
 * A copy that carries its own styles and background.
 *
 * @param {SVGSVGElement} picture
 */
function standalone(picture) {
  const copy = /** @type {SVGSVGElement} */ (picture.cloneNode(true));
  const from = [picture, ...picture.querySelectorAll("*")];
  const to = [copy, ...copy.querySelectorAll("*")];
  from.forEach((element, i) => {
    if (!element.isConnected) return;
    const style = getComputedStyle(element);
    for (const property of STYLES) to[i].setAttribute(property, style.getPropertyValue(property));
  });
  const [width, height] = sizeOf(picture);
  const corner = { x: -MARGIN, y: -MARGIN };
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("viewBox", `${corner.x} ${corner.y} ${width} ${height}`);
  copy.setAttribute("width", String(width));
  copy.setAttribute("height", String(height));
  copy.prepend(svg("rect", { ...corner, width, height, fill: ink("paper") }));
  return new XMLSerializer().serializeToString(copy);
}

/**
 * @param {SVGSVGElement} picture
 * @returns {Promise<Blob>}
 */
async function raster(picture) {
  const [width, height] = sizeOf(picture);
  const image = new Image(width, height);
  image.src = URL.createObjectURL(new Blob([standalone(picture)], { type: "image/svg+xml" }));
  await image.decode();
  const canvas = el("canvas", { width: 2 * width, height: 2 * height });
  canvas.getContext("2d")?.drawImage(image, 0, 0, 2 * width, 2 * height);
  URL.revokeObjectURL(image.src);
  return new Promise((resolve, reject) => {
    canvas.toBlob(blob => (blob ? resolve(blob) : reject(new Error("the browser cannot render this picture"))));
  });
}
