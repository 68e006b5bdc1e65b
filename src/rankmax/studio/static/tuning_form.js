// What to tune: files that are dropped or chosen, the metric, and the fusion in use today.

import { upload } from "./api.js";
import { el } from "./charts/elements.js";
import { labeled, messageOf, options } from "./dom.js";

/** @import { TuningChoices } from "./answers.js" */
/** @import { Shared } from "./shared.js" */

const PURPOSE =
  "Find weights for fusing several search systems, and whether they beat your current fusion on held-out queries.";
/** @type {Record<string, string>} */
const BY = { "": "fixed", auto: "fixed, or by query" };
const FILES = "Drop runs and qrels (TREC format) here, or ";

/**
 * @param {Shared} shared
 * @param {(asked: object) => Promise<void>} start
 */
export function tuningForm(shared, start) {
  const files = el("input", {
    type: "file",
    id: "tuning-files",
    class: "unseen",
    multiple: true,
    onchange: event => add([...(event.target.files ?? [])]),
  });
  const runs = el("fieldset", { class: "runs" });
  const qrels = el("select", { id: "qrels" });
  const metric = el("input", { id: "tuning-metric", list: "tuning-metrics", size: 10 });
  const second = el("input", { id: "tuning-second", list: "tuning-metrics", size: 10, placeholder: "none" });
  const current = el("input", { id: "current", list: "fusions", size: 16, placeholder: "RRF" });
  const fusions = el("datalist", { id: "fusions" });
  const engine = el("select", { id: "engine" });
  const by = options(el("select", { id: "tuning-by" }), ["", "auto"], "", name => BY[name] ?? name);
  const folds = el("input", { id: "folds", type: "number", min: 2, max: 100, value: 5 });
  const seed = el("input", { id: "seed", type: "number", min: 0, value: 0 });
  const source = el("p", { class: "soft", hidden: true });
  const look = { type: "button", class: "main", id: "tune", disabled: true };
  const button = el("button", { ...look, onclick: submit }, "Find better weights");
  const hint = el("p", { class: "soft", id: "tuning-hint" });
  const drop = el(
    "div",
    { class: "drop" },
    el("span", {}, FILES),
    el("label", { class: "button" }, "Choose files", files),
  );
  const element = el(
    "section",
    { class: "panel tuning-form pending", "aria-label": "Tune" },
    el("p", { class: "purpose" }, PURPOSE),
    drop,
    source,
    runs,
    el(
      "div",
      { class: "bar form" },
      labeled("Judgments (qrels)", qrels, "Relevance judgments of the queries"),
      labeled("Metric to maximize", metric, "Any metric, such as nDCG@10, AP or RBP(p=0.8)"),
      labeled("Also report", second, "A second metric, to see what the first one costs it"),
      labeled(
        "Current fusion",
        current,
        "The fusion in use today: RRF, CombSUM, a system, weights such as bm25=0.3,e5=0.7, or a model; RRF if empty",
      ),
      labeled("Search engine", engine, "Restricts candidates to what this engine supports"),
      labeled("Weights", by, "Whether to learn weights that depend on statistics of a query's result lists, too"),
    ),
    el(
      "details",
      {},
      el("summary", {}, "Cross-validation"),
      el("div", { class: "bar" }, labeled("Folds", folds), labeled("Random seed", seed)),
    ),
    el("div", { class: "bar" }, button, hint),
    fusions,
    el("datalist", { id: "tuning-metrics" }),
  );
  /** @type {TuningChoices | null} */
  let known = null;
  let isBusy = false;
  /** @type {Set<string>} */
  const unchecked = new Set();

  for (const kind of ["dragenter", "dragover"]) {
    element.addEventListener(kind, event => {
      event.preventDefault();
      drop.classList.add("over");
    });
  }
  element.addEventListener("dragleave", () => drop.classList.remove("over"));
  element.addEventListener("drop", event => {
    event.preventDefault();
    drop.classList.remove("over");
    add([...(event.dataTransfer?.files ?? [])]);
  });

  /** @param {File[]} chosen */
  async function add(chosen) {
    const failed = [];
    for (const file of chosen) {
      shared.say(`adding ${file.name} …`);
      try {
        await upload(file);
      } catch (error) {
        failed.push(messageOf(error));
      }
    }
    await shared.restart();
    if (failed.length) shared.say(failed.join("; "), true);
    else
      shared.say(
        `${chosen.map(file => file.name).join(", ")} ${chosen.length === 1 ? "is" : "are"} now in the project`,
      );
  }

  /** @returns {string[]} */
  const checked = () => (known?.runs ?? []).filter(name => !unchecked.has(name));

  function review() {
    const project = fromProject();
    const lacks = [
      !project && checked().length < 2 ? "at least two runs" : "",
      !project && !known?.qrels.length ? "judgments (qrels)" : "",
    ].filter(Boolean);
    hint.textContent = isBusy ? "A tuning is running." : lacks.length ? `Still needed: ${lacks.join(" and ")}.` : "";
    button.disabled = isBusy || lacks.length > 0;
  }

  const fromProject = () => known?.project?.error === null && !known.runs.length;

  function submit() {
    const models = known?.models ?? [];
    const isModel = models.includes(current.value);
    const metrics = [metric.value.trim(), second.value.trim()].filter(Boolean);
    return start({
      ...(fromProject() ? { from_project: true } : { runs: checked(), qrels: qrels.value }),
      metrics,
      ...(isModel ? { current_model: current.value } : { current: current.value }),
      engine: engine.value || null,
      by: by.value || null,
      folds: Number(folds.value),
      seed: Number(seed.value),
    });
  }

  return {
    element,
    /** @param {boolean} is */
    busy(is) {
      isBusy = is;
      review();
    },
    /** @param {TuningChoices} choices */
    draw(choices) {
      known = choices;
      const { project } = choices;
      if (!metric.value) metric.value = project?.metric ?? "nDCG@10";
      runs.hidden = !choices.runs.length;
      runs.replaceChildren(
        el("legend", {}, "Runs to fuse"),
        ...choices.runs.map(name => {
          const box = el("input", {
            type: "checkbox",
            value: name,
            onchange: () => {
              if (box.checked) unchecked.delete(name);
              else unchecked.add(name);
              review();
            },
          });
          box.checked = !unchecked.has(name);
          return el("label", {}, box, ` ${name}`);
        }),
      );
      source.hidden = !project;
      source.textContent = !project
        ? ""
        : (project.error ?? (fromProject() ? `Runs and judgments of rankmax.toml: ${project.runs.join(", ")}.` : ""));
      options(qrels, choices.qrels, qrels.value);
      options(engine, ["", ...choices.engines], engine.value || (project?.engine ?? ""), name => name || "any");
      const systems = (choices.runs.length ? choices.runs : (project?.runs ?? [])).map(name =>
        name.replace(/\..*$/, ""),
      );
      fusions.replaceChildren(
        ...["RRF", "CombSUM", ...systems, ...choices.models].map(value => el("option", { value })),
      );
      element
        .querySelector("#tuning-metrics")
        ?.replaceChildren(...shared.project.metrics.map(value => el("option", { value })));
      review();
    },
  };
}
