"use strict";
const report = JSON.parse(document.getElementById("report").textContent);
const byId = id => document.getElementById(id);

// Elements, numbers

function make(kind, attributes = {}, ...content) {
  const element = document.createElement(kind);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...content);
  return element;
}
const paragraph = (id, text) => { byId(id).textContent = text; };
const signed = (x, decimals) => (x < 0 ? "\u2212" : "+") + Math.abs(x).toFixed(decimals);
const short = x => String(Number(x.toPrecision(3))).replace("-", "\u2212");
const probability = p => p < 0.0001 ? "<0.0001" : p.toFixed(4);

function panel(title, ...content) {
  return make("div", {class: "panel"}, make("h3", {}, title), ...content);
}
function table(header, rows) {
  const cells = (kind, row) => row.map(cell => cell instanceof Element ? cell : make(kind, {}, String(cell)));
  return make("div", {class: "scroll"}, make("table", {},
    make("thead", {}, make("tr", {}, ...cells("th", header))),
    make("tbody", {}, ...rows.map(row => make("tr", {}, ...cells("td", row))))));
}

// Charts: drawn in the pixels that there are, and again when their number changes

const MARGIN = {left: 52, right: 14, top: 10, bottom: 38};

function chart(label, height, draw) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", label);
  const holder = make("div", {class: "chart"}, svg);
  let drawn = 0;
  svg.setAttribute("height", height);
  // In the next frame, as what is drawn here may change the width of what is observed.
  new ResizeObserver(() => requestAnimationFrame(() => {
    const width = holder.clientWidth;
    if (width === drawn || width === 0) return;
    drawn = width;
    svg.replaceChildren();
    svg.setAttribute("width", width);
    draw(svg, width, height);
  })).observe(holder);
  return holder;
}
function shape(svg, kind, attributes, text = "") {
  const element = document.createElementNS("http://www.w3.org/2000/svg", kind);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.textContent = text;
  return svg.appendChild(element);
}
const joined = points => "M" + points.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`).join("L");

// Round numbers between two, with the text to show for each.
function ticks(low, high, most) {
  const rough = (high - low) / most, size = 10 ** Math.floor(Math.log10(rough));
  const step = size * [1, 2, 5, 10].find(factor => factor * size >= rough);
  const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const found = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + step * 1e-9; k++)
    found.push([k * step, (k * step).toFixed(decimals).replace("-", "\u2212")]);
  return found;
}
function powers(low, high) {
  const found = [];
  for (let k = Math.ceil(Math.log10(low) - 1e-9); 10 ** k <= high * (1 + 1e-9); k++) found.push([10 ** k, (10 ** k).toLocaleString("en")]);
  return found;
}
const extent = values => values.reduce(([a, b], x) => [Math.min(a, x), Math.max(b, x)], [Infinity, -Infinity]);
function roomy([low, high]) {
  const room = 0.06 * (high - low) || 0.01;
  return [low - room, high + room];
}

// Axes with their numbers; returns where in the picture a point lies.
function axes(svg, width, height, xs, ys, {name = "", log = false} = {}) {
  const scale = log ? Math.log : x => x;
  const [left, right] = [MARGIN.left, width - MARGIN.right], [top, bottom] = [MARGIN.top, height - MARGIN.bottom];
  const x = value => left + (scale(value) - scale(xs[0])) / (scale(xs[1]) - scale(xs[0]) || 1) * (right - left);
  const y = value => bottom - (value - ys[0]) / (ys[1] - ys[0]) * (bottom - top);
  for (const [tick, text] of ticks(...ys, 4)) {
    shape(svg, "line", {x1: left, x2: right, y1: y(tick), y2: y(tick), class: "axis"});
    shape(svg, "text", {x: left - 6, y: y(tick) + 4, "text-anchor": "end"}, text);
  }
  for (const [tick, text] of log ? powers(...xs) : ticks(...xs, Math.max(2, width / 110)))
    shape(svg, "text", {x: x(tick), y: bottom + 16, "text-anchor": "middle"}, text);
  shape(svg, "text", {x: (left + right) / 2, y: bottom + 33, "text-anchor": "middle"}, name);
  return {x, y, left, right, top, bottom};
}

// The comparison

const {collection, split, example} = report;
paragraph("lead", `The documentation of ${collection.packages} is a test collection: ${collection.documents.toLocaleString("en")} ` +
  `functions and classes are the documents, the one-line summary of a function is a query, and relevant are the functions that ` +
  `its author lists under \u201cSee Also\u201d. Summaries and those lists are removed from the text that is searched, and a ` +
  `function is no candidate for its own query. For instance \u201c${example.text}\u201d has these answers: ${example.relevant.join(", ")}.`);
paragraph("finding", report.finding);
paragraph("setting", `${split.train} queries to learn from, ${split.test} held out (equal texts on the same side). Every system ranks ` +
  `the whole collection, to depth ${report.depth.toLocaleString("en")}, and was tuned or trained for the metric that it is shown in.`);
paragraph("test", `\u25b2 better, \u25bc worse than the language model: ${report.test}. Intervals: 95%, bootstrap over queries.`);

for (const {metric, baseline, baselineMean, rows} of report.comparisons) {
  const lines = rows.map(row => [
    row.system, make("td", {class: row.marker ? (row.difference > 0 ? "good" : "bad") : ""}, row.mean.toFixed(4) + (row.marker || "\u2007")),
    signed(row.difference, 4), `[${signed(row.low, 4)}, ${signed(row.high, 4)}]`, signed(row.change, 1) + "%", probability(row.p),
    `${row.wins}/${row.losses}/${row.ties}`]);
  const header = [metric, "mean", "difference", "95% interval", "change", "p", "won/lost/equal"];
  byId("comparisons").append(make("div", {class: "panel", style: "margin: .8rem 0"},
    table(header, [[`${baseline} (baseline)`, baselineMean.toFixed(4) + "\u2007", "", "", "", "", ""], ...lines]),
    differences(metric, rows)));
}
function differences(metric, rows) {
  const height = 28 * rows.length + 50;
  return chart(`Difference in ${metric} to the language model, with intervals`, height, (svg, width) => {
    const [low, high] = roomy(extent(rows.flatMap(row => [row.low, row.high, 0])));
    const left = Math.min(130, width * 0.36), right = width - 16, bottom = height - 36;
    const x = value => left + (value - low) / (high - low) * (right - left);
    for (const [tick, text] of ticks(low, high, Math.max(2, width / 130))) {
      shape(svg, "line", {x1: x(tick), x2: x(tick), y1: 4, y2: bottom, class: "axis"});
      shape(svg, "text", {x: x(tick), y: bottom + 15, "text-anchor": "middle"}, text);
    }
    shape(svg, "line", {x1: x(0), x2: x(0), y1: 4, y2: bottom, stroke: "var(--soft)"});
    shape(svg, "text", {x: (left + right) / 2, y: bottom + 32, "text-anchor": "middle"}, `difference in ${metric}`);
    rows.forEach((row, i) => {
      const y = 20 + 28 * i;
      shape(svg, "text", {x: 0, y: y + 4, class: "name"}, row.system);
      shape(svg, "line", {x1: x(row.low), x2: x(row.high), y1: y, y2: y, stroke: "var(--first)", "stroke-width": 2.5});
      shape(svg, "circle", {cx: x(row.difference), cy: y, r: 5, class: "dot"});
    });
  });
}

// Parameters of the baselines

for (const {parameter, log, metric, points, chosen, value, name} of report.tuning)
  byId("tuning").append(panel(name, chart(`${metric} against ${parameter}`, 220, (svg, width, height) => {
    const {x, y} = axes(svg, width, height, extent(points.map(p => p[0])), roomy(extent(points.map(p => p[1]))), {name: parameter, log});
    shape(svg, "path", {d: joined(points.map(([a, b]) => [x(a), y(b)])), class: "curve"});
    for (const [a, b] of points) {
      const dot = shape(svg, "circle", {cx: x(a), cy: y(b), r: 3, class: "dot"});
      shape(dot, "title", {}, `${parameter} ${short(a)}: ${b.toFixed(4)}`);
    }
    shape(svg, "circle", {cx: x(chosen), cy: y(value), r: 6, class: "best"});
  }), make("p", {class: "soft"}, `${metric} on the training queries; chosen: ${parameter} = ${short(chosen)}, ${value.toFixed(4)}`)));

// Weights

for (const model of report.models) {
  const least = Math.min(0, ...model.features.map(f => f.share)), most = Math.max(0, ...model.features.map(f => f.share));
  const at = share => 100 * (share - least) / (most - least || 1);
  const grid = make("div", {class: "weights"});
  for (const {name, weight, share} of model.features) {
    const bar = make("div", {class: share < 0 ? "bar down" : "bar", title: `${(100 * share).toFixed(1)}% of the spread`,
      style: `left: ${at(Math.min(share, 0))}%; width: ${Math.abs(at(share) - at(0))}%`});
    grid.append(make("code", {}, name), make("div", {class: "track"}, bar, make("div", {class: "zero", style: `left: ${at(0)}%`})),
      make("span", {}, short(weight)));
  }
  byId("weights").append(panel(`${model.name}, for ${model.metric}`, grid));
}

// The surface, a page of its own

const frame = byId("surface");
paragraph("surface-note", report.surface.note);
frame.addEventListener("load", () => {
  const inside = frame.contentDocument.documentElement;
  new ResizeObserver(() => requestAnimationFrame(() => { frame.style.height = `${inside.offsetHeight + 2}px`; })).observe(inside);
});
frame.srcdoc = report.surface.page;

// The step function of one weight

const profile = report.profile;
paragraph("profile-note", profile.note);
function profileChart(title, {xs, ys, paths, area}) {
  return panel(title, chart(`${profile.metric} against the weight of ${profile.feature}: ${title}`, 260, (svg, width, height) => {
    const {x, y, top, bottom} = axes(svg, width, height, xs, roomy(ys), {name: `weight of ${profile.feature}`});
    const inside = value => Math.min(Math.max(value, xs[0]), xs[1]);
    const [from, to] = [inside(profile.best.low), inside(profile.best.high)];
    shape(svg, "rect", {x: x(from), y: top, width: Math.max(1, x(to) - x(from)), height: bottom - top, class: "shade"});
    if (area) shape(svg, "path", {d: joined(area.map(([a, b]) => [x(a), y(b)])) + "Z", class: "area", stroke: "var(--first)"});
    if (paths) shape(svg, "path", {d: joined(paths.map(([a, b]) => [x(a), y(b)])), class: "curve"});
    if (profile.weight >= xs[0] && profile.weight <= xs[1])
      shape(svg, "line", {x1: x(profile.weight), x2: x(profile.weight), y1: top, y2: bottom, class: "mark"});
  }));
}
{
  const {edges, lowest, highest} = profile.overview;
  const area = [...highest.flatMap((v, i) => [[edges[i], v], [edges[i + 1], v]]),
    ...lowest.map((v, i) => [[edges[i + 1], v], [edges[i], v]]).reverse().flat()];
  byId("profile").append(profileChart("overview", {xs: [edges[0], edges.at(-1)], ys: extent([...lowest, ...highest]), area}));
  const close = profile.close;
  const paths = close.values.flatMap((v, i) => [[close.edges[i], v], [close.edges[i + 1], v]]);
  byId("profile").append(profileChart("around the best interval", {xs: [close.edges[0], close.edges.at(-1)], ys: extent(close.values), paths}));
}

// Ascents

for (const model of report.models) {
  const every = model.ascents.flat();
  const lowest = Math.max(extent(every.map(p => p[1]))[0], model.highest - 6 * Math.max(model.highest - model.value, 0.001));
  byId("training").append(panel(`${model.name}, for ${model.metric}`, chart(`Training curve of ${model.name} for ${model.metric}`, 200,
    (svg, width, height) => {
      const {x, y, left, right, bottom} = axes(svg, width, height, [0, Math.max(1, ...every.map(p => p[0]))],
        roomy([lowest, model.highest]), {name: "lines searched"});
      const floor = value => Math.min(y(value), bottom);
      const steps = ascent => ascent.flatMap(([n, v], i) => i ? [[x(n), floor(ascent[i - 1][1])], [x(n), floor(v)]] : [[x(n), floor(v)]]);
      model.ascents.forEach((ascent, i) => { if (i !== model.best) shape(svg, "path", {d: joined(steps(ascent)), class: "faint"}); });
      shape(svg, "path", {d: joined(steps(model.ascents[model.best])), class: "curve"});
      shape(svg, "line", {x1: left, x2: right, y1: y(model.value), y2: y(model.value), class: "mark"});
    }), make("p", {class: "soft"}, `highest ${model.highest.toFixed(4)}, kept ${model.value.toFixed(4)}`)));
}

// Gains by query

const {queries, values} = report.gains;
for (const name of report.gains.systems) byId("system").append(make("option", {}, name));
for (const name of Object.keys(values)) byId("metric").append(make("option", {}, name));
byId("system").value = report.gains.shown;

function showGains() {
  const system = byId("system").value, metric = byId("metric").value, gains = values[metric][system];
  const order = gains.map((_, i) => i).sort((a, b) => gains[b] - gains[a] || a - b);
  const here = byId("gain-here");
  const describe = i => `${signed(gains[i], 3)} for \u201c${queries[i].text}\u201d (${queries[i].id})`;
  const picture = chart(`Gains of ${system} over the language model in ${metric}, ${queries.length} queries`, 260, (svg, width, height) => {
    const {x, y} = axes(svg, width, height, [0, order.length], roomy(extent([...gains, 0])), {name: "queries"});
    const outline = keep => joined([[x(0), y(0)], ...order.flatMap((i, k) => [x(k), x(k + 1)].map(at => [at, y(keep(gains[i]))])),
      [x(order.length), y(0)]]) + "Z";
    shape(svg, "path", {d: outline(v => Math.max(v, 0)), class: "win"});
    shape(svg, "path", {d: outline(v => Math.min(v, 0)), class: "loss"});
    svg.onpointermove = event => {
      const place = (event.clientX - svg.getBoundingClientRect().left - x(0)) / (x(order.length) - x(0));
      if (place >= 0 && place < 1) here.textContent = describe(order[Math.floor(place * order.length)]);
    };
  });
  byId("gains").replaceChildren(picture);
  here.textContent = "Point at a bar to see its query.";
  const extreme = (title, chosen) => panel(title, table(["gain", make("th", {class: "text"}, "query, and the function it describes")],
    chosen.map(i => [signed(gains[i], 3), make("td", {class: "text"}, queries[i].text, make("br"), make("code", {class: "soft"}, queries[i].id))])));
  byId("extremes").replaceChildren(extreme("Helped most", order.slice(0, 8)), extreme("Hurt most", order.slice(-8).reverse()));
}
byId("system").addEventListener("change", showGains);
byId("metric").addEventListener("change", showGains);
showGains();

// Files and commands

for (const [name, what] of Object.entries(report.files)) byId("files").append(make("tr", {}, make("td", {}, make("code", {}, name)), make("td", {class: "text"}, what)));
for (const command of report.commands) byId("commands").append(make("code", {}, command));
