// The verdict: whether to replace the current fusion, and the odds.

import { el } from "../charts/elements.js";
import { grouped, number, signed } from "../charts/numbers.js";
import { percent } from "../charts/surface.js";
import { legend, listed } from "./parts.js";

/** @import { Summary, TuningData, Verdict } from "./tuning_data.js" */

const KINDS = {
  "use it": "use",
  "probably better": "probably",
  "cannot tell": "unsure",
  "keep the current one": "keep",
};

/** @param {string} text */
const capital = text => text[0].toUpperCase() + text.slice(1);

/** @param {Summary} summary */
export const subject = ({ metrics, queries, machine, documents }) =>
  `${metrics[0]} on ${grouped(queries)} judged queries` +
  `${machine === undefined ? "" : ` (${grouped(machine.human_queries)} of them by people)`} with ` +
  `${grouped(documents)} candidate documents`;

/**
 * @param {TuningData} tuning
 * @returns {HTMLElement[]}
 */
export function tuningTitle({ summary }) {
  return [
    el("h1", {}, `Weights for ${listed(Object.keys(summary.weights))}`),
    el("p", { class: "soft" }, `${subject(summary)}.`),
  ];
}

/** @param {TuningData} tuning */
export function verdictBanner({ summary, notes }) {
  const { verdict, current, pick, constraint, as_good_alone: alone } = summary;
  const word = capital(verdict.word);
  const isUnmet = constraint !== undefined && !constraint.met;
  const said = isUnmet
    ? "The constraint cannot be met, so nothing is recommended."
    : verdict.text.replace(`${word}: `, "");
  const remarks = [
    current.assumed
      ? `${current.label} was assumed to be the current fusion, because none was given.`
      : `The current fusion is ${current.label}, as given.`,
    current.tuned_here ? "It was tuned on these queries, so its values are not held out." : "",
    pick.folds_agree
      ? ""
      : `The folds do not agree on the pick: ${pick.label} was ${pick.agreement}. With other queries, another ` +
        "candidate may well be picked; the stated gain allows for that.",
    alone ? `${alone} alone does no worse than the pick on held-out queries.` : "",
    ...notes.map(note => capital(note)),
  ];
  return el(
    "section",
    { class: `banner ${isUnmet ? "unsure" : KINDS[verdict.word]}`, "aria-label": "Verdict" },
    el("p", { class: "verdict" }, el("span", { class: "pill" }, isUnmet ? "Not met" : word), " ", said),
    verdict.pick === verdict.current ? [] : odds(verdict),
    remarks.filter(Boolean).map(text => el("p", { class: "soft" }, text)),
  );
}

/** @param {Verdict} verdict */
function odds({ probability, pick, current, interval: [low, high], ...gain }) {
  const better = Math.min(Math.max(probability, 0.01), 0.99);
  const bar = el("div", { class: "odds", "aria-hidden": "true" });
  for (const [kind, share] of /** @type {const} */ ([
    ["pick", better],
    ["current", 1 - better],
  ])) {
    const part = el("i", { class: kind });
    part.style.width = percent(share);
    bar.append(part);
  }
  const facts = [
    [percent(better), "probability that the pick does better on as many new queries"],
    [signed(gain.expected), "expected gain on new queries"],
    [number(gain.expected_loss), "expected loss, if it does worse"],
    [signed(gain.observed), `gain on held-out queries, 95% interval ${signed(low, 3)} to ${signed(high, 3)}`],
  ];
  return [
    bar,
    legend(
      ["pick", `${percent(better)}: ${pick} does better`],
      ["current", `${percent(1 - better)}: ${current} does better`],
    ),
    el(
      "dl",
      { class: "facts" },
      facts.map(([value, name]) => el("div", {}, el("dt", {}, name), el("dd", {}, value))),
    ),
  ];
}
