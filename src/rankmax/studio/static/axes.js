// What charts share: round numbers along an axis, and the axes themselves.

import { short, svg } from "./dom.js";

export function ticks(low, high, about) {
  const rough = (high - low) / about, power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5].find(times => times * power >= rough) ?? 10);
  const first = Math.ceil(low / step), last = Math.floor(high / step + 1e-9);
  return Array.from({ length: last - first + 1 }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}

// A panel with axes: `x` and `y` give places on the screen, `element` takes what is drawn.
export function panel({ left, top, width, height, xs: [x0, x1], ys: [y0, y1], xName, yName }) {
  const x = value => left + width * (value - x0) / (x1 - x0);
  const y = value => top + height * (1 - (value - y0) / (y1 - y0));
  const element = svg("g", {},
    ticks(y0, y1, 4).map(tick => [
      svg("path", { class: "grid", d: `M${left} ${y(tick)}h${width}` }),
      svg("text", { class: "tick", x: left - 6, y: y(tick), "text-anchor": "end", "dominant-baseline": "middle" }, short(tick))]).flat(),
    ticks(x0, x1, Math.max(2, width / 70)).map(tick => [
      svg("path", { class: "axis", d: `M${x(tick)} ${top + height}v4` }),
      svg("text", { class: "tick", x: x(tick), y: top + height + 17, "text-anchor": "middle" }, short(tick))]).flat(),
    svg("path", { class: "axis", d: `M${left} ${top + height}h${width}` }),
    svg("text", { class: "name", x: left + width / 2, y: top + height + 34, "text-anchor": "middle" }, xName),
    svg("text", { class: "name", x: left - 6, y: top - 8, "text-anchor": "start" }, yName));
  return { element, x, y, back: place => x0 + (x1 - x0) * (place - left) / width };
}
