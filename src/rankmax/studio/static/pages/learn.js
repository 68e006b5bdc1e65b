// Training in the background, and the models that came of it.

import { ask, stream } from "../api.js";
import { curveChart, curveLegend, curveTable } from "../curves.js";
import { el, labelled, number, options, signed } from "../dom.js";
import { download, saveButtons } from "../save.js";
import { change, reference, state, view } from "../state.js";

const HINTS = { direct: "the metric itself, by exact line searches from several starts", "structural-svm": "a convex bound of the metric with a margin",
  "expected-gain": "the gain expected by a logistic model of the grades", surrogate: "linear scores by a surrogate loss", "ranking-svm": "pairs of documents with a margin",
  "classification-svm": "relevant documents from others with a margin", "maximum-entropy": "the likelihood of relevance", "least-squares": "the grades, regressed on the features" };
const OPTIONS = { space: ["space", "choice"], n_restarts: ["starts", 10], n_bags: ["bags", 0], shrinkage: ["shrinkage", 0.5], seed: ["seed", 0],
  time_limit: ["seconds at most", ""], C: ["C", ""], ridge: ["ridge", ""], relevant_from: ["relevant from", ""] };

export function learnPage(shared) {
  const learner = options(el("select", { id: "learner", onchange: drawOptions }), Object.keys(shared.project.learners), "direct");
  const validation = el("select", { id: "validation" }), fields = el("div", { class: "bar" }), hint = el("p", { class: "soft" });
  const runs = el("div", {}), table = el("div", {}), exported = el("div", { id: "exported" });
  const element = el("div", {},
    el("section", { class: "panel" }, el("h2", {}, "Train"),
      el("div", { class: "bar" }, labelled("learner", learner), labelled("validation", validation, "Queries that choose among what was found")), hint, fields,
      el("button", { type: "button", id: "start", class: "main", onclick: start }, "start training")),
    runs, el("section", { class: "panel" }, el("h2", {}, "Saved models"), table, exported));
  const shown = new Map(), aborts = [];

  function drawOptions() {
    hint.textContent = HINTS[learner.value];
    const own = shared.project.learners[learner.value].filter(option => option in OPTIONS);
    fields.replaceChildren(...own.map(option => {
      const [label, initial] = OPTIONS[option];
      const input = initial === "choice" ? options(el("select", { id: `option-${option}` }), shared.project.spaces, "euclidean")
        : el("input", { id: `option-${option}`, type: "number", step: "any", min: 0 });
      if (initial !== "choice") input.value = initial;
      return labelled(label, input);
    }));
  }

  function chosenOptions() {
    const given = [...fields.querySelectorAll("input, select")].map(input => [input.id.replace("option-", ""), input.value]);
    return Object.fromEntries(given.filter(([option, value]) => value !== "" && !(option === "n_bags" && value === "0"))
      .map(([option, value]) => [option, option === "space" ? value : Number(value)]));
  }

  async function start() {
    try {
      const { run } = await ask("/api/runs", { ...view(), learner: learner.value, normalise: state.normalise,
        validation: validation.value || null, options: chosenOptions() });
      watch(run);
    } catch (error) { shared.say(error.message, true); }
  }

  async function watch(run) {
    if (shown.has(run)) return;
    const curves = new Map(), box = el("section", { class: "panel run", "data-run": run });
    shown.set(run, box);
    runs.prepend(box);
    const about = (await ask("/api/runs")).find(other => other.run === run);
    const abort = new AbortController();
    aborts.push(abort);
    let waiting = null;
    const redraw = ended => { waiting = null; drawRun(box, run, about, curves, ended); };
    redraw(null);
    try {
      await stream(`/api/runs/${run}/events`, undefined, (kind, content) => {
        if (kind === "end") { cancelAnimationFrame(waiting); redraw(content); return; }
        if (!curves.has(content.climb)) curves.set(content.climb, []);
        curves.get(content.climb).push([content.n_lines, content.value]);
        waiting ??= requestAnimationFrame(() => redraw(null));
      }, abort.signal);
    } catch (error) {
      if (error.name !== "AbortError") { shown.delete(run); box.remove(); shared.say(error.message, true); }
    }
  }

  function drawRun(box, run, about, curves, ended) {
    const state_ = ended?.state ?? "running";
    const picture = curves.size ? curveChart({ curves, metric: about.metric, width: Math.max(300, box.clientWidth - 24) }) : "";
    const name = el("input", { placeholder: "name", "aria-label": "Name of the model", size: 14, class: "name" });
    const act = (label, work, properties = {}) => el("button", { type: "button", ...properties, onclick: async () => {
      try { await work(); } catch (error) { shared.say(error.message, true); }
    } }, label);
    const forget = () => { shown.delete(run); box.remove(); };
    box.replaceChildren(
      el("h2", {}, `${about.learner}, ${about.metric} on ${about.data}: ${state_}`),
      el("p", { class: "soft" }, ended?.training ? `${about.metric} ${number(ended.training.value)} on the training queries, `
        + `${ended.training.n_lines} lines in ${ended.training.n_ascents} ascents, ${ended.training.stopped_by}. ` : "",
        ended?.message ?? (curves.size ? `${curves.size} starts so far` : "starting a process of its own…")),
      picture, picture ? curveLegend(curves) : "",
      el("div", { class: "bar" },
        ended ? "" : act("stop", () => ask(`/api/runs/${run}/stop`, {}), { class: "stop" }),
        ended?.weights ? act("use the weights", () => change({ w: onlyUsed(ended.weights), normalise: about.normalise }), { class: "use" }) : "",
        state_ === "ended" ? el("span", { class: "together" }, name, act("keep", async () => {
          const kept = await ask("/api/runs/keep", { run, name: name.value });
          forget();
          await shared.reloadProject();
          await drawTable();
          shared.say(`saved ${kept.name}`);
        }, { class: "keep" })) : "",
        act("discard", async () => { await ask(`/api/runs/${run}`, undefined, { method: "DELETE" }); forget(); }, { class: "discard" }),
        picture ? saveButtons(() => `ascents-${run}`, () => picture, () => curveTable(curves)) : ""));
  }

  const onlyUsed = weights => Object.fromEntries(Object.entries(weights).filter(([name, weight]) => weight && shared.about.features.includes(name)));

  async function drawTable() {
    const { models } = shared.project;
    if (!models.length) { table.replaceChildren(el("p", { class: "soft" }, "None yet: train one and keep it, or save the weights of the page.")); return; }
    try {
      const { mean, rows, metric } = await ask("/api/table", { ...view(), reference: reference(shared.about.features), models: models.slice(0, 30) });
      const header = ["model", metric, "difference", "95% interval", "p", "W/L/T", "geodesic", "cosine", ""];
      table.replaceChildren(
        el("div", { class: "scroll" }, el("table", { id: "models" }, el("thead", {}, el("tr", {}, header.map(text => el("th", {}, text)))),
          el("tbody", {}, el("tr", {}, el("th", { scope: "row" }, "the reference"), el("td", {}, number(mean)), el("td", { colspan: 7 })), rows.map(modelRow)))),
        el("p", { class: "soft" }, "▲ ▼ significantly better or worse than the reference: randomisation test, p < 0.05, corrected for the number of models (Holm). ",
          "Geodesic: distance of the weights to the reference's, 0 to π, where none is negative."));
    } catch (error) { shared.say(error.message, true); }
  }

  function modelRow({ comparison, distance }) {
    const { system, mean, marker, difference, interval, corrected_p_value, wins } = comparison;
    const file = async () => download(system, new Blob([await (await fetch(`/api/models/${encodeURIComponent(system)}/file`)).text()]));
    return el("tr", { "data-model": system }, el("th", { scope: "row" }, system), el("td", {}, `${number(mean)}${marker}`), el("td", {}, signed(difference)),
      el("td", {}, `[${signed(interval[0])}, ${signed(interval[1])}]`), el("td", {}, corrected_p_value < 0.0001 ? "<0.0001" : number(corrected_p_value)),
      el("td", {}, `${wins.wins}/${wins.losses}/${wins.ties}`), el("td", {}, number(distance?.geodesic, 3)), el("td", {}, number(distance?.cosine, 3)),
      el("td", {}, el("button", { type: "button", class: "quiet", onclick: () => shared.loadModel(system) }, "load"),
        el("button", { type: "button", class: "quiet", onclick: file }, "download"),
        el("select", { "aria-label": `export ${system}`, onchange: event => event.target.value && showExport(system, event.target.value) },
          el("option", { value: "" }, "export to …"), shared.project.targets.map(target => el("option", { value: target }, target)))));
  }

  async function showExport(model, target) {
    try {
      const { text } = await ask("/api/export", { model, target });
      exported.replaceChildren(el("h3", {}, `${model} for ${target}`), el("pre", {}, text),
        el("button", { type: "button", onclick: () => download(`${model.replace(/\.json$/, "")}-${target}.txt`, new Blob([text])) }, "save"));
    } catch (error) { exported.replaceChildren(); shared.say(error.message, true); }
  }

  return { element, close: () => aborts.forEach(abort => abort.abort()), update(changed) {
    if (changed.has("all") || changed.has("data")) {
      options(validation, ["", ...shared.project.data.filter(name => name !== state.data)], "", name => name || "none");
      drawOptions();
    }
    if (changed.has("all")) ask("/api/runs").then(all => all.forEach(({ run }) => watch(run))).catch(error => shared.say(error.message, true));
    if (["all", "data", "queries", "metric", "normalise", "reference"].some(key => changed.has(key))) drawTable();
  } };
}
