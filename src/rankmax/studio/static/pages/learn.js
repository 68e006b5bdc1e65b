// Training in the background, and the saved models.

import { ask } from "../api.js";
import { el } from "../charts/elements.js";
import { labeled, messageOf, options } from "../dom.js";
import { isLocked, isReleased, release, roleWord } from "../held_out.js";
import { modelsPanel } from "../models.js";
import { change, state, view } from "../state.js";
import { trainingList } from "../training_list.js";

/** @import { LearnerOption } from "../answers.js" */
/** @import { Page, Shared } from "../shared.js" */

/**
 * @param {Shared} shared
 * @returns {Page}
 */
export function learnPage(shared) {
  const learner = el("select", {
    id: "learner",
    onchange: event => change({ learner: event.target.value, options: "" }),
  });
  options(learner, Object.keys(shared.project.learners), state.learner);
  const validation = el("select", {
    id: "validation",
    onchange: event => change({ validation: event.target.value }),
  });
  const fields = el("div", { class: "fields" });
  const hint = el("p", { class: "soft" });
  const models = modelsPanel(shared);
  const trainings = trainingList(shared, { kept: models.draw });
  const element = el(
    "div",
    {},
    el(
      "section",
      { class: "panel", "aria-label": "Train" },
      el("h2", {}, "Train"),
      el(
        "div",
        { class: "bar form" },
        labeled("Learner", learner),
        labeled("Validation", validation, "Validation queries: used to select the model"),
        fields,
      ),
      hint,
      el("button", { type: "button", id: "start", class: "main", onclick: start }, "Start training"),
    ),
    trainings.element,
    models.element,
  );
  // The address holds the options that differ from their defaults.
  function drawOptions() {
    hint.textContent = `The learner ${learner.value} ${shared.project.learners[learner.value].description}.`;
    const given = new URLSearchParams(state.options);
    const controls = own().map(option => {
      const properties = { id: `option-${option.name}`, onchange: keepOptions };
      const value = given.get(option.name) ?? initial(option);
      const choices = option.type === "bool" ? ["false", "true"] : option.choices;
      if (choices.length) return labeled(option.label, options(el("select", properties), choices, value), option.help);
      const input = el("input", { ...properties, type: "number", step: option.type === "int" ? 1 : "any" });
      if (option.minimum !== null) input.min = String(option.minimum);
      if (option.maximum !== null) input.max = String(option.maximum);
      input.value = value;
      input.placeholder = /\[default: ([^,\]]*)/.exec(option.help)?.[1] ?? "default";
      return labeled(option.label, input, option.help);
    });
    fields.replaceChildren(...controls);
  }

  function own() {
    return shared.project.learners[learner.value].options;
  }

  /** @param {LearnerOption} option */
  function initial(option) {
    return String(option.default ?? "");
  }

  /** @returns {[LearnerOption, string][]} */
  function written() {
    return own().map(option => {
      /** @type {HTMLInputElement | HTMLSelectElement | null} */
      const control = fields.querySelector(`#option-${option.name}`);
      return [option, control?.value ?? ""];
    });
  }

  function keepOptions() {
    const given = written().filter(([option, value]) => value !== initial(option));
    change({ options: new URLSearchParams(given.map(([option, value]) => [option.name, value])).toString() });
  }

  /**
   * @param {LearnerOption} option
   * @param {string} value
   */
  function read(option, value) {
    if (option.type === "bool") return value === "true";
    return option.type === "str" ? value : Number(value);
  }

  function chosenOptions() {
    const chosen = written().filter(([option, value]) => value !== "" && value !== initial(option));
    return Object.fromEntries(chosen.map(([option, value]) => [option.name, read(option, value)]));
  }

  async function start() {
    for (const name of [state.data, validation.value]) {
      if (isLocked(shared, name) && !(await release(shared, name))) return;
    }
    try {
      await ask("/api/runs", {
        ...view(),
        learner: learner.value,
        normalize: state.normalize,
        validation: validation.value || null,
        options: chosenOptions(),
        confirmed: [state.data, validation.value].some(isReleased),
      });
      await trainings.watchAll();
    } catch (error) {
      shared.say(messageOf(error), true);
    }
  }

  return {
    element,
    close: trainings.close,
    update(changed) {
      const all = changed.has("all");
      if (all || changed.has("data")) {
        const others = shared.project.data.filter(name => name !== state.data);
        const usual = shared.project.data.find(name => shared.project.roles[name] === "validation") ?? "";
        /** @param {string} name */
        const label = name => (name ? `${name} (${roleWord(shared, name).toLowerCase()})` : "none");
        options(validation, ["", ...others], state.validation || (others.includes(usual) ? usual : ""), label);
      }
      if (all || changed.has("learner")) {
        learner.value = state.learner in shared.project.learners ? state.learner : "direct";
        drawOptions();
      }
      trainings.update(changed);
      if (["all", "data", "queries", "metric", "normalize", "reference"].some(key => changed.has(key))) models.draw();
    },
  };
}
