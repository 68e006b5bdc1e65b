// Why a document is where it is: the contribution of each feature to its score, or to its lead over another document.

import { el } from "./charts/elements.js";
import { number, short, signed } from "./charts/numbers.js";
import { contributionChart, contributionTable, differenceChart, differenceTable } from "./contributions.js";
import { options } from "./dom.js";
import { saveButtons } from "./save.js";
import { change, referenceName } from "./state.js";

/** @import { RankedDocument } from "./answers.js" */

/** @param {RankedDocument} document */
const grade = document => (document.grade === null ? "not judged" : `grade ${short(document.grade)}`);

/**
 * @param {{
 *   document: RankedDocument, beside: RankedDocument | undefined, all: RankedDocument[], width: number, query: string,
 * }} shown
 */
export function explanation({ document, beside, all, width, query }) {
  const { id, first, second } = document;
  const select = el("select", { id: "beside", onchange: event => change({ beside: event.target.value }) });
  const others = all.filter(other => other !== document).sort((a, b) => a.second.rank - b.second.rank);
  const label = new Map(others.map(other => [other.id, `${other.second.rank}. ${other.id}, ${grade(other)}`]));
  options(select, ["", ...label.keys()], beside?.id ?? "", name => label.get(name) ?? "no other document");
  const chart = beside ? differenceChart(document, beside, width) : contributionChart(document, width);
  const close = {
    type: "button",
    class: "close",
    "aria-label": "Close the explanation",
    onclick: () => change({ opened: "", beside: "" }),
  };
  const words = beside
    ? lead(document, beside)
    : `Rank ${second.rank} with a score of ${short(second.score)}; rank ${first.rank} with ${referenceName()}.`;
  return [
    el("div", { class: "title" }, el("h2", {}, beside ? `${id} and ${beside.id}` : id), el("button", close, "×")),
    el("p", {}, `${grade(document).replace(/^./, letter => letter.toUpperCase())}. ${words}`),
    el("label", { class: "field" }, el("span", {}, "Compare with another document"), select),
    el(
      "div",
      { id: "parts" },
      el("h3", {}, beside ? "Difference of each feature × its weight" : "Contribution of each feature to the score"),
      chart,
      el(
        "p",
        { class: "soft" },
        saveButtons(
          () => `score-${query}-${id}${beside ? `-${beside.id}` : ""}`,
          () => chart,
          () => (beside ? differenceTable(document, beside) : contributionTable(document)),
        ),
      ),
    ),
  ];
}

/**
 * @param {RankedDocument} document
 * @param {RankedDocument} beside
 */
function lead(document, beside) {
  const size = document.second.score - beside.second.score;
  const place = size > 0 ? "above" : size < 0 ? "below" : "tied with";
  const before = document.first.score - beside.first.score;
  return (
    `Rank ${document.second.rank}, ${place} rank ${beside.second.rank} (${grade(beside)}) by ${number(Math.abs(size))}; ` +
    `with ${referenceName()} the difference was ${signed(before)}.`
  );
}
