// Table of saved models compared with the reference, to be loaded, downloaded and exported.

import { ask, latest } from "./api.js";
import { el } from "./charts/elements.js";
import { number, probability, signed } from "./charts/numbers.js";
import { messageOf } from "./dom.js";
import { csv, download } from "./save.js";
import { reference, state, view } from "./state.js";

/** @import { ModelRow, ModelTable } from "./answers.js" */
/** @import { Shared } from "./shared.js" */

const MOST = 30;
const HEADER = ["difference", "95% interval", "p", "W/L/T", "geodesic", "cosine"];
// biome-ignore format: a table
const COLUMNS = ["difference", "low", "high", "p", "corrected_p", "wins", "losses", "ties", "geodesic", "cosine"];

/** @param {Shared} shared */
export function modelsPanel(shared) {
  const table = el("div");
  const exported = el("div", { id: "exported" });
  const element = el("section", { class: "panel" }, el("h2", {}, "Saved models"), table, exported);

  const draw = latest(async () => {
    const { models } = shared.project;
    if (!models.length) {
      const none = "None yet: train one and keep it, or save the current weights.";
      table.replaceChildren(el("p", { class: "soft" }, none));
      return;
    }
    table.setAttribute("aria-busy", "true");
    if (!table.firstChild) table.append(el("p", { class: "soft" }, "Comparing…"));
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
    const { mean, rows, metric, level } = told;
    const left = shared.project.models.length - rows.length;
    const heads = ["model", metric, ...HEADER, ""].map(text => el("th", { scope: "col" }, text));
    const first = el(
      "tr",
      {},
      el("th", { scope: "row" }, "the reference"),
      el("td", {}, number(mean)),
      el("td", { colspan: 7 }),
    );
    const button = { type: "button", class: "quiet", "aria-label": "Save the table as CSV", onclick: () => save(told) };
    table.replaceChildren(
      el(
        "div",
        { class: "scroll" },
        el("table", { id: "models" }, el("thead", {}, el("tr", {}, heads)), el("tbody", {}, first, rows.map(modelRow))),
      ),
      el(
        "p",
        { class: "soft" },
        `▲ ▼ significantly better or worse than the reference: randomization test, p < ${level}, `,
        "corrected for the number of models (Holm). ",
        "Geodesic: distance from the reference's weights, 0 to π, for nonnegative weights. ",
        left > 0 ? `${left} more are not compared. ` : "",
        el("button", button, "save CSV"),
      ),
    );
  }

  /** @param {ModelTable} told */
  function save({ metric, mean, rows }) {
    const cells = rows.map(({ comparison: c, distance }) => [
      c.system,
      c.mean,
      c.difference,
      ...c.interval,
      c.p_value,
      c.corrected_p_value,
      c.wins.wins,
      c.wins.losses,
      c.wins.ties,
      distance?.geodesic,
      distance?.cosine,
    ]);
    download(
      `models-${metric}-${state.data}.csv`,
      csv([["model", metric, ...COLUMNS], ["the reference", mean], ...cells]),
    );
  }

  /** @param {ModelRow} row */
  function modelRow({ comparison, distance }) {
    const { system, mean, marker, difference, interval, corrected_p_value, wins } = comparison;
    const cells = [
      `${number(mean)}${marker}`,
      signed(difference),
      `[${signed(interval[0])}, ${signed(interval[1])}]`,
      probability(corrected_p_value),
      `${wins.wins}/${wins.losses}/${wins.ties}`,
      number(distance?.geodesic, 3),
      number(distance?.cosine, 3),
    ];
    const targets = el(
      "select",
      {
        "aria-label": `export ${system}`,
        onchange: event => event.target.value && showExport(system, event.target.value),
      },
      el("option", { value: "" }, "export to …"),
      shared.project.targets.map(target => el("option", { value: target }, target)),
    );
    const file = `/api/models/${encodeURIComponent(system)}/file`;
    return el(
      "tr",
      { "data-model": system },
      el("th", { scope: "row" }, system),
      cells.map(cell => el("td", {}, cell)),
      el(
        "td",
        {},
        el("button", { type: "button", class: "quiet", onclick: () => shared.loadModel(system) }, "load"),
        el("a", { class: "quiet", href: file, download: system }, "download"),
        targets,
      ),
    );
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
        el("pre", { tabindex: 0 }, text),
        el("button", { type: "button", onclick: () => download(name, new Blob([text])) }, "save"),
      );
      exported.scrollIntoView({ block: "nearest" });
    } catch (error) {
      exported.replaceChildren();
      shared.say(messageOf(error), true);
    }
  }

  return { element, draw };
}
