// Where the documents of a query stand in two rankings: lines between two columns, and the whole as one picture.

import { ink } from "./colours.js";
import { cut, short, svg } from "./dom.js";

export const ROW = 46, TITLE = 30, GAP = 90;
const COLUMN = 300, LINE = 24, HEADER = 54, MOST_LETTERS = 32;
const INKS = { rises: "up", falls: "down", stays: "line" };

export const kindOf = ({ first, second }) => second.rank < first.rank ? "rises" : second.rank > first.rank ? "falls" : "stays";

// Lines from each document's place on the left to its place on the right; thicker where the document is relevant. What
// one side does not show comes from below, or goes there.
export function moveLines({ documents, depth, opened = "", top = TITLE, row = ROW }) {
  const y = rank => top + row * (Math.min(rank, depth + 1) - 0.5);
  return documents.map(document => {
    const { id, grade, first, second } = document, from = y(first.rank), to = y(second.rank);
    return svg("path", { class: `move ${kindOf(document)}${opened === id ? " opened" : ""}`, "stroke-width": grade > 0 ? 3 : 1.2,
      d: `M0 ${from}C${GAP / 2} ${from} ${GAP / 2} ${to} ${GAP} ${to}` }, svg("title", {}, `${id}: ${first.rank} to ${second.rank}`));
  });
}

// Both columns and the lines, to be saved: it needs no style sheet.
export function movesPicture({ documents, depth, title }) {
  const width = 2 * COLUMN + GAP, height = HEADER + LINE * (depth + 1);
  const text = (x, y, words, anchor = "start", bold = false) =>
    svg("text", { x, y, "text-anchor": anchor, "dominant-baseline": "middle", fill: ink("ink"), "font-weight": bold ? 700 : 400 }, words);
  const side = (key, left, right) => documents.filter(document => document[key].rank <= depth).map(document => {
    const { id, grade } = document, { rank, score } = document[key], y = HEADER + LINE * (rank - 0.5);
    return [text(left + 22, y, rank, "end"), text(left + 40, y, grade === null ? "?" : short(grade), "middle", true),
      text(left + 56, y, cut(id, MOST_LETTERS), "start", grade > 0), text(right, y, short(score), "end")];
  }).flat();
  const lines = moveLines({ documents, depth, top: HEADER, row: LINE });
  lines.forEach((line, i) => {
    const kind = kindOf(documents[i]);
    for (const [name, value] of Object.entries({ fill: "none", stroke: ink(INKS[kind]), "stroke-dasharray": kind === "falls" ? "6 3" : "none" })) line.setAttribute(name, value);
  });
  return svg("svg", { viewBox: `0 0 ${width} ${height}`, "font-family": "sans-serif", "font-size": 12 },
    text(0, 10, cut(title, 90), "start", true), text(0, 38, "reference"), text(COLUMN + GAP, 38, "current"),
    side("first", 0, COLUMN - 6), svg("g", { transform: `translate(${COLUMN} 0)` }, lines), side("second", COLUMN + GAP, width - 6));
}

export const movesTable = documents => [["document", "grade", "rank_reference", "rank_current", "score_reference", "score_current"],
  ...documents.map(({ id, grade, first, second }) => [id, grade, first.rank, second.rank, first.score, second.score])];
