// The frame of a chart: drawn at the width that there is, with a text alternative, and a tooltip for the mark that the
// mouse is nearest to or the arrow keys lead to.

import { el, svg } from "./elements.js";

/** @import { Child } from "./elements.js" */

/**
 * @typedef {{ x: number, y: number, text: string, pick?: () => void }} PlotMark
 *   Something that can be pointed at: its place, the text of its tooltip, and what a click or Enter does.
 */
/** @typedef {{ height: number, children: Child[], marks: PlotMark[] }} Drawing */
/** @typedef {(width: number) => Drawing} Draw */

const FIRST_WIDTH = 640; // until the page has one
const REACH = 60; // pixels from the mouse to a mark that it points at
const GAP = 12; // pixels between a mark and its tooltip

/**
 * @param {{ label: string, draw: Draw, across?: boolean }} options `label` says what the chart shows; `across` looks
 *   for the nearest mark from left to right alone
 * @returns {HTMLElement}
 */
export function plot({ label, draw, across = false }) {
  const picture = svg("svg", { role: "img", "aria-label": label, class: "plot-picture" });
  const tip = el("div", { class: "plot-tip", role: "status" });
  const holder = el("div", { class: "plot" }, picture, tip);
  const cursor = svg("circle", { class: "plot-cursor", r: 7 });
  let width = 0;
  let shown = -1;
  /** @type {Drawing} */
  let drawing = { height: 0, children: [], marks: [] };

  /** @param {number} available */
  function redraw(available) {
    width = available;
    drawing = draw(width);
    picture.setAttribute("viewBox", `0 0 ${width} ${drawing.height}`);
    picture.toggleAttribute("tabindex", false);
    if (drawing.marks.length) picture.setAttribute("tabindex", "0");
    picture.replaceChildren();
    for (const child of drawing.children.flat()) if (child instanceof Node) picture.append(child);
    picture.append(cursor);
    show(-1);
  }

  /** @param {number} index of a mark, -1 for none */
  function show(index) {
    shown = index;
    const mark = drawing.marks[index];
    tip.textContent = mark?.text ?? "";
    cursor.classList.toggle("shown", mark !== undefined);
    picture.classList.toggle("picks", mark?.pick !== undefined);
    if (!mark) return;
    const scale = picture.clientWidth / width || 1;
    cursor.setAttribute("cx", String(mark.x));
    cursor.setAttribute("cy", String(mark.y));
    const left = Math.max(0, Math.min(mark.x * scale - tip.offsetWidth / 2, holder.clientWidth - tip.offsetWidth));
    const above = mark.y * scale - GAP - tip.offsetHeight;
    tip.style.left = `${left}px`;
    tip.style.top = `${above < 0 ? mark.y * scale + GAP : above}px`;
  }

  /** @param {PointerEvent} event */
  function nearest(event) {
    const box = picture.getBoundingClientRect();
    const x = ((event.clientX - box.left) * width) / box.width;
    const y = ((event.clientY - box.top) * width) / box.width;
    let [found, least] = [-1, REACH];
    drawing.marks.forEach((mark, i) => {
      const distance = across ? Math.abs(mark.x - x) : Math.hypot(mark.x - x, mark.y - y);
      if (distance < least) [found, least] = [i, distance];
    });
    return found;
  }

  picture.addEventListener("pointermove", event => {
    const index = nearest(event);
    if (index !== shown) show(index);
  });
  picture.addEventListener("pointerleave", () => show(-1));
  picture.addEventListener("blur", () => show(-1));
  picture.addEventListener("click", () => drawing.marks[shown]?.pick?.());
  picture.addEventListener("keydown", event => {
    const last = drawing.marks.length - 1;
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (step) show(shown < 0 && step < 0 ? last : Math.max(0, Math.min(last, shown + step)));
    else if (event.key === "Home") show(0);
    else if (event.key === "End") show(last);
    else if (event.key === "Enter") drawing.marks[shown]?.pick?.();
    else if (event.key === "Escape") show(-1);
    else return;
    event.preventDefault();
  });
  redraw(FIRST_WIDTH);
  // In the next frame, as drawing may change the width of the observed element.
  new ResizeObserver(() =>
    requestAnimationFrame(() => {
      if (holder.clientWidth && holder.clientWidth !== width) redraw(holder.clientWidth);
    }),
  ).observe(holder);
  return holder;
}

/**
 * @param {string} kind
 * @param {number} x
 * @param {number} y
 * @param {string} words
 * @param {{ anchor?: "start" | "middle" | "end" }} [how]
 */
export function label(kind, x, y, words, { anchor = "start" } = {}) {
  return svg("text", { class: kind, x, y, "text-anchor": anchor, "dominant-baseline": "central" }, words);
}
