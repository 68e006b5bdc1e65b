// Two metrics against each other: the points at which neither can be higher without the other being lower.

import { extent, joined, roomy, ticks } from "./axes.js";
import { svg } from "./elements.js";
import { number } from "./numbers.js";
import { label, plot } from "./plot.js";

/** @import { Kind } from "./gains.js" */
/** @typedef {{ values: [number, number], text: string }} TradeOffPoint */

const LEFT = 58;
const TOP = 26;
const HEIGHT = 260;

/**
 * @param {{ points: TradeOffPoint[], marked: { values: [number, number], kind: Kind, name: string }[],
 *   titles: [string, string] }} options `titles` are those of the axes, from left to right and upwards
 */
export function tradeOffPlot({ points, marked, titles }) {
  const every = [...points, ...marked].map(({ values }) => values);
  return plot({
    label:
      `${titles[1]} against ${titles[0]} for ${points.length} weights on the frontier. ` +
      marked.map(({ name, values }) => `${name}: ${number(values[0])} and ${number(values[1])}`).join("; "),
    draw(width) {
      const right = width - 14;
      const [x0, x1] = roomy(extent(every.map(([first]) => first)));
      const [y0, y1] = roomy(extent(every.map(([, second]) => second)));
      /** @param {number} value */
      const x = value => LEFT + ((right - LEFT) * (value - x0)) / (x1 - x0);
      /** @param {number} value */
      const y = value => TOP + ((HEIGHT - TOP) * (y1 - value)) / (y1 - y0);
      const grid = [
        ...ticks(y0, y1, 5).flatMap(([tick, text]) => [
          svg("path", { class: "plot-grid", d: `M${LEFT} ${y(tick)}H${right}` }),
          label("plot-tick", LEFT - 8, y(tick), text, { anchor: "end" }),
        ]),
        ...ticks(x0, x1, Math.max(2, width / 100)).flatMap(([tick, text]) => [
          svg("path", { class: "plot-grid", d: `M${x(tick)} ${TOP}V${HEIGHT}` }),
          label("plot-tick", x(tick), HEIGHT + 14, text, { anchor: "middle" }),
        ]),
        label("plot-axis", 0, 10, `↑ ${titles[1]}`),
        label("plot-axis", right, HEIGHT + 32, `${titles[0]} →`, { anchor: "end" }),
      ];
      const line = svg("path", {
        class: "plot-line",
        d: joined(points.map(({ values: [a, b] }) => [x(a), y(b)])),
      });
      const dots = points.map(({ values: [a, b] }) => svg("circle", { class: "plot-dot", cx: x(a), cy: y(b), r: 3.5 }));
      const named = marked.map(({ values: [a, b], kind, name }) =>
        svg(
          "g",
          { class: `plot-${kind}` },
          svg("circle", { class: "plot-dot", cx: x(a), cy: y(b), r: 6 }),
          label("plot-name", x(a) + (x(a) > width / 2 ? -11 : 11), y(b) - 10, name, {
            anchor: x(a) > width / 2 ? "end" : "start",
          }),
        ),
      );
      const marks = [
        ...points.map(({ values: [a, b], text }) => ({ x: x(a), y: y(b), text })),
        ...marked.map(({ values: [a, b], name }) => ({
          x: x(a),
          y: y(b),
          text: `${name}: ${number(a)}, ${number(b)}`,
        })),
      ];
      return { height: HEIGHT + 42, children: [...grid, line, ...dots, ...named], marks };
    },
  });
}
