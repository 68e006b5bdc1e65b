// A slider for every weight, and the exact function along one of them.

import { ask, latest } from "../api.js";
import { el, number, short } from "../dom.js";
import { saveButtons } from "../save.js";
import { change, current, state, view } from "../state.js";
import { end, stepChart, stepTable } from "../steps.js";

const MOST_ROWS = 150;

export function weightsPage(shared) {
  const rows = new Map();
  const filter = el("input", { type: "search", placeholder: "find a feature", "aria-label": "Find a feature", oninput: () => drawRows() });
  const list = el("div", { class: "sliders" });
  const chart = el("div", { class: "panel", id: "follow" });
  const name = el("input", { placeholder: "name", "aria-label": "Name of the model", size: 12 });
  const load = el("select", { "aria-label": "Load a model", id: "load", onchange: () => load.value && shared.loadModel(load.value) });
  const element = el("div", { class: "columns" },
    el("section", { class: "panel" },
      el("div", { class: "bar" }, filter,
        el("button", { type: "button", onclick: () => set(() => 1) }, "all 1"),
        el("button", { type: "button", onclick: () => set(() => 0) }, "all 0"), load,
        el("span", { class: "together" }, name, el("button", { type: "button", onclick: save }, "save as model"))),
      list),
    chart);
  let told = null;

  const set = weight => change({ w: Object.fromEntries(shared.about.features.map(feature => [feature, weight(feature)])) });

  async function save() {
    try {
      const saved = await ask("/api/models", { ...view(), current: current(), name: name.value });
      await shared.reloadProject();
      drawModels();
      shared.say(`saved ${saved.name}`);
    } catch (error) { shared.say(error.message, true); }
  }

  function drawModels() {
    load.replaceChildren(el("option", { value: "" }, "load a model"), ...shared.project.models.map(value => el("option", { value }, value)));
  }

  function drawRows() {
    const sought = filter.value.toLowerCase();
    const found = shared.about.features.filter(feature => feature.toLowerCase().includes(sought));
    rows.clear();
    list.replaceChildren(...found.slice(0, MOST_ROWS).map(row),
      found.length > MOST_ROWS ? el("p", { class: "soft" }, `${found.length - MOST_ROWS} more: find them by name`) : "");
    drawWeights();
  }

  function row(feature) {
    const weigh = event => {
      const weight = Number(event.target.value);
      if (Number.isFinite(weight)) change({ w: { ...state.w, [feature]: weight } });
    };
    const slider = el("input", { type: "range", step: "any", "aria-label": `weight of ${feature}`, oninput: weigh, onchange: () => drawWeights() });
    const box = el("input", { type: "number", step: "any", "aria-label": `weight of ${feature} as a number`, onchange: weigh });
    rows.set(feature, { slider, box });
    return el("div", { class: "slider", "data-feature": feature }, el("span", { class: "name", title: feature }, feature), slider, box,
      el("button", { type: "button", title: `Jump to the best weight of ${feature}, the others as they are`, onclick: () => best(feature) }, "best"));
  }

  function drawWeights() {
    const largest = Math.max(1, ...Object.values(state.w).map(Math.abs));
    for (const [feature, { slider, box }] of rows) {
      const weight = state.w[feature] ?? 0;
      if (document.activeElement !== slider) {  // a range that grows under the hand would run away
        slider.min = -2 * largest;
        slider.max = 2 * largest;
      }
      if (Number(slider.value) !== weight) slider.value = weight;
      if (document.activeElement !== box) box.value = Number(weight.toPrecision(6));
    }
  }

  async function best(feature) {
    if (await follow(feature)) change({ w: { ...state.w, [feature]: told.best.middle }, follow: feature });
  }

  async function follow(feature) {
    try {
      told = await ask("/api/follow", { ...view(), current: current(), feature });
      draw();
      return true;
    } catch (error) { shared.say(error.message, true); return false; }
  }
  const followLatest = latest(() => follow(state.follow));

  function draw() {
    if (!told) {
      chart.replaceChildren(el("p", { class: "soft" }, "Press “best” beside a weight: the metric along it is an exact step function, ",
        "and the weight jumps to the middle of its widest best interval."));
      return;
    }
    const { feature, metric, value, best: top, n_steps } = told, at = state.w[feature] ?? 0;
    const picture = stepChart({ told, at, name: feature, metric, width: Math.max(300, chart.clientWidth - 24),
      pick: weight => change({ w: { ...state.w, [feature]: weight } }) });
    chart.replaceChildren(
      el("h2", {}, `${metric} along ${feature}`),
      el("p", {}, `Best ${number(top.value)} from ${top.low === null ? "−∞" : short(top.low)} to ${end(top.high)}, `,
        `${n_steps} steps. The weight was ${short(told.weight)}, with ${number(value)}.`),
      picture,
      el("p", { class: "soft" }, "Shaded: the widest best interval. Dashed: the current weight; drag it. ",
        saveButtons(() => `${metric}-${feature}`, () => picture, () => stepTable(told))));
  }

  return { element, update(changed) {
    if (changed.has("all") || changed.has("data")) { drawModels(); drawRows(); }
    if (changed.has("w")) drawWeights();
    const others = ["data", "queries", "metric", "normalise"].some(key => changed.has(key));
    if (state.follow && (changed.has("all") || others)) followLatest();
    else if (changed.has("all") || changed.has("size") || changed.has("w")) draw();
  } };
}
