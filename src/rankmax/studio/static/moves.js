// Ranks of a query's documents in two rankings: lines between two columns, and the whole as one picture.

import { svg } from "./charts/elements.js";
import { cut, short } from "./charts/numbers.js";
import { ink } from "./dom.js";
import { referenceName } from "./state.js";

/** @import { RankedDocument } from "./answers.js" */

export const ROW = 46;
export const TITLE = 30;
export const GAP = 90;
const LINE = 24;
const HEADER = 54;
const MOST_LETTERS = 48;
const LETTER = 7.4; // pixels, of a wide letter in bold
const BEFORE = 56; // rank and grade
const AFTER = 70; // the score
const INKS = { rises: "up", falls: "down", stays: "line" };

/**
 * @param {RankedDocument} document
 * @returns {keyof typeof INKS}
 */
const kindOf = ({ first, second }) =>
  second.rank < first.rank ? "rises" : second.rank > first.rank ? "falls" : "stays";

/** @param {RankedDocument} document */
export const isRelevant = ({ grade }) => grade !== null && grade > 0;

/**
 * Lines from each document's rank on the left to its rank on the right; thicker where the document is relevant. A
 * document that one side does not show starts or ends below.
 *
 * @param {{ documents: RankedDocument[], depth: number, opened?: string, top?: number, row?: number }} options
 */
export function moveLines({ documents, depth, opened = "", top = TITLE, row = ROW }) {
  /** @param {number} rank */
  const y = rank => top + row * (Math.min(rank, depth + 1) - 0.5);
  return documents.map(document => {
    const { id, first, second } = document;
    const from = y(first.rank);
    const to = y(second.rank);
    const look = {
      class: `move ${kindOf(document)}${opened === id ? " opened" : ""}`,
      "stroke-width": isRelevant(document) ? 3 : 1.2,
      d: `M0 ${from}C${GAP / 2} ${from} ${GAP / 2} ${to} ${GAP} ${to}`,
    };
    return svg("path", { ...look, "data-tip": `${id}: rank ${first.rank} to ${second.rank}` });
  });
}

/**
 * @param {number} x
 * @param {number} y
 * @param {string | number} words
 * @param {string} [anchor]
 * @param {boolean} [isBold]
 */
function text(x, y, words, anchor = "start", isBold = false) {
  const look = { "dominant-baseline": "middle", fill: ink("ink"), "font-weight": isBold ? 700 : 400 };
  return svg("text", { x, y, "text-anchor": anchor, ...look }, words);
}

/**
 * Both columns and the lines as a standalone picture, to be saved.
 *
 * @param {{ documents: RankedDocument[], depth: number, title: string }} options
 */
export function movesPicture({ documents, depth, title }) {
  const longest = Math.max(...documents.map(({ id }) => Math.min(MOST_LETTERS, id.length)));
  const column = Math.ceil(BEFORE + LETTER * longest + AFTER);
  const width = 2 * column + GAP;
  const height = HEADER + LINE * (depth + 1);
  /**
   * @param {"first" | "second"} key
   * @param {number} left
   * @param {number} right
   */
  const side = (key, left, right) =>
    documents
      .filter(document => document[key].rank <= depth)
      .flatMap(document => {
        const { id, grade } = document;
        const { rank, score } = document[key];
        const y = HEADER + LINE * (rank - 0.5);
        return [
          text(left + 22, y, rank, "end"),
          text(left + 40, y, grade === null ? "?" : short(grade), "middle", true),
          text(left + BEFORE, y, cut(id, MOST_LETTERS), "start", isRelevant(document)),
          text(right, y, short(score), "end"),
        ];
      });
  const lines = moveLines({ documents, depth, top: HEADER, row: LINE });
  lines.forEach((line, i) => {
    const kind = kindOf(documents[i]);
    line.setAttribute("fill", "none");
    line.setAttribute("stroke", ink(INKS[kind]));
    line.setAttribute("stroke-dasharray", kind === "falls" ? "6 3" : "none");
  });
  return svg(
    "svg",
    { viewBox: `0 0 ${width} ${height}`, "font-family": "sans-serif", "font-size": 12 },
    text(0, 10, cut(title, 90), "start", true),
    text(0, 38, referenceName()),
    text(column + GAP, 38, "current weights"),
    side("first", 0, column - 6),
    svg("g", { transform: `translate(${column} 0)` }, lines),
    side("second", column + GAP, width - 6),
  );
}

/**
 * @param {RankedDocument[]} documents
 * @returns {(string | number | null)[][]}
 */
export const movesTable = documents => [
  ["document", "grade", "rank_reference", "rank_current", "score_reference", "score_current"],
  ...documents.map(({ id, grade, first, second }) => [id, grade, first.rank, second.rank, first.score, second.score]),
];
