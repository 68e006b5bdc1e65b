// The demonstration's page, drawn from the data that it contains.

import { extent, joined, roomy, ticks } from "../../_pages/charts/axes.js";
import { byId, el, svg } from "../../_pages/charts/elements.js";
import { grouped, number, probability, short, signed } from "../../_pages/charts/numbers.js";
import { stepPanel } from "../../_pages/charts/steps.js";
import { surfaceFigure, surfaceTexts } from "../../_pages/charts/surface.js";
import { axes, chart, inside, panel, table, write } from "./report_elements.js";

/** @import { Columns } from "../../_pages/charts/steps.js" */
/** @import { Comparison, Model, Report } from "./report_data.d.ts" */

/** @type {Report} */
const report = JSON.parse(byId("report").textContent ?? "");

/** @param {string} id */
const select = id => /** @type {HTMLSelectElement} */ (byId(id));

/** @param {number} weight */
const brief = weight => short(weight, 3);

// The comparison

const { collection, split, example } = report;
write(
  "lead",
  `The documentation of ${collection.packages} is a test collection: ${grouped(collection.documents)} functions and ` +
    "classes are the documents, the one-line summary of a function is a query, and relevant are the functions that " +
    "its author lists under “See Also”. Summaries and those lists are removed from the text that is searched, and a " +
    `function is excluded from its own query. For instance “${example.text}” has these relevant functions: ` +
    `${example.relevant.join(", ")}.`,
);
write("finding", report.finding);
write(
  "setting",
  `${split.train} training queries, ${split.test} held-out queries (equal texts on the same side). Every system ranks ` +
    `the whole collection, to depth ${grouped(report.depth)}, and was tuned or trained for the metric that is ` +
    "shown.",
);
write("test", `▲ better, ▼ worse than the language model: ${report.test}. Intervals: 95%, bootstrap over queries.`);

for (const { metric, baseline, baselineMean, rows } of report.comparisons) {
  const header = [metric, "mean", "difference", "95% interval", "change", "p", "wins/losses/ties"];
  const first = [`${baseline} (baseline)`, `${number(baselineMean)}\u2007`, "", "", "", "", ""];
  const lines = rows.map(row => [
    row.system,
    el(
      "td",
      { class: row.marker ? (row.difference > 0 ? "good" : "bad") : "" },
      number(row.mean),
      row.marker || "\u2007",
    ),
    signed(row.difference),
    `[${signed(row.low)}, ${signed(row.high)}]`,
    `${signed(row.change, 1)}%`,
    probability(row.p),
    `${row.wins}/${row.losses}/${row.ties}`,
  ]);
  const content = [table(`${metric} on held-out queries`, header, [first, ...lines]), differences(metric, rows)];
  byId("comparisons").append(el("div", { class: "panel comparison" }, content));
}

/**
 * @param {string} metric
 * @param {Comparison["rows"]} rows
 */
function differences(metric, rows) {
  const height = 28 * rows.length + 50;
  return chart(`Difference in ${metric} to the language model, with intervals`, height, (picture, width) => {
    const [low, high] = roomy(extent(rows.flatMap(row => [row.low, row.high, 0])));
    const left = Math.min(130, width * 0.36);
    const right = width - 16;
    const bottom = height - 36;
    /** @param {number} value */
    const x = value => left + ((value - low) / (high - low)) * (right - left);
    for (const [tick, text] of ticks(low, high, Math.max(2, width / 130))) {
      picture.append(
        svg("path", { class: "grid", d: `M${x(tick)} 4V${bottom}` }),
        svg("text", { x: x(tick), y: bottom + 15, "text-anchor": "middle" }, text),
      );
    }
    const name = { x: (left + right) / 2, y: bottom + 32, "text-anchor": "middle" };
    picture.append(
      svg("path", { class: "zero", d: `M${x(0)} 4V${bottom}` }),
      svg("text", name, `difference in ${metric}`),
    );
    rows.forEach((row, i) => {
      const y = 20 + 28 * i;
      picture.append(
        svg("text", { x: 0, y: y + 4, class: "system" }, row.system),
        svg("path", { class: "interval", d: `M${x(row.low)} ${y}H${x(row.high)}` }),
        svg("circle", { cx: x(row.difference), cy: y, r: 5, class: "dot" }),
      );
    });
  });
}

// Parameters of the baselines

for (const { parameter, log, metric, points, chosen, value, name } of report.tuning) {
  const curve = chart(`${metric} against ${parameter}`, 220, (picture, width) => {
    const xs = extent(points.map(([at]) => at));
    const ys = roomy(extent(points.map(([, found]) => found)));
    const { x, y } = axes(picture, inside(width, 220), { xs, ys, xName: parameter, log });
    const dots = points.map(([at, found]) => {
      const title = svg("title", {}, `${parameter} ${brief(at)}: ${number(found)}`);
      return svg("circle", { cx: x(at), cy: y(found), r: 3, class: "dot" }, title);
    });
    picture.append(
      svg("path", { d: joined(points.map(([at, found]) => [x(at), y(found)])), class: "curve" }),
      ...dots,
      svg("circle", { cx: x(chosen), cy: y(value), r: 6, class: "ring" }),
    );
  });
  const text = `${metric} on the training queries; chosen: ${parameter} = ${brief(chosen)}, ${number(value)}`;
  byId("tuning").append(panel(name, curve, el("p", { class: "soft" }, text)));
}

// Weights

for (const model of report.models) {
  const [least, most] = extent([0, ...model.features.map(({ share }) => share)]);
  /** @param {number} share */
  const at = share => (100 * (share - least)) / (most - least || 1);
  const grid = el("div", { class: "weights" });
  for (const { name, weight, share } of model.features) {
    const bar = el("div", {
      class: share < 0 ? "bar down" : "bar",
      title: `${(100 * share).toFixed(1)}% of the spread`,
      style: `left: ${at(Math.min(share, 0))}%; width: ${Math.abs(at(share) - at(0))}%`,
    });
    const zero = el("div", { class: "zero", style: `left: ${at(0)}%` });
    grid.append(el("code", {}, name), el("div", { class: "track" }, bar, zero), el("span", {}, brief(weight)));
  }
  byId("weights").append(panel(titleOf(model), grid));
}

/** @param {Model} model */
function titleOf(model) {
  return `${model.name}, for ${model.metric}`;
}

// The surface

write("surface-note", report.surface.note);
byId("surface").append(
  ...surfaceTexts(report.surface.data).map(text => el("p", {}, text)),
  surfaceFigure(report.surface.data),
);

// The step function of one weight

const { profile } = report;
write("profile-note", profile.note);

/**
 * @param {string} title
 * @param {Columns} columns
 */
function profileChart(title, columns) {
  const label = `${profile.metric} against the weight of ${profile.feature}: ${title}`;
  const picture = chart(label, 260, (picture, width) => {
    const box = inside(width, 260);
    const drawn = stepPanel({ columns, best: profile.best, box, xName: `weight of ${profile.feature}` });
    drawn.mark(profile.weight);
    picture.append(drawn.element);
  });
  byId("profile").append(panel(title, picture));
}

const { edges, lowest, highest } = profile.overview;
profileChart("overview", { edges, lows: lowest, highs: highest });
const { edges: closeEdges, values: closeValues } = profile.close;
profileChart("around the best interval", { edges: closeEdges, lows: closeValues, highs: closeValues });

// Gains by query

const { queries, values, systems } = report.gains;
select("system").append(...systems.map(name => el("option", {}, name)));
select("metric").append(...Object.keys(values).map(name => el("option", {}, name)));
select("system").value = report.gains.shown;

function showGains() {
  const system = select("system").value;
  const metric = select("metric").value;
  const gains = values[metric][system];
  const order = gains.map((_, i) => i).sort((a, b) => gains[b] - gains[a] || a - b);
  const label = `Gains of ${system} over the language model in ${metric}, ${queries.length} queries`;
  const bars = chart(label, 260, (picture, width) => {
    const ys = roomy(extent([...gains, 0]));
    const { x, y } = axes(picture, inside(width, 260), { xs: [0, order.length], ys, xName: "queries" });
    /** @param {(gain: number) => number} keep */
    const outline = keep => {
      const tops = order.flatMap((i, k) => [x(k), x(k + 1)].map(at => [at, y(keep(gains[i]))]));
      return `${joined([[x(0), y(0)], ...tops, [x(order.length), y(0)]])}Z`;
    };
    picture.append(
      svg("path", { d: outline(gain => Math.max(gain, 0)), class: "win" }),
      svg("path", { d: outline(gain => Math.min(gain, 0)), class: "loss" }),
    );
    picture.onpointermove = event => {
      const from = picture.getBoundingClientRect().left + x(0);
      const place = (event.clientX - from) / (x(order.length) - x(0));
      if (place < 0 || place >= 1) return;
      const i = order[Math.floor(place * order.length)];
      write("gain-here", `${signed(gains[i], 3)} for “${queries[i].text}” (${queries[i].id})`);
    };
  });
  byId("gains").replaceChildren(bars);
  write("gain-here", "Point at a bar to see its query.");
  /**
   * @param {string} title
   * @param {number[]} chosen
   */
  const extreme = (title, chosen) => {
    const header = ["gain", el("th", { class: "text" }, "query, and the function that it describes")];
    const rows = chosen.map(i => {
      const { text, id } = queries[i];
      return [signed(gains[i], 3), el("td", { class: "text" }, text, el("br"), el("code", { class: "soft" }, id))];
    });
    return panel(title, table(title, header, rows));
  };
  byId("extremes").replaceChildren(
    extreme("Largest gains", order.slice(0, 8)),
    extreme("Largest losses", order.slice(-8).reverse()),
  );
}
select("system").addEventListener("change", showGains);
select("metric").addEventListener("change", showGains);
showGains();

// Files and commands

for (const [name, what] of Object.entries(report.files)) {
  byId("files").append(el("tr", {}, el("td", {}, el("code", {}, name)), el("td", { class: "text" }, what)));
}
byId("commands").append(...report.commands.map(command => el("code", {}, command)));
