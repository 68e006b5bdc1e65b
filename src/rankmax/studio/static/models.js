// Table of saved models compared with the reference, to be loaded, downloaded and exported.

import { address, ask, latest } from "./api.js";
import { el } from "./charts/elements.js";
import { number } from "./charts/numbers.js";
import { copyButton } from "./copy.js";
import { curveEditor } from "./curve_editor.js";
import { addStep, curveChart, curveLegend, curveTable } from "./curves.js";
import { messageOf } from "./dom.js";
import { gainCells, partName, result, valueCells, valueHeads } from "./parts_table.js";
import { csv, download, saveButtons } from "./save.js";
import { reference, referenceName, view } from "./state.js";

/** @import { ModelTable } from "./answers.js" */
/** @import { Curves } from "./curves.js" */
/** @import { Shared } from "./shared.js" */

const MOST = 30;
const HEADER = ["gain", "95% interval", "p", "W/L/T", "geodesic", "cosine", ""];
// biome-ignore format: a table
const COLUMNS = ["difference", "low", "high", "p", "corrected_p", "wins", "losses", "ties"];

/** @param {Shared} shared */
export function modelsPanel(shared) {
  const table = el("div");
  const curves = el("div", { id: "kept-training" });
  const exported = el("div", { id: "exported" });
  const element = el("section", { class: "panel", "aria-label": "Saved models" });
  element.append(el("h2", {}, "Saved models"), table, curves, exported);

  const draw = latest(async () => {
    const { models } = shared.project;
    if (!models.length) {
      const none = "None yet: train one and keep it, or save the current weights.";
      table.replaceChildren(el("p", { class: "soft" }, none));
      return;
    }
    table.setAttribute("aria-busy", "true");
    if (!table.firstChild) table.append(el("p", {}, "Comparing…"));
    try {
      const question = { reference: reference(shared.about.features), models: models.slice(0, MOST) };
      show(await ask("/api/table", { ...view(), ...question }));
      table.removeAttribute("aria-busy");
    } catch (error) {
      shared.say(messageOf(error), true);
    }
  });

  /** @param {ModelTable} told */
  function show(told) {
    const { metric, level } = told;
    const part = result(told);
    const left = shared.project.models.length - part.rows.length;
    const heads = HEADER.map(text => (text ? el("th", { scope: "col" }, text) : el("td")));
    const first = el(
      "tr",
      {},
      el("th", { scope: "row" }, referenceName()),
      told.parts.map(({ mean }) => el("td", {}, number(mean))),
      el("td", { colspan: 7 }),
    );
    const button = { type: "button", class: "quiet", onclick: () => save(told) };
    table.replaceChildren(
      el(
        "div",
        { class: "scroll", tabindex: 0, role: "region", "aria-label": "Values of saved models" },
        el(
          "table",
          { id: "models" },
          el("thead", {}, el("tr", {}, el("th", { scope: "col" }, metric), valueHeads(told), heads)),
          el(
            "tbody",
            {},
            first,
            part.rows.map((_, i) => modelRow(told, i)),
          ),
        ),
      ),
      el(
        "p",
        { class: "soft" },
        `Gain over ${referenceName()} on the ${partName(part)} queries; ▲ ▼ significantly better or worse: `,
        `randomization test, p < ${level}, corrected for the number of models (Holm). `,
        "Geodesic: distance from the reference's weights, 0 to π, for nonnegative weights. ",
        left > 0 ? `${left} more are not compared. ` : "",
        el("button", button, "Save the table as CSV"),
      ),
    );
  }

  /** @param {ModelTable} told */
  function save({ metric, parts, distances }) {
    const cells = parts.flatMap(part => [
      [referenceName(), part.data, part.role, part.mean],
      ...part.rows.map(row => [
        row.system,
        part.data,
        part.role,
        row.mean,
        row.difference,
        ...row.interval,
        row.test.p_value,
        row.corrected_p_value,
        row.wins.wins,
        row.wins.losses,
        row.wins.ties,
        distances[row.system]?.geodesic,
        distances[row.system]?.cosine,
      ]),
    ]);
    const names = ["model", "data", "role", metric, ...COLUMNS, "geodesic", "cosine"];
    download(`models-${metric}.csv`, csv([names, ...cells]));
  }

  /**
   * @param {ModelTable} told
   * @param {number} i
   */
  function modelRow(told, i) {
    const part = result(told);
    const { system } = part.rows[i];
    const distance = told.distances[system];
    const targets = el(
      "select",
      {
        "aria-label": `export ${system}`,
        onchange: event => event.target.value && showExport(system, event.target.value),
      },
      el("option", { value: "" }, "Export to …"),
      shared.project.targets.map(target => el("option", { value: target }, target)),
    );
    const file = address(`/api/models/${encodeURIComponent(system)}/file`);
    const editing = { type: "button", class: "quiet", "aria-label": `Curves of ${system}` };
    const showing = { type: "button", class: "quiet", "aria-label": `Training of ${system}` };
    const load = { type: "button", class: "quiet", "aria-label": `Load ${system}` };
    return el(
      "tr",
      { "data-model": system },
      el("th", { scope: "row" }, system),
      valueCells(told, i),
      gainCells(part, i),
      el("td", {}, number(distance?.geodesic, 3)),
      el("td", {}, number(distance?.cosine, 3)),
      el(
        "td",
        {},
        el("button", { ...load, onclick: () => shared.loadModel(system) }, "Load"),
        shared.project.additive.includes(system)
          ? el("button", { ...editing, onclick: () => showCurves(system) }, "Curves")
          : null,
        shared.project.trained.includes(system)
          ? el("button", { ...showing, onclick: () => showTraining(system) }, "Training")
          : null,
        el("a", { class: "quiet", href: file, download: system, "aria-label": `Download ${system}` }, "Download"),
        targets,
      ),
    );
  }

  /** @param {string} model */
  async function showCurves(model) {
    try {
      const told = await ask(`/api/models/${encodeURIComponent(model)}`);
      const width = Math.max(300, Math.min(560, element.clientWidth - 24));
      curves.replaceChildren(...curveEditor(shared, model, told.curves ?? [], { width, saved: draw }));
      shared.say("");
      curves.scrollIntoView({ block: "nearest" });
    } catch (error) {
      curves.replaceChildren();
      shared.say(messageOf(error), true);
    }
  }

  /**
   * The curves of the training that a model came out of.
   *
   * @param {string} model
   */
  async function showTraining(model) {
    try {
      const { metric, data, steps } = await ask(`/api/trainings/${encodeURIComponent(model)}`);
      /** @type {Curves} */
      const paths = new Map();
      for (const step of steps) addStep(paths, step);
      const chart = curveChart({ curves: paths, metric, width: Math.max(300, element.clientWidth - 24) });
      const save = saveButtons(
        () => `ascents-${model.replace(/\.json$/, "")}`,
        () => chart,
        () => curveTable(paths),
      );
      curves.replaceChildren(
        el("h3", {}, `Training of ${model}, ${metric} on ${data}`),
        chart,
        curveLegend(paths),
        el("p", { class: "soft" }, save),
      );
      shared.say("");
      curves.scrollIntoView({ block: "nearest" });
    } catch (error) {
      curves.replaceChildren();
      shared.say(messageOf(error), true);
    }
  }

  /**
   * @param {string} model
   * @param {string} target
   */
  async function showExport(model, target) {
    try {
      const { text } = await ask("/api/export", { model, target });
      const name = `${model.replace(/\.json$/, "")}-${target}.txt`;
      exported.replaceChildren(
        el("h3", {}, `${model} for ${target}`),
        el("pre", { tabindex: 0, role: "region", "aria-label": `${model} for ${target}` }, text),
        el(
          "div",
          { class: "bar" },
          copyButton(() => text),
          el("button", { type: "button", onclick: () => download(name, new Blob([text])) }, "Save"),
        ),
      );
      shared.say("");
      exported.scrollIntoView({ block: "nearest" });
    } catch (error) {
      exported.replaceChildren();
      shared.say(messageOf(error), true);
    }
  }

  return { element, draw };
}
