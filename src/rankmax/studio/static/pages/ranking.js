// A query's documents under the reference and the current weights, and why they moved.

import { ask, latest } from "../api.js";
import { contributionChart, contributionTable } from "../contributions.js";
import { counted, el, number, options, redraw, short, signed, svg } from "../dom.js";
import { GAP, ROW, TITLE, moveLines, movesPicture, movesTable } from "../moves.js";
import { saveButtons } from "../save.js";
import { change, current, reference, state, view } from "../state.js";

const DEPTH = 15;
const ORDERS = { gain: "largest gain", loss: "largest loss", data: "as in the data" };

export function rankingPage(shared) {
  const order = options(el("select", { "aria-label": "Order of queries", onchange: () => change({ order: order.value }) }),
    Object.keys(ORDERS), state.order, key => ORDERS[key]);
  const search = el("input", { type: "search", placeholder: "find a query", "aria-label": "Find a query", oninput: () => change({ search: search.value }) });
  const list = el("ol", { class: "queries", role: "listbox", tabindex: 0, "aria-label": "Queries", onkeydown: step });
  const count = el("p", { class: "soft" }, "Ranking…"), both = el("section", { class: "panel", id: "both" });
  const element = el("div", { class: "columns wide-right" },
    el("section", { class: "panel" }, el("div", { class: "bar halves" }, order, search), count, list), both);
  let queries = [], told = null, narrowed = false;
  search.value = state.search;

  const asked = () => ({ ...view(), current: current(), reference: reference(shared.about.features) });

  const reloadQueries = latest(async () => {
    list.setAttribute("aria-busy", "true");
    try {
      const found = await ask("/api/queries", { ...asked(), order: state.order, search: state.search, query: state.query });
      queries = found.queries;
      count.textContent = `${found.n_better} better, ${found.n_worse} worse than the reference. ${counted(found.n_found, "query", "queries")} found`
        + (queries.length < found.n_found ? `, the first ${queries.length} shown.` : ".");
      const isListed = queries.some(({ id }) => id === state.query);
      drawQueries();
      list.removeAttribute("aria-busy");
      if (queries.length && (!found.has_query || (narrowed && !isListed))) change({ query: queries[0].id });
      else if (found.has_query) reloadRanking();
      narrowed = false;
    } catch (error) { shared.say(error.message, true); }
  });

  const reloadRanking = latest(async () => {
    both.setAttribute("aria-busy", "true");
    try {
      told = await ask("/api/ranking", { ...asked(), query: state.query, depth: DEPTH });
      draw();
      both.removeAttribute("aria-busy");
    } catch (error) { shared.say(error.message, true); }
  });

  function drawQueries() {
    list.replaceChildren(...queries.map(({ id, text, before, after, gain }, i) => el("li", { role: "option", id: `option-${i}`, "data-query": id,
      "aria-selected": String(id === state.query), onclick: () => change({ query: id }), title: text || null },
      el("span", { class: "gain " + (gain > 0 ? "up" : gain < 0 ? "down" : "") }, `${gain > 0 ? "▲" : gain < 0 ? "▼" : ""}${signed(gain, 3)}`),
      el("span", { class: "words" }, text || id), el("span", { class: "soft" }, `${number(before, 3)} → ${number(after, 3)}`))));
    const chosen = list.querySelector("[aria-selected=true]");
    list.setAttribute("aria-activedescendant", chosen?.id ?? "");
    chosen?.scrollIntoView({ block: "nearest" });
  }

  function step(event) {
    const at = queries.findIndex(query => query.id === state.query);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: queries.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    if (queries[to]) change({ query: queries[to].id });
  }

  function draw() {
    const { documents, query, text } = told, depth = Math.min(DEPTH, documents.length);
    const side = key => documents.filter(document => document[key].rank <= depth).sort((a, b) => a[key].rank - b[key].rank);
    const column = (key, title) => el("div", { class: "column" }, el("h3", {}, title), el("ol", {}, side(key).map(document => item(document, key))));
    const height = TITLE + ROW * depth;
    const lines = svg("svg", { viewBox: `0 0 ${GAP} ${height}`, width: GAP, height, preserveAspectRatio: "none", class: "chart moves", role: "img",
      "aria-label": "moves between the two rankings" }, moveLines({ documents, depth, opened: state.opened }));
    redraw(both,
      el("h2", {}, text || query), text ? el("p", { class: "soft" }, query) : "",
      el("div", { class: "sides" }, column("first", "reference"), lines, column("second", "current")),
      el("p", { class: "soft" }, "Numbers in boxes are grades (?: not judged). Solid lines go up, dashed ones down, thick ones are of relevant documents. ",
        "Choose a document to see what each feature adds. ",
        saveButtons(() => `ranking-${query}`, () => movesPicture({ documents, depth, title: text || query }), () => movesTable(documents))),
      parts());
  }

  function item(document, key) {
    const { grade, id } = document, highest = Math.max(1, ...shared.about.grades), snippet = told.snippets[id];
    const level = grade === null ? "none" : Math.min(4, Math.round(4 * grade / highest)), isOpened = state.opened === id;
    return el("li", { class: ["document", isOpened && "opened", !snippet && "wordless"].filter(Boolean).join(" "), "data-id": id },
      el("button", { type: "button", "aria-pressed": String(isOpened), onclick: () => change({ opened: isOpened ? "" : id }) },
        el("span", { class: "rank" }, document[key].rank), el("span", { class: `grade grade-${level}`, title: "grade" }, grade === null ? "?" : short(grade)),
        el("span", { class: "id" }, id), el("span", { class: "soft score" }, short(document[key].score)),
        el("span", { class: "snippet" }, (snippet ?? []).map(([text, isWord]) => isWord ? el("mark", {}, text) : text))));
  }

  function parts() {
    const document = told.documents.find(({ id }) => id === state.opened);
    if (!document) return "";
    const chart = contributionChart(document, Math.max(300, both.clientWidth - 24));
    return el("div", { id: "parts" }, el("h2", {}, `What each feature adds to the score of ${document.id}`), chart,
      el("p", { class: "soft" }, saveButtons(() => `score-${told.query}-${document.id}`, () => chart, () => contributionTable(document))));
  }

  return { element, update(changed) {
    const own = ["query", "search", "order", "opened", "size"], moved = [...changed].some(key => !own.includes(key));
    narrowed ||= changed.has("search") || changed.has("order");
    if (moved || changed.has("search") || changed.has("order")) { reloadQueries(); return; }  // and then the ranking
    if (changed.has("query")) { drawQueries(); reloadRanking(); }
    else if (told) draw();
  } };
}
