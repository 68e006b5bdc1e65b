// The metric as one system's weight is exchanged for another's: an exact step function, shaded where it is within one
// standard error of the best, with places marked from left to right and a value across.

import { extent, joined, roomy, ticks } from "./axes.js";
import { svg } from "./elements.js";
import { number } from "./numbers.js";
import { label, plot } from "./plot.js";

/** @import { Kind } from "./gains.js" */
/** @import { Columns } from "./steps.js" */
/**
 * @typedef {{
 *   steps: Columns, marks: { at: number, label: string, kind: Kind }[], floor: number, current: number,
 *   range?: number[], titles: [string, string],
 * }} Exchange
 *   `floor` is the lowest value that is shaded, `current` a value to draw a line at, `range` the least and the greatest
 *   value where charts share an axis, `titles` are those of the axes
 */

const LEFT = 56;
const TOP = 44;
const HEIGHT = 240;
const TOLD = 60; // places that the arrow keys stop at

/** @param {Exchange} options */
export function exchangePlot({ steps: { edges, lows, highs }, marks: places, floor, current, range, titles }) {
  const [from, until] = [edges[0], edges[edges.length - 1]];
  const [least, greatest] = range ?? [extent(lows)[0], extent(highs)[1]];
  const best = highs.indexOf(extent(highs)[1]);
  const [low, high] = roomy(extent([least, greatest, current]));
  return plot({
    label:
      `${titles[1]} by ${titles[0]}: highest ${number(highs[best])} at ${number(edges[best], 3)}, ` +
      `${number(highs[0])} at ${number(from, 2)}, ${number(highs[highs.length - 1])} at ${number(until, 2)}`,
    across: true,
    draw(width) {
      const right = width - 10;
      /** @param {number} value */
      const x = value => LEFT + ((right - LEFT) * (value - from)) / (until - from || 1);
      /** @param {number} value */
      const y = value => TOP + ((HEIGHT - TOP) * (high - value)) / (high - low || 1);
      const grid = [
        ...ticks(low, high, 4).flatMap(([tick, text]) => [
          svg("path", { class: "plot-grid", d: `M${LEFT} ${y(tick)}H${right}` }),
          label("plot-tick", LEFT - 8, y(tick), text, { anchor: "end" }),
        ]),
        ...ticks(from, until, Math.max(2, width / 90)).map(([tick, text]) =>
          label("plot-tick", x(tick), HEIGHT + 14, text, { anchor: "middle" }),
        ),
        label("plot-axis", 0, 10, `↑ ${titles[1]}`),
        label("plot-axis", right, HEIGHT + 32, `${titles[0]} →`, { anchor: "end" }),
      ];
      const shaded = reaching(highs, floor).map(([first, last]) =>
        svg("rect", {
          class: "plot-best",
          x: x(edges[first]),
          y: TOP,
          width: Math.max(x(edges[last]) - x(edges[first]), 0.5),
          height: HEIGHT - TOP,
        }),
      );
      /** @param {number[]} values */
      const along = values =>
        values.flatMap((value, i) => [
          [x(edges[i]), y(value)],
          [x(edges[i + 1]), y(value)],
        ]);
      const band = lows.some((value, i) => value !== highs[i])
        ? svg("path", { class: "plot-band", d: `${joined([...along(highs), ...along(lows).reverse()])}Z` })
        : null;
      const level = svg("path", { class: "plot-level", d: `M${LEFT} ${y(current)}H${right}` });
      const uprights = places.map(({ at, label: name, kind }, i) => {
        const end = x(at) > width / 2;
        return svg(
          "g",
          { class: `plot-${kind}` },
          svg("path", { class: "plot-upright", d: `M${x(at)} ${TOP - 14 * (i % 2)}V${HEIGHT}` }),
          label("plot-name", x(at) + (end ? -4 : 4), TOP - 8 - 14 * (i % 2), name, { anchor: end ? "end" : "start" }),
        );
      });
      const every = Math.max(1, Math.round(highs.length / TOLD));
      const marks = highs.flatMap((value, i) => {
        if (i % every && i !== best) return [];
        const at = (edges[i] + edges[i + 1]) / 2;
        const told = lows[i] === value ? number(value) : `${number(lows[i])} to ${number(value)}`;
        return { x: x(at), y: y(value), text: `${number(at, 3)}: ${told}${value >= floor ? ", within 1 s.e." : ""}` };
      });
      const steps = svg("path", { class: "plot-line", d: joined(along(highs)) });
      return { height: HEIGHT + 42, children: [...shaded, ...grid, band, level, steps, ...uprights], marks };
    },
  });
}

/**
 * The stretches in which values reach a floor: the first index of each, and the index after the last.
 *
 * @param {number[]} values
 * @param {number} floor
 */
function reaching(values, floor) {
  /** @type {[number, number][]} */
  const found = [];
  values.forEach((value, i) => {
    const last = found[found.length - 1];
    if (value < floor) return;
    if (last?.[1] === i) last[1] = i + 1;
    else found.push([i, i + 1]);
  });
  return found;
}
