// Training in the background, and the models that came of it.

import { ask } from "../api.js";
import { el, labelled, options } from "../dom.js";
import { modelsPanel } from "../models.js";
import { runPanel } from "../run.js";
import { change, state, view } from "../state.js";

const HINTS = {
  direct: "Maximises the metric itself, by exact line searches from several starts.",
  "structural-svm": "Minimises a convex bound of the metric's loss, with a margin.",
  "expected-gain": "Ranks by the gain that a logistic model of the grades expects.",
  surrogate: "Fits linear scores by a smooth surrogate loss.",
  "ranking-svm": "Orders pairs of documents, with a margin.",
  "classification-svm": "Separates relevant documents from others, with a margin.",
  "maximum-entropy": "Maximises the likelihood of relevance.",
  "least-squares": "Regresses the grades on the features.",
};
const OPTIONS = { space: ["space", "choice"], n_restarts: ["starts", "10"], n_bags: ["bags", "0"], shrinkage: ["shrinkage", "0.5"], seed: ["seed", "0"],
  time_limit: ["seconds at most", ""], C: ["C", ""], ridge: ["ridge", ""], relevant_from: ["relevant from", ""] };

export function learnPage(shared) {
  const learner = options(el("select", { id: "learner", onchange: () => change({ learner: learner.value, options: "" }) }),
    Object.keys(shared.project.learners), state.learner);
  const validation = el("select", { id: "validation", onchange: () => change({ validation: validation.value }) });
  const fields = el("div", { class: "fields" }), hint = el("p", { class: "soft" }), runs = el("div"), models = modelsPanel(shared);
  const element = el("div", {},
    el("section", { class: "panel" }, el("h2", {}, "Train"),
      el("div", { class: "bar" }, labelled("learner", learner), labelled("validation", validation, "Queries that choose among what was found"), fields), hint,
      el("button", { type: "button", id: "start", class: "main", onclick: start }, "start training")),
    runs, models.element);
  const shown = new Map();

  // Options that differ from what they begin with are in the address.
  function drawOptions() {
    hint.textContent = HINTS[learner.value];
    const given = new URLSearchParams(state.options), own = shared.project.learners[learner.value].filter(option => option in OPTIONS);
    fields.replaceChildren(...own.map(option => {
      const [label, initial] = OPTIONS[option], id = `option-${option}`, onchange = keepOptions;
      if (initial === "choice") return labelled(label, options(el("select", { id, onchange }), shared.project.spaces, given.get(option) ?? "euclidean"));
      const input = el("input", { id, onchange, type: "number", step: "any", min: 0 });
      input.value = given.get(option) ?? initial;
      return labelled(label, input);
    }));
  }

  const written = () => [...fields.querySelectorAll("input, select")].map(input => [input.id.replace("option-", ""), input.value]);

  function keepOptions() {
    const usual = { ...Object.fromEntries(Object.entries(OPTIONS).map(([option, [, initial]]) => [option, initial])), space: "euclidean" };
    change({ options: new URLSearchParams(written().filter(([option, value]) => value !== usual[option])).toString() });
  }

  function chosenOptions() {
    return Object.fromEntries(written().filter(([option, value]) => value !== "" && !(option === "n_bags" && value === "0"))
      .map(([option, value]) => [option, option === "space" ? value : Number(value)]));
  }

  async function start() {
    try {
      await ask("/api/runs", { ...view(), learner: learner.value, normalise: state.normalise, validation: validation.value || null, options: chosenOptions() });
      await watchAll();
    } catch (error) { shared.say(error.message, true); }
  }

  async function watchAll() {
    for (const about of await ask("/api/runs")) if (!shown.has(about.run)) watch(about);
  }

  function watch(about) {
    const gone = () => { panel.element.remove(); shown.delete(about.run); };
    const panel = runPanel(about, { say: shared.say, gone,
      use: (weights, normalise) => change({ w: onlyUsed(weights), normalise }),
      kept: async name => { gone(); await shared.reloadProject(); await models.draw(); shared.say(`saved ${name}`); } });
    shown.set(about.run, panel);
    runs.prepend(panel.element);
    panel.watch();
  }

  const onlyUsed = weights => Object.fromEntries(Object.entries(weights).filter(([name, weight]) => weight && shared.about.features.includes(name)));

  return { element, close: () => shown.forEach(panel => panel.close()), update(changed) {
    const all = changed.has("all");
    if (all || changed.has("data")) {
      options(validation, ["", ...shared.project.data.filter(name => name !== state.data)], state.validation, name => name || "none");
    }
    if (all || changed.has("learner")) { learner.value = state.learner in HINTS ? state.learner : "direct"; drawOptions(); }
    if (all) watchAll().catch(error => shared.say(error.message, true));
    if (changed.has("size")) shown.forEach(panel => panel.draw());
    if (["all", "data", "queries", "metric", "normalise", "reference"].some(key => changed.has(key))) models.draw();
  } };
}
