// What the pick does to each query, beside the current fusion: gains and losses, and both rankings of one query.

import { differencesPlot } from "../charts/differences.js";
import { el } from "../charts/elements.js";
import { counted, number, short, signed } from "../charts/numbers.js";
import { section, table } from "./parts.js";

/** @import { QueryResult, RankedResult, TuningData } from "./tuning_data.js" */

const EXTREMES = 5;
const MOST_BARS = 500;

/** @param {TuningData} tuning */
export function winnersSection({ summary, queries }) {
  const [metric] = summary.metrics;
  const winners = queries.filter(({ gain }) => gain > 0);
  const losers = queries.filter(({ gain }) => gain < 0);
  const every = Math.ceil(queries.length / MOST_BARS);
  const ranked = queries.filter(({ rankings }) => rankings);
  const choice = el(
    "select",
    { onchange: event => show(event.target.value) },
    ranked.map(({ id, gain }) => el("option", { value: id }, `${id} (${signed(gain)})`)),
  );
  const both = el("div", { class: "pair" });

  /** @param {string} id */
  function show(id) {
    const query = ranked.find(one => one.id === id);
    if (!query?.rankings) return;
    choice.value = id;
    both.replaceChildren(
      ranking(`Current: ${summary.verdict.current}`, query, "current", "pick"),
      ranking(`Pick: ${summary.verdict.pick}`, query, "pick", "current"),
    );
  }

  /**
   * @param {string} title
   * @param {QueryResult[]} chosen
   */
  const extremes = (title, chosen) =>
    chosen.length
      ? el(
          "div",
          {},
          el("h3", {}, title),
          table(
            ["query", "current", "pick", "difference"],
            chosen.map(({ id, current, pick, gain, rankings }) => [
              rankings ? el("button", { type: "button", class: "link", onclick: () => show(id) }, id) : id,
              number(current),
              number(pick),
              signed(gain),
            ]),
            { caption: `${title} of the pick over the current fusion` },
          ),
        )
      : null;

  if (ranked.length) show((winners[0] ?? losers[losers.length - 1] ?? ranked[0]).id);
  const ties = queries.length - winners.length - losers.length;
  return section(
    "Winners and losers",
    "held out",
    el(
      "p",
      {},
      `Pick minus current in ${metric}: `,
      el("b", {}, counted(winners.length, "query", "queries")),
      " better, ",
      el("b", {}, losers.length),
      " worse, ",
      el("b", {}, ties),
      ` the same; ${signed(summary.verdict.observed)} on average.`,
    ),
    differencesPlot({
      differences: queries
        .filter((_, i) => i % every === 0)
        .map(({ id, gain, pick, current }) => ({
          name: id,
          difference: gain,
          text: `${id}: ${signed(gain)} (pick ${number(pick)}, current ${number(current)})`,
        })),
      title: `difference in ${metric}`,
      better: "better",
      worse: "worse",
      pick: ranked.length ? show : undefined,
    }),
    el(
      "p",
      { class: "soft" },
      `Each bar is a query${every > 1 ? `; one of every ${every} is shown` : ""}.`,
      ranked.length ? " Click one, or choose it with the arrow keys and Enter, to see its rankings." : null,
    ),
    el(
      "div",
      { class: "pair" },
      extremes("Largest gains", winners.slice(0, EXTREMES)),
      extremes("Largest losses", losers.slice(-EXTREMES).reverse()),
    ),
    ranked.length
      ? el(
          "section",
          { class: "rankings", "aria-label": "Rankings of one query", "aria-live": "polite" },
          el("h3", {}, el("label", {}, "The two rankings of query ", choice)),
          both,
          el(
            "p",
            { class: "soft" },
            "The top documents, with their grades (- where not judged) and their rank in the other ranking. The values " +
              "above are held-out values, averages over folds that did not see the query; the rankings are those of " +
              "the final pick, which was fitted to all queries.",
          ),
        )
      : el(
          "p",
          {},
          `The pick from all queries is ${summary.verdict.current} itself: there are no two rankings to show.`,
        ),
  );
}

/**
 * @param {string} title
 * @param {QueryResult} query
 * @param {"current" | "pick"} side
 * @param {"current" | "pick"} other
 */
function ranking(title, { rankings }, side, other) {
  const results = rankings?.[side] ?? [];
  return el(
    "div",
    {},
    el("h4", { class: side }, title),
    table(
      ["document", "grade", `rank by ${other}`],
      results.map((result, i) => row(result, i, side)),
      { caption: title },
    ),
  );
}

/**
 * @param {RankedResult} result
 * @param {number} i
 * @param {"current" | "pick"} side
 */
function row({ id, grade, other }, i, side) {
  const isRelevant = grade !== null && grade > 0;
  const moved = other - (i + 1);
  const [arrow, way] = side === "current" || !moved ? ["", ""] : moved > 0 ? [" ↑", " up"] : [" ↓", " down"];
  return [
    [el("span", { class: "place" }, i + 1), ` ${id}`],
    el("span", { class: `level${isRelevant ? " relevant" : ""}` }, grade === null ? "-" : short(grade)),
    [String(other), side === "pick" ? el("span", { class: `marker${way}`, "aria-hidden": "true" }, arrow) : null],
  ];
}
