// The first thing to read: what the studio is for, and one action.

import { ask } from "./api.js";
import { el } from "./charts/elements.js";
import { number } from "./charts/numbers.js";
import { messageOf } from "./dom.js";
import { isLocked, isReleased, release } from "./held_out.js";
import { change, state, view } from "./state.js";
import { trainingList } from "./training_list.js";

/** @import { Shared } from "./shared.js" */

/** @param {Shared} shared */
export function startPanel(shared) {
  const words = el("p", { class: "purpose" });
  const hint = el("p", { class: "soft", id: "suggestion" });
  const trainings = trainingList(shared, { isBrief: true });
  const button = el("button", { type: "button", class: "main", id: "find", onclick: find }, "Find better weights");
  const element = el(
    "section",
    { class: "panel start", "aria-label": "Start" },
    el("div", { class: "lead" }, el("div", {}, words, hint), button),
    trainings.element,
  );

  /** @param {string} role */
  const file = role => shared.project.data.find(name => shared.project.roles[name] === role);

  /** What the action learns from: never test queries, if there are others. */
  function files() {
    const isTest = shared.project.roles[state.data] === "test";
    const data = (isTest && file("train")) || (shared.project.roles[state.data] === "validation" && file("train"));
    return { data: data || state.data, validation: file("validation") ?? null };
  }

  async function find() {
    const { data, validation } = files();
    if (isLocked(shared, data) && !(await release(shared, data))) return;
    try {
      await ask("/api/runs", {
        ...view(),
        data,
        queries: data === state.data ? view().queries : [],
        validation: validation === data ? null : validation,
        learner: "direct",
        normalize: state.normalize,
        confirmed: isReleased(data),
      });
      await trainings.watchAll();
    } catch (error) {
      shared.say(messageOf(error), true);
    }
  }

  function draw() {
    const { data, validation } = files();
    const test = file("test");
    words.textContent =
      `Find the weights that maximize ${state.metric}, see what they do to each ranking, ` +
      "and check them on held-out queries.";
    const told = shared.about.suggestions;
    const plan = [
      `Trains on ${data}`,
      validation && validation !== data ? `selects on ${validation}` : null,
      test ? `reports ${test}` : "no queries are held out yet",
    ];
    const kind = told?.normalization ?? "none";
    const isOther = told && kind !== "none" && ["none", kind].includes(state.normalize);
    /** @param {string} normalize */
    const use = normalize => el("button", { type: "button", class: "quiet", onclick: () => change({ normalize }) });
    const other = state.normalize === kind ? "none" : kind;
    const switched = use(other);
    switched.textContent = other === "none" ? "Use raw scores" : `Use ${other}`;
    hint.replaceChildren(
      `${plan.filter(Boolean).join(", ")}. `,
      ...(told && isOther
        ? [
            `The features' ranges differ ${Math.round(told.range_ratio).toLocaleString("en")}-fold, so ${kind} is suggested: ` +
              `with equal weights it gives ${number(told.equal_weights[kind])}, raw scores ` +
              `${number(told.equal_weights.none)}. `,
            switched,
          ]
        : []),
    );
  }

  return {
    element,
    close: trainings.close,
    /** @param {Set<string>} changed */
    update(changed) {
      if (["all", "data", "metric", "normalize", "queries"].some(key => changed.has(key))) draw();
      trainings.update(changed);
    },
  };
}
