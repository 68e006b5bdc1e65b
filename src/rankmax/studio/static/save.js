// Every chart can be taken away: as SVG, as PNG, and its data as CSV.

import { el } from "./dom.js";

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

// A copy that carries its own styles and background.
function standalone(picture) {
  const copy = picture.cloneNode(true);
  const from = [picture, ...picture.querySelectorAll("*")], to = [copy, ...copy.querySelectorAll("*")];
  from.forEach((element, i) => {
    if (!element.isConnected) return;
    const style = getComputedStyle(element);
    STYLES.forEach(property => to[i].setAttribute(property, style.getPropertyValue(property)));
  });
  const { width, height } = picture.viewBox.baseVal;
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("width", width);
  copy.setAttribute("height", height);
  const paper = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  for (const [key, value] of Object.entries({ width, height, fill: getComputedStyle(document.body).backgroundColor }))
    paper.setAttribute(key, value);
  copy.prepend(paper);
  return new XMLSerializer().serializeToString(copy);
}

async function raster(picture) {
  const { width, height } = picture.viewBox.baseVal;
  const image = new Image(width, height);
  image.src = URL.createObjectURL(new Blob([standalone(picture)], { type: "image/svg+xml" }));
  await image.decode();
  const canvas = el("canvas", { width: 2 * width, height: 2 * height });
  canvas.getContext("2d").drawImage(image, 0, 0, 2 * width, 2 * height);
  URL.revokeObjectURL(image.src);
  return new Promise(resolve => canvas.toBlob(resolve));
}
