// Training in the background, and the saved models.

import { ask } from "../api.js";
import { el } from "../charts/elements.js";
import { labeled, messageOf, options } from "../dom.js";
import { modelsPanel } from "../models.js";
import { runPanel } from "../run.js";
import { change, state, view } from "../state.js";

/** @import { LearnerOption, Training, Weights } from "../answers.js" */
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
  const runs = el("div");
  const models = modelsPanel(shared);
  const element = el(
    "div",
    {},
    el(
      "section",
      { class: "panel" },
      el("h2", {}, "Train"),
      el(
        "div",
        { class: "bar" },
        labeled("Learner", learner),
        labeled("Validation", validation, "Validation queries: used to select the model"),
        fields,
      ),
      hint,
      el("button", { type: "button", id: "start", class: "main", onclick: start }, "start training"),
    ),
    runs,
    models.element,
  );
  /** @type {Map<number, ReturnType<typeof runPanel>>} */
  const shown = new Map();

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
    try {
      await ask("/api/runs", {
        ...view(),
        learner: learner.value,
        normalize: state.normalize,
        validation: validation.value || null,
        options: chosenOptions(),
      });
      await watchAll();
    } catch (error) {
      shared.say(messageOf(error), true);
    }
  }

  async function watchAll() {
    for (const about of await ask("/api/runs")) if (!shown.has(about.run)) watch(about);
  }

  /** @param {Training} about */
  function watch(about) {
    const gone = () => {
      panel.element.remove();
      shown.delete(about.run);
    };
    const panel = runPanel(about, {
      say: shared.say,
      gone,
      use: (weights, normalize) => change({ w: onlyUsed(weights), normalize }),
      kept: async name => {
        gone();
        await shared.reloadProject();
        await models.draw();
        shared.say(`saved ${name}`);
      },
    });
    shown.set(about.run, panel);
    runs.prepend(panel.element);
    panel.watch();
  }

  /** @param {Weights} weights */
  const onlyUsed = weights =>
    Object.fromEntries(
      Object.entries(weights).filter(([name, weight]) => weight && shared.about.features.includes(name)),
    );

  return {
    element,
    close() {
      for (const panel of shown.values()) panel.close();
    },
    update(changed) {
      const all = changed.has("all");
      if (all || changed.has("data")) {
        const others = shared.project.data.filter(name => name !== state.data);
        options(validation, ["", ...others], state.validation, name => name || "none");
      }
      if (all || changed.has("learner")) {
        learner.value = state.learner in shared.project.learners ? state.learner : "direct";
        drawOptions();
      }
      if (all) watchAll().catch(error => shared.say(messageOf(error), true));
      if (changed.has("size")) for (const panel of shown.values()) panel.draw();
      if (["all", "data", "queries", "metric", "normalize", "reference"].some(key => changed.has(key))) models.draw();
    },
  };
}
