// Paired differences as bars, one for each query, from the largest gain to the largest loss.

import { extent, roomy, ticks } from "./axes.js";
import { svg } from "./elements.js";
import { counted, signed } from "./numbers.js";
import { label, plot } from "./plot.js";

/** @typedef {{ name: string, difference: number, text: string }} Difference */

const LEFT = 52;
const TOP = 26;
const HEIGHT = 240;

/**
 * @param {{ differences: Difference[], title: string, better: string, worse: string, pick?: (name: string) => void }}
 *   options `better` and `worse` name the sides; `pick` is called with the name of a bar that is clicked
 */
export function differencesPlot({ differences, title, better, worse, pick }) {
  const wins = differences.filter(({ difference }) => difference > 0).length;
  const losses = differences.filter(({ difference }) => difference < 0).length;
  const [first, last] = [differences[0], differences[differences.length - 1]];
  return plot({
    label:
      `${title} by query: ${counted(wins, "query", "queries")} ${better}, ${losses} ${worse}; ` +
      `from ${signed(first.difference)} (${first.name}) to ${signed(last.difference)} (${last.name})`,
    across: true,
    draw(width) {
      const [low, high] = roomy(extent([0, ...differences.map(({ difference }) => difference)]));
      const step = (width - LEFT - 4) / differences.length;
      /** @param {number} value */
      const y = value => TOP + ((HEIGHT - TOP) * (high - value)) / (high - low || 1);
      const grid = ticks(low, high, 5).flatMap(([tick, text]) => [
        svg("path", { class: "plot-grid", d: `M${LEFT} ${y(tick)}H${width}` }),
        label("plot-tick", LEFT - 8, y(tick), text, { anchor: "end" }),
      ]);
      const bars = differences.map(({ difference }, i) => {
        const kind = difference > 0 ? "up" : difference < 0 ? "down" : "same";
        const [top, foot] = [y(Math.max(difference, 0)), y(Math.min(difference, 0))];
        const box = { x: LEFT + i * step, y: top, width: Math.max(step * 0.84, 0.4), height: Math.max(foot - top, 1) };
        return svg("rect", { class: `plot-${kind}`, ...box });
      });
      const zero = svg("path", { class: "plot-zero", d: `M${LEFT} ${y(0)}H${width}` });
      const sides = [
        label("plot-axis", 0, 10, `↑ ${title}`),
        wins ? label("plot-side plot-up", LEFT + 8, y(0) + 12, `${wins} ${better}`) : null,
        losses ? label("plot-side plot-down", width - 4, y(0) - 12, `${losses} ${worse}`, { anchor: "end" }) : null,
      ];
      const marks = differences.map(({ name, difference, text }, i) => ({
        x: LEFT + (i + 0.42) * step,
        y: y(difference),
        text,
        pick: pick ? () => pick(name) : undefined,
      }));
      return { height: HEIGHT + 6, children: [...grid, ...bars, zero, ...sides], marks };
    },
  });
}
