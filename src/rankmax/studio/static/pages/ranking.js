// A query's documents under the reference and the current weights, and why a document is where it is.

import { ask, latest } from "../api.js";
import { el, svg } from "../charts/elements.js";
import { counted, number, short, signed } from "../charts/numbers.js";
import { messageOf, options, redraw } from "../dom.js";
import { explanation } from "../explanation.js";
import { GAP, moveLines, movesPicture, movesTable, ROW, TITLE } from "../moves.js";
import { saveButtons } from "../save.js";
import { dock } from "../sliders.js";
import { change, current, reference, referenceName, state, view } from "../state.js";

/** @import { Query, RankedDocument, Rankings } from "../answers.js" */
/** @import { Page, Shared } from "../shared.js" */

/** @typedef {"first" | "second"} Side Under the reference, and under the current weights. */

const DEPTH = 15;
/** @type {Record<string, string>} */
const ORDERS = {
  gain: "largest gain",
  loss: "largest loss",
  low: "lowest value",
  unjudged: "most unjudged in the top 10",
  data: "as in the data",
};

/**
 * @param {Shared} shared
 * @returns {Page}
 */
export function rankingPage(shared) {
  const order = el("select", {
    "aria-label": "Order of queries",
    onchange: event => change({ order: event.target.value }),
  });
  options(order, Object.keys(ORDERS), state.order, key => ORDERS[key]);
  const search = el("input", {
    type: "search",
    placeholder: "find a query",
    "aria-label": "Find a query",
    oninput: event => change({ search: event.target.value }),
  });
  const list = el("ol", {
    class: "queries",
    role: "listbox",
    tabindex: 0,
    "aria-label": "Queries",
    onkeydown: step,
  });
  const count = el("p", { class: "soft found" }, "Ranking…");
  const both = el("section", { class: "panel", id: "both", "aria-label": "Rankings" });
  const detail = el("section", { class: "panel detail", "aria-label": "Why is this document here?", hidden: true });
  const bar = el("div", { class: "bar halves" }, order, search);
  const weights = dock(shared);
  const queriesPanel = el("section", { class: "panel", "aria-label": "Queries" }, bar, count, list);
  const left = el("div", { class: "stack" }, queriesPanel, weights.element);
  const element = el("div", { class: "columns rankings" }, left, both, detail);
  /** @type {Query[]} */
  let queries = [];
  /** @type {Rankings | null} */
  let told = null;
  let isNarrowed = false;
  search.value = state.search;

  const asked = () => ({ ...view(), current: current(), reference: reference(shared.about.features) });

  const reloadQueries = latest(async () => {
    list.setAttribute("aria-busy", "true");
    try {
      const { order, search, query } = state;
      const found = await ask("/api/queries", { ...asked(), order, search, query });
      queries = found.queries;
      const all = counted(found.n_found, "query", "queries");
      const first = queries.length < found.n_found ? `, the first ${queries.length} shown.` : ".";
      const better = `${found.n_better} better, ${found.n_worse} worse than ${referenceName()}. `;
      count.textContent = `${better}${all} found${first}`;
      const isListed = queries.some(({ id }) => id === state.query);
      drawQueries();
      list.removeAttribute("aria-busy");
      if (queries.length && (!found.has_query || (isNarrowed && !isListed))) change({ query: queries[0].id });
      else if (found.has_query) reloadRanking();
      isNarrowed = false;
    } catch (error) {
      shared.say(messageOf(error), true);
    }
  });

  const reloadRanking = latest(async () => {
    both.setAttribute("aria-busy", "true");
    try {
      told = await ask("/api/ranking", { ...asked(), query: state.query, depth: DEPTH });
      draw(told);
      both.removeAttribute("aria-busy");
    } catch (error) {
      shared.say(messageOf(error), true);
    }
  });

  function drawQueries() {
    list.replaceChildren(...queries.map(entry));
    const chosen = list.querySelector("[aria-selected=true]");
    list.setAttribute("aria-activedescendant", chosen?.id ?? "");
    if (chosen instanceof HTMLElement) {
      // not scrollIntoView, which would move the page as well
      const below = chosen.offsetTop + chosen.offsetHeight - list.clientHeight;
      list.scrollTop = Math.min(chosen.offsetTop, Math.max(list.scrollTop, below));
    }
  }

  /**
   * @param {Query} query
   * @param {number} i
   */
  function entry({ id, text, before, after, gain, n_unjudged }, i) {
    const direction = gain > 0 ? "up" : gain < 0 ? "down" : "";
    const properties = {
      role: "option",
      id: `option-${i}`,
      "data-query": id,
      "aria-selected": String(id === state.query),
      onclick: () => change({ query: id }),
      title: text || null,
    };
    const unjudged = n_unjudged ? `, ${n_unjudged} unjudged` : "";
    return el(
      "li",
      properties,
      el("span", { class: `gain ${direction}` }, signed(gain, 3)),
      el("span", { class: "words" }, text || id),
      el("span", { class: "soft" }, `${number(before, 3)} → ${number(after, 3)}${unjudged}`),
    );
  }

  /** @param {KeyboardEvent} event */
  function step(event) {
    const at = queries.findIndex(query => query.id === state.query);
    /** @type {Record<string, number>} */
    const places = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: queries.length - 1 };
    const to = places[event.key];
    if (to === undefined) return;
    event.preventDefault();
    if (queries[to]) change({ query: queries[to].id });
  }

  /** @param {Rankings} told */
  function draw(told) {
    const { documents, query, text } = told;
    const depth = Math.min(DEPTH, documents.length);
    /**
     * @param {Side} key
     * @param {string} title
     */
    const column = (key, title) => {
      const own = documents.filter(document => document[key].rank <= depth);
      own.sort((a, b) => a[key].rank - b[key].rank);
      const items = own.map(document => item(told, document, key));
      return el("div", { class: "column" }, el("h3", {}, title), el("ol", {}, items));
    };
    const height = TITLE + ROW * depth;
    const lines = svg(
      "svg",
      {
        viewBox: `0 0 ${GAP} ${height}`,
        width: GAP,
        height,
        preserveAspectRatio: "none",
        class: "chart moves",
        role: "img",
        "aria-label": "moves between the two rankings",
      },
      moveLines({ documents, depth, opened: state.opened }),
    );
    const picture = () => movesPicture({ documents, depth, title: text || query });
    redraw(
      both,
      el("h2", {}, text || query),
      text ? el("p", { class: "soft" }, query) : "",
      el("div", { class: "sides" }, column("first", referenceName()), lines, column("second", "current weights")),
      el(
        "p",
        { class: "soft" },
        "Numbers in boxes are grades (?: not judged). Solid lines go up, dashed lines down; ",
        "thick lines belong to relevant documents. Select a document to see why it is there, and a second one with ",
        "Shift to compare the two. ",
        saveButtons(
          () => `ranking-${query}`,
          picture,
          () => movesTable(documents),
        ),
      ),
      ...further(told),
    );
    drawDetail(told);
  }

  /**
   * Relevant documents that neither column shows.
   *
   * @param {Rankings} told
   */
  function further(told) {
    const { further, n_absent } = told;
    const absent = n_absent
      ? `${counted(n_absent, "relevant document is", "relevant documents are")} no candidate: no weights can rank what was not retrieved.`
      : "";
    if (!further.length) return absent ? [el("p", { class: "soft" }, absent)] : [];
    const rows = further.map(document => {
      const { id, grade, first, second } = document;
      const opening = { type: "button", class: "quiet", "aria-pressed": String(state.opened === id) };
      return el(
        "tr",
        {},
        el("td", {}, grade === null ? "?" : short(grade)),
        el("th", { scope: "row" }, el("button", { ...opening, onclick: event => open(event, id) }, id)),
        el("td", {}, first.rank),
        el("td", {}, second.rank),
      );
    });
    const heads = ["grade", "document", referenceName(), "current"].map(text => el("th", { scope: "col" }, text));
    return [
      el("h3", { class: "below" }, `${counted(further.length, "relevant document")} below rank ${DEPTH}`),
      el(
        "div",
        {
          class: "scroll further",
          tabindex: 0,
          role: "region",
          "aria-label": `Relevant documents below rank ${DEPTH}`,
        },
        el("table", {}, el("thead", {}, el("tr", {}, heads)), el("tbody", {}, rows)),
      ),
      el("p", { class: "soft" }, absent),
    ];
  }

  /**
   * Opens a document, or with Shift compares it with the opened one.
   *
   * @param {MouseEvent} event
   * @param {string} id
   */
  function open(event, id) {
    if (event.shiftKey && state.opened && state.opened !== id) change({ beside: id });
    else change({ opened: state.opened === id ? "" : id, beside: "" });
  }

  /**
   * @param {Rankings} told
   * @param {RankedDocument} document
   * @param {Side} key
   */
  function item({ snippets }, document, key) {
    const { grade, id } = document;
    const { rank, score } = document[key];
    const snippet = snippets[id];
    const highest = Math.max(1, ...shared.about.grades);
    const level = grade === null ? "none" : Math.min(4, Math.round((4 * grade) / highest));
    const isOpened = state.opened === id || state.beside === id;
    const kind = ["document", isOpened && "opened", !snippet && "wordless"].filter(Boolean).join(" ");
    const words = (snippet ?? []).map(([text, isWord]) => (isWord ? el("mark", {}, text) : text));
    return el(
      "li",
      { class: kind, "data-id": id },
      el(
        "button",
        { type: "button", "aria-pressed": String(isOpened), onclick: event => open(event, id) },
        el("span", { class: "rank" }, rank),
        el("span", { class: `grade grade-${level}`, title: "grade" }, grade === null ? "?" : short(grade)),
        el("span", { class: "id" }, id),
        el("span", { class: "soft score" }, short(score)),
        el("span", { class: "snippet" }, words),
      ),
    );
  }

  /** @param {Rankings} told */
  function drawDetail(told) {
    const all = [...told.documents, ...told.further];
    const document = all.find(({ id }) => id === state.opened);
    const isOpen = document !== undefined;
    detail.hidden = !isOpen;
    element.classList.toggle("with-detail", isOpen);
    if (document) {
      const beside = all.find(({ id }) => id === state.beside);
      const width = Math.max(280, detail.clientWidth - 24);
      redraw(detail, ...explanation({ document, beside, all, width, query: told.query }));
    } else detail.replaceChildren();
  }

  return {
    element,
    close: weights.close,
    update(changed) {
      weights.update(changed);
      const own = ["query", "search", "order", "opened", "beside", "size", "find"];
      const isMoved = [...changed].some(key => !own.includes(key));
      isNarrowed ||= changed.has("search") || changed.has("order");
      if (isMoved || changed.has("search") || changed.has("order")) {
        reloadQueries(); // and then the ranking
      } else if (changed.has("query")) {
        drawQueries();
        reloadRanking();
      } else if (told) draw(told);
    },
  };
}
