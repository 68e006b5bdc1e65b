// Every chart can be taken away: as SVG, as PNG, and its data as CSV.

import { ink } from "./colours.js";
import { el, svg } from "./dom.js";

const MARGIN = 12;
const STYLES = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-opacity", "opacity",
  "font-size", "font-family", "font-weight", "text-anchor", "dominant-baseline", "stroke-linejoin"];

// `picture()` gives an SVG element that is on the page, or one that needs no style sheet; `table()` rows of cells.
export function saveButtons(name, picture, table) {
  const button = (label, save) => el("button", { type: "button", class: "quiet", onclick: save,
    "aria-label": `Save as ${label}` }, label);
  return el("span", { class: "save" }, "save ",
    button("SVG", () => download(`${name()}.svg`, new Blob([standalone(picture())], { type: "image/svg+xml" }))),
    button("PNG", async () => download(`${name()}.png`, await raster(picture()))),
    button("CSV", () => download(`${name()}.csv`, new Blob([csv(table())], { type: "text/csv" }))));
}

export function download(name, blob) {
  const link = el("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

export const csv = rows => rows.map(row => row.map(cell => {
  const text = String(cell ?? "");
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}).join(",") + "\n").join("");

const sizeOf = ({ viewBox: { baseVal: { width, height } } }) => [width + 2 * MARGIN, height + 2 * MARGIN];

// A copy that carries its own styles and background.
function standalone(picture) {
  const copy = picture.cloneNode(true);
  const from = [picture, ...picture.querySelectorAll("*")], to = [copy, ...copy.querySelectorAll("*")];
  from.forEach((element, i) => {
    if (!element.isConnected) return;
    const style = getComputedStyle(element);
    STYLES.forEach(property => to[i].setAttribute(property, style.getPropertyValue(property)));
  });
  const [width, height] = sizeOf(picture), corner = { x: -MARGIN, y: -MARGIN };
  const frame = { xmlns: "http://www.w3.org/2000/svg", viewBox: `${corner.x} ${corner.y} ${width} ${height}`, width, height };
  for (const [name, value] of Object.entries(frame)) copy.setAttribute(name, value);
  copy.prepend(svg("rect", { ...corner, width, height, fill: ink("paper") }));
  return new XMLSerializer().serializeToString(copy);
}

async function raster(picture) {
  const [width, height] = sizeOf(picture);
  const image = new Image(width, height);
  image.src = URL.createObjectURL(new Blob([standalone(picture)], { type: "image/svg+xml" }));
  await image.decode();
  const canvas = el("canvas", { width: 2 * width, height: 2 * height });
  canvas.getContext("2d").drawImage(image, 0, 0, 2 * width, 2 * height);
  URL.revokeObjectURL(image.src);
  return new Promise(resolve => canvas.toBlob(resolve));
}
