// Gains with intervals, a row each, around a line at 0.

import { extent, roomy } from "./axes.js";
import { svg } from "./elements.js";
import { direction, signed } from "./numbers.js";
import { label, plot } from "./plot.js";
import { gutter, rowAxis } from "./rows.js";

/** @typedef {"pick" | "current" | "other"} Kind What is drawn, which decides its color in every chart. */
/** @typedef {{ name: string, gain: number, interval: [number, number], kind: Kind, marker: string }} Gain */

const ROW = 28;
const VALUE = 78;

/**
 * @param {{ gains: Gain[], title: string }} options `title` is that of the axis
 */
export function gainsPlot({ gains, title }) {
  const told = gains.map(({ name, gain, interval: [low, high], kind }) =>
    kind === "current"
      ? `${name}: what the others are compared with`
      : `${name}: ${signed(gain)}, 95% interval ${signed(low)} to ${signed(high)}`,
  );
  return plot({
    label: `${title}, with 95% intervals. ${told.join("; ")}`,
    draw(width) {
      const { fitting, left } = gutter(
        gains.map(gain => gain.name),
        width,
      );
      const right = width - VALUE;
      const ends = roomy(extent([0, ...gains.flatMap(gain => gain.interval)]));
      const { x, middle, bottom, height, children } = rowAxis({
        ...{ left, right, ends, title },
        ...{ rows: gains.length, row: ROW },
      });
      const rows = gains.flatMap(({ gain, interval: [low, high], kind, marker }, i) => {
        const y = middle(i);
        return svg(
          "g",
          { class: `plot-${kind}` },
          label("plot-name", left - 12, y, fitting[i], { anchor: "end" }),
          kind === "current" ? null : svg("path", { class: "plot-interval", d: `M${x(low)} ${y}H${x(high)}` }),
          svg("circle", { class: "plot-dot", cx: x(gain), cy: y, r: 5 }),
          label(
            `plot-value ${direction(marker)}`.trim(),
            width,
            y,
            kind === "current" ? "current" : `${signed(gain)} ${marker}`.trim(),
            {
              anchor: "end",
            },
          ),
        );
      });
      const zero = svg("path", { class: "plot-zero", d: `M${x(0)} 2V${bottom}` });
      const marks = gains.map(({ gain }, i) => ({ x: x(gain), y: middle(i), text: told[i] }));
      return { height, children: [...children, zero, ...rows], marks };
    },
  });
}
