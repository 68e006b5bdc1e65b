// The metric of the current weights above every page: on which queries, and how it differs from the reference.

import { ask } from "./api.js";
import { el } from "./charts/elements.js";
import { direction, number, probability, signed } from "./charts/numbers.js";
import { messageOf } from "./dom.js";
import { roleWord } from "./held_out.js";
import { change, referenceName, state, view } from "./state.js";

/** @import { Reading, Role } from "./answers.js" */
/** @import { Shared } from "./shared.js" */

/** @type {Role[]} */
const ROLES = ["train", "validation", "test"];

/**
 * The role of the data that is shown, as a switch between files where the project has several roles.
 *
 * @param {Shared} shared
 */
function roles(shared) {
  const { data, roles: known } = shared.project;
  const own = known[state.data] ?? "train";
  const files = ROLES.map(role => {
    const isOwn = role === own;
    return { role, name: isOwn ? state.data : data.find(name => known[name] === role) };
  }).filter(({ name }) => name !== undefined);
  if (files.length < 2) {
    const hint = "Writes four fifths of the queries and the rest to two files: one to train on, one to test on";
    return el(
      "div",
      { class: "roles" },
      el("b", { class: `role ${own}`, id: "role" }, roleWord(shared, state.data)),
      own === "train" && shared.about.n_queries > 4
        ? el(
            "button",
            { type: "button", class: "quiet", "data-tip": hint, onclick: () => hold(shared) },
            "Hold out queries",
          )
        : null,
    );
  }
  return el(
    "div",
    { class: "roles", role: "group", "aria-label": "Queries" },
    files.map(({ role, name }) => {
      const isOwn = role === own;
      const look = isOwn ? { class: `role ${role}`, id: "role" } : { class: "role" };
      const properties = { type: "button", "aria-pressed": String(isOwn), "data-tip": name, ...look };
      return el("button", { ...properties, onclick: () => change({ data: name }) }, roleWord(shared, name ?? ""));
    }),
  );
}

/** @param {Shared} shared */
async function hold(shared) {
  try {
    const [train, test] = await ask("/api/split", view());
    await shared.reloadProject();
    change({ data: train });
    shared.say(`wrote ${train} and ${test}: choose weights by the first, and look at the second afterwards`);
  } catch (error) {
    shared.say(messageOf(error), true);
  }
}

/** Numbers of the usual length, which keep their place until the first reading is there. */
const PENDING = {
  value: 0,
  interval: /** @type {[number, number]} */ ([0, 0]),
  difference: 0,
  difference_interval: /** @type {[number, number]} */ ([0, 0]),
  p_value: 0,
  marker: "▲",
  reference_value: 0,
  n_queries: 100,
  wins: { wins: 100, losses: 100, ties: 100 },
};

/** @param {Shared} shared */
export const pendingReading = shared =>
  drawnReading(shared, PENDING).map((element, i) => {
    if (i) element.classList.add("pending");
    for (const named of element.querySelectorAll(i ? "[id]" : "none")) named.removeAttribute("id");
    return element;
  });

/**
 * @param {Shared} shared
 * @param {Reading} reading
 * @returns {HTMLElement[]}
 */
export function drawnReading(shared, reading) {
  const { value, interval, difference, difference_interval, p_value, marker, reference_value, wins, n_queries } =
    reading;
  const isAllZero = Object.values(state.w).every(weight => !weight);
  const tied = "All weights are 0: all documents tie, and their order in the data decides.";
  return [
    roles(shared),
    el(
      "div",
      { class: "big" },
      el("span", { class: "soft" }, state.metric, " "),
      el("b", { id: "value", "data-value": value }, number(value)),
      el("span", { class: "soft" }, ` [${number(interval[0])}, ${number(interval[1])}]`),
    ),
    el(
      "div",
      { class: "big" },
      el("span", { class: "soft" }, `gain over ${referenceName()} `),
      el(
        "b",
        { id: "difference", "data-value": difference, class: direction(marker) },
        signed(difference),
        el("span", { class: "marker" }, marker),
      ),
      el("span", { class: "soft" }, ` [${signed(difference_interval[0])}, ${signed(difference_interval[1])}]`),
    ),
    el(
      "div",
      { class: "soft facts" },
      isAllZero
        ? el("b", { id: "tied" }, tied)
        : `p ${probability(p_value)}; ${wins.wins} better, ${wins.losses} worse, ${wins.ties} equal of ${n_queries} queries; ` +
            `${referenceName()} ${number(reference_value)}`,
    ),
  ];
}
