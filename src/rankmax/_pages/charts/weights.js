// Weights with their uncertainty: for each, the best ones for resampled queries as a histogram, the interval that holds
// most of these, and what was learned.

import { svg } from "./elements.js";
import { number } from "./numbers.js";
import { label, plot } from "./plot.js";
import { gutter, rowAxis } from "./rows.js";

/**
 * @typedef {{ name: string, learned: number, current: number | null, interval: [number, number], counts: number[] }}
 *   UncertainWeight `counts` are those of bins of equal width from 0 to 1; `current` is null where it is not comparable
 */

const ROW = 56;
const TALL = 30;
const VALUE = 52;

/** @param {UncertainWeight[]} weights */
export function weightsPlot(weights) {
  const told = weights.map(
    ({ name, learned, current, interval: [low, high] }) =>
      `${name}: learned ${number(learned, 3)}, 90% of samples ${number(low, 2)} to ${number(high, 2)}` +
      (current === null ? "" : `, current ${number(current, 3)}`),
  );
  return plot({
    label: `Weights, with the best ones for resampled queries. ${told.join("; ")}`,
    draw(width) {
      const { fitting, left } = gutter(
        weights.map(weight => weight.name),
        width,
      );
      const { x, middle, height, children } = rowAxis({
        ...{ left, right: width - VALUE, ends: [0, 1], title: "weight" },
        ...{ rows: weights.length, row: ROW },
      });
      const rows = weights.map(({ learned, current, interval: [low, high], counts }, i) => {
        const foot = middle(i) + TALL / 2 - 4;
        const most = Math.max(...counts);
        const bars = counts.flatMap((count, bin) => {
          if (!count) return [];
          const tall = (TALL * count) / most;
          const bar = { x: x(bin / counts.length), y: foot - tall, width: x(1 / counts.length) - x(0) - 1 };
          return svg("rect", { class: "plot-box", ...bar, height: tall });
        });
        return svg(
          "g",
          {},
          bars,
          svg("path", { class: "plot-base", d: `M${x(0)} ${foot}H${x(1)}` }),
          svg("path", { class: "plot-interval plot-pick", d: `M${x(low)} ${foot + 7}H${x(high)}` }),
          svg("circle", { class: "plot-dot plot-pick", cx: x(learned), cy: foot + 7, r: 5 }),
          current === null
            ? null
            : svg("path", { class: "plot-diamond plot-current", d: diamond(x(current), foot + 7) }),
          label("plot-name", left - 12, foot, fitting[i], { anchor: "end" }),
          label("plot-value", width, foot, number(learned, 3), { anchor: "end" }),
        );
      });
      const marks = weights.map(({ learned }, i) => ({ x: x(learned), y: middle(i) + TALL / 2 + 3, text: told[i] }));
      return { height, children: [...children, ...rows], marks };
    },
  });
}

/**
 * @param {number} x
 * @param {number} y
 * @param {number} [r]
 */
export const diamond = (x, y, r = 6) => `M${x} ${y - r}L${x + r} ${y}L${x} ${y + r}L${x - r} ${y}Z`;
