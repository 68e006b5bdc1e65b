// Saved models in a table against the reference, to be loaded, downloaded and exported.

import { ask, latest } from "./api.js";
import { el, number, signed } from "./dom.js";
import { csv, download } from "./save.js";
import { reference, state, view } from "./state.js";

const MOST = 30;
const HEADER = ["difference", "95% interval", "p", "W/L/T", "geodesic", "cosine"];

export function modelsPanel(shared) {
  const table = el("div"), exported = el("div", { id: "exported" });
  const element = el("section", { class: "panel" }, el("h2", {}, "Saved models"), table, exported);

  const draw = latest(async () => {
    const { models } = shared.project;
    if (!models.length) { table.replaceChildren(el("p", { class: "soft" }, "None yet: train one and keep it, or save the weights of the page.")); return; }
    table.setAttribute("aria-busy", "true");
    if (!table.firstChild) table.append(el("p", { class: "soft" }, "Comparing…"));
    try {
      show(await ask("/api/table", { ...view(), reference: reference(shared.about.features), models: models.slice(0, MOST) }));
      table.removeAttribute("aria-busy");
    } catch (error) { shared.say(error.message, true); }
  });

  function show({ mean, rows, metric, level }) {
    const left = shared.project.models.length - rows.length;
    table.replaceChildren(
      el("div", { class: "scroll" }, el("table", { id: "models" },
        el("thead", {}, el("tr", {}, ["model", metric, ...HEADER, ""].map(text => el("th", { scope: "col" }, text)))),
        el("tbody", {}, el("tr", {}, el("th", { scope: "row" }, "the reference"), el("td", {}, number(mean)), el("td", { colspan: 7 })), rows.map(modelRow)))),
      el("p", { class: "soft" }, `▲ ▼ significantly better or worse than the reference: randomisation test, p < ${level}, corrected for the number of models (Holm). `,
        "Geodesic: distance of the weights to the reference's, 0 to π, where none is negative. ", left > 0 ? `${left} more are not compared. ` : "",
        el("button", { type: "button", class: "quiet", "aria-label": "Save the table as CSV", onclick: () => save(metric, mean, rows) }, "save CSV")));
  }

  function save(metric, mean, rows) {
    const header = ["model", metric, "difference", "low", "high", "p", "corrected_p", "wins", "losses", "ties", "geodesic", "cosine"];
    download(`models-${metric}-${state.data}.csv`, new Blob([csv([header, ["the reference", mean], ...rows.map(({ comparison: c, distance }) =>
      [c.system, c.mean, c.difference, ...c.interval, c.p_value, c.corrected_p_value, c.wins.wins, c.wins.losses, c.wins.ties, distance?.geodesic, distance?.cosine])])],
      { type: "text/csv" }));
  }

  function modelRow({ comparison, distance }) {
    const { system, mean, marker, difference, interval, corrected_p_value, wins } = comparison;
    return el("tr", { "data-model": system }, el("th", { scope: "row" }, system), el("td", {}, `${number(mean)}${marker}`), el("td", {}, signed(difference)),
      el("td", {}, `[${signed(interval[0])}, ${signed(interval[1])}]`), el("td", {}, corrected_p_value < 0.0001 ? "<0.0001" : number(corrected_p_value)),
      el("td", {}, `${wins.wins}/${wins.losses}/${wins.ties}`), el("td", {}, number(distance?.geodesic, 3)), el("td", {}, number(distance?.cosine, 3)),
      el("td", {}, el("button", { type: "button", class: "quiet", onclick: () => shared.loadModel(system) }, "load"),
        el("a", { class: "quiet", href: `/api/models/${encodeURIComponent(system)}/file`, download: system }, "download"),
        el("select", { "aria-label": `export ${system}`, onchange: event => event.target.value && showExport(system, event.target.value) },
          el("option", { value: "" }, "export to …"), shared.project.targets.map(target => el("option", { value: target }, target)))));
  }

  async function showExport(model, target) {
    try {
      const { text } = await ask("/api/export", { model, target });
      exported.replaceChildren(el("h3", {}, `${model} for ${target}`), el("pre", { tabindex: 0 }, text),
        el("button", { type: "button", onclick: () => download(`${model.replace(/\.json$/, "")}-${target}.txt`, new Blob([text])) }, "save"));
      exported.scrollIntoView({ block: "nearest" });
    } catch (error) { exported.replaceChildren(); shared.say(error.message, true); }
  }

  return { element, draw };
}
