// A query's documents under the reference and the current weights, and why they moved.

import { ask, latest } from "../api.js";
import { el, number, options, short, signed, svg } from "../dom.js";
import { saveButtons } from "../save.js";
import { change, current, reference, state, view } from "../state.js";

const ROW = 46, GAP = 90, MOST_PARTS = 12;
const ORDERS = { gain: "largest gain", loss: "largest loss", data: "as in the data" };

export function rankingPage(shared) {
  const order = options(el("select", { "aria-label": "Order of queries", onchange: () => change({ order: order.value }) }),
    Object.keys(ORDERS), state.order, key => ORDERS[key]);
  const search = el("input", { type: "search", placeholder: "find a query", "aria-label": "Find a query", oninput: () => change({ search: search.value }) });
  const list = el("ol", { class: "queries", role: "listbox", tabindex: 0, "aria-label": "Queries", onkeydown: step });
  const count = el("p", { class: "soft" }), both = el("section", { class: "panel", id: "both" });
  const element = el("div", { class: "columns wide-right" },
    el("section", { class: "panel" }, el("div", { class: "bar" }, order, search), count, list), both);
  let queries = [], told = null, opened = null;
  search.value = state.search;

  const asked = () => ({ ...view(), current: current(), reference: reference(shared.about.features) });

  const reloadQueries = latest(async () => {
    try {
      const found = await ask("/api/queries", { ...asked(), order: state.order, search: state.search });
      queries = found.queries;
      count.textContent = `${found.n_better} better, ${found.n_worse} worse than the reference; ${found.n_found} found`;
      if (queries.length && !queries.some(query => query.id === state.query)) change({ query: queries[0].id });
      drawQueries();
    } catch (error) { shared.say(error.message, true); }
  });

  const reloadRanking = latest(async () => {
    if (!state.query) return;
    try {
      told = await ask("/api/ranking", { ...asked(), query: state.query });
      draw();
    } catch (error) { both.replaceChildren(); shared.say(error.message, true); }
  });

  function drawQueries() {
    list.replaceChildren(...queries.map(({ id, text, before, after, gain }) => el("li", { role: "option", id: `query-${id}`,
      "aria-selected": String(id === state.query), onclick: () => change({ query: id }) },
      el("span", { class: "gain " + (gain > 0 ? "up" : gain < 0 ? "down" : "") }, `${gain > 0 ? "▲" : gain < 0 ? "▼" : ""}${signed(gain, 3)}`),
      el("span", { class: "words" }, text || id), el("span", { class: "soft" }, `${number(before, 3)} → ${number(after, 3)}`))));
    list.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }

  function step(event) {
    const move = { ArrowDown: 1, ArrowUp: -1 }[event.key], at = queries.findIndex(query => query.id === state.query);
    if (!move || !queries[at + move]) return;
    event.preventDefault();
    change({ query: queries[at + move].id });
  }

  function draw() {
    const { documents } = told, depth = documents.length ? Math.min(15, documents.length) : 0;
    const side = key => documents.filter(document => document[key].rank <= depth).sort((a, b) => a[key].rank - b[key].rank);
    const [left, right] = [side("first"), side("second")];
    const picture = moves(documents, left, right);
    const column = (key, listed, title) => el("div", { class: "column" }, el("h3", {}, title),
      el("ol", {}, listed.map(document => item(document, key))));
    both.replaceChildren(
      el("h2", {}, told.text || told.query), told.text ? el("p", { class: "soft" }, told.query) : "",
      el("div", { class: "sides" }, column("first", left, "reference"), picture, column("second", right, "current")),
      el("div", { id: "parts" }, parts()),
      el("p", { class: "soft" }, "Numbers in boxes are grades. Choose a document to see what each feature adds. ",
        saveButtons(() => `ranking-${told.query}`, () => picture, () => [["document", "grade", "rank_reference", "rank_current", "score_reference", "score_current"],
          ...documents.map(d => [d.id, d.grade, d.first.rank, d.second.rank, d.first.score, d.second.score])])));
  }

  function item(document, key) {
    const { grade, id } = document, highest = Math.max(1, ...shared.about.grades), snippet = told.snippets[id];
    const level = grade === null ? "none" : Math.min(4, Math.round(4 * grade / highest));
    return el("li", { class: "document" + (opened === id ? " opened" : ""), "data-id": id },
      el("button", { type: "button", onclick: () => { opened = opened === id ? null : id; draw(); } },
        el("span", { class: "rank" }, document[key].rank), el("span", { class: `grade grade-${level}`, title: "grade" }, grade === null ? "?" : short(grade)),
        el("span", { class: "id" }, id), el("span", { class: "soft score" }, short(document[key].score)),
        el("span", { class: "snippet" }, (snippet ?? []).map(([text, isWord]) => isWord ? el("mark", {}, text) : text))));
  }

  // Lines from each document's place on the left to its place on the right; thicker where the grade is higher.
  function moves(documents, left, right) {
    const height = ROW * Math.max(left.length, right.length, 1) + 30;
    const y = place => 30 + ROW * (place - 0.5);
    return svg("svg", { viewBox: `0 0 ${GAP} ${height}`, width: GAP, height, preserveAspectRatio: "none", class: "chart moves", role: "img", "aria-label": "moves between the two rankings" },
      documents.map(({ id, grade, first, second }) => {
        const [from, to] = [left.some(d => d.id === id) ? y(first.rank) : height + 20, right.some(d => d.id === id) ? y(second.rank) : height + 20];
        const kind = second.rank < first.rank ? "rises" : second.rank > first.rank ? "falls" : "stays";
        return svg("path", { class: `move ${kind}${opened === id ? " opened" : ""}`, "stroke-width": grade > 0 ? 3 : 1.2,
          d: `M0 ${from}C${GAP / 2} ${from} ${GAP / 2} ${to} ${GAP} ${to}` }, svg("title", {}, `${id}: ${first.rank} to ${second.rank}`));
      }));
  }

  function parts() {
    const document = told.documents.find(({ id }) => id === opened);
    if (!document) return "";
    const names = [...new Set([...Object.keys(document.first.contributions), ...Object.keys(document.second.contributions)])];
    const rows = names.map(name => [name, document.first.contributions[name] ?? 0, document.second.contributions[name] ?? 0])
      .sort((a, b) => Math.max(Math.abs(b[1]), Math.abs(b[2])) - Math.max(Math.abs(a[1]), Math.abs(a[2]))).slice(0, MOST_PARTS);
    const largest = [1, 2].map(side => Math.max(1e-300, ...rows.map(row => Math.abs(row[side]))));
    const bar = (value, side) => svg("svg", { viewBox: "0 0 100 12", class: "part", "aria-hidden": "true" },
      svg("rect", { class: value < 0 ? "falls" : "rises", x: value < 0 ? 50 - 50 * -value / largest[side] : 50, y: 1, width: 50 * Math.abs(value) / largest[side], height: 10 }),
      svg("path", { class: "axis", d: "M50 0v12" }));
    return el("table", {}, el("caption", {}, `What each feature adds to the score of ${opened}`),
      el("thead", {}, el("tr", {}, ["feature", "reference", "", "current", ""].map(text => el("th", {}, text)))),
      el("tbody", {}, rows.map(([name, before, after]) => el("tr", {}, el("th", { scope: "row" }, name),
        el("td", {}, short(before)), el("td", {}, bar(before, 0)), el("td", {}, short(after)), el("td", {}, bar(after, 1))))));
  }

  return { element, update(changed) {
    if (changed.has("size")) return;
    const own = ["query", "search", "order"], moved = changed.has("all") || [...changed].some(key => !own.includes(key));
    if (moved || changed.has("search") || changed.has("order")) reloadQueries();
    if (changed.has("query")) drawQueries();
    if (moved || changed.has("query")) reloadRanking();
  } };
}
