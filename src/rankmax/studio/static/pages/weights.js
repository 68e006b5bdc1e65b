// A slider for every weight, and the exact function along one of them.

import { ask, latest } from "../api.js";
import { counted, el, number, redraw, short } from "../dom.js";
import { saveButtons } from "../save.js";
import { change, current, state, view } from "../state.js";
import { end, stepChart, stepTable } from "../steps.js";

const MOST_ROWS = 150;
const PAUSE = 250;  // milliseconds without a move before the function is followed anew

export function weightsPage(shared) {
  const rows = new Map();
  const filter = el("input", { type: "search", placeholder: "find a feature", "aria-label": "Find a feature", oninput: () => change({ find: filter.value }) });
  const list = el("div", { class: "sliders" });
  const along = el("div", { class: "panel", id: "follow" });
  const name = el("input", { placeholder: "name", "aria-label": "Name of the model", size: 12 });
  const load = el("select", { "aria-label": "Load a model", id: "load", onchange: () => load.value && shared.loadModel(load.value) });
  const element = el("div", { class: "columns" },
    el("section", { class: "panel" },
      el("div", { class: "bar" }, filter,
        el("button", { type: "button", onclick: () => set(() => 1) }, "all 1"),
        el("button", { type: "button", onclick: () => set(() => 0) }, "all 0"),
        el("span", { class: "together" }, load, name, el("button", { type: "button", onclick: save }, "save as model"))),
      list),
    along);
  let told = null, chart = null, later = null, moving = null;
  filter.value = state.find;

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
      found.length > MOST_ROWS ? el("p", { class: "soft" }, `${counted(found.length - MOST_ROWS, "more feature")}: find them by name`) : "",
      found.length ? "" : el("p", { class: "soft" }, "No feature has that in its name."));
    drawWeights();
  }

  function row(feature) {
    const weigh = event => {
      const weight = Number(event.target.value);
      if (Number.isFinite(weight)) change({ w: { ...state.w, [feature]: weight } });
    };
    const slider = el("input", { type: "range", step: "any", "aria-label": `weight of ${feature}`,
      oninput: event => { moving = slider; weigh(event); }, onchange: () => { moving = null; drawWeights(); } });
    const box = el("input", { type: "number", step: "any", "aria-label": `weight of ${feature} as a number`, onchange: weigh });
    rows.set(feature, { slider, box });
    return el("div", { class: "slider", "data-feature": feature }, el("span", { class: "name", title: feature }, feature), slider, box,
      el("button", { type: "button", title: `Jump to the best weight of ${feature}, the others as they are`, onclick: () => best(feature) }, "best"));
  }

  function drawWeights() {
    const largest = Math.max(1, ...Object.values(state.w).map(Math.abs));
    for (const [feature, { slider, box }] of rows) {
      const weight = state.w[feature] ?? 0;
      if (moving !== slider && document.activeElement !== slider) {  // a range that grows under the hand would run away
        slider.min = -2 * largest;
        slider.max = 2 * largest;
      }
      if (Number(slider.value) !== weight) slider.value = weight;
      if (document.activeElement !== box) box.value = Number(weight.toPrecision(6));
    }
  }

  const followed = () => shared.about.features.includes(state.follow) ? state.follow : "";

  async function best(feature) {
    if (await follow(feature)) change({ w: { ...state.w, [feature]: told.best.middle }, follow: feature });
  }

  // Everything but the weight itself: when it changes, so does the function.
  const ground = feature => JSON.stringify([view(), { ...current(), weights: { ...state.w, [feature]: 0 } }]);

  async function follow(feature) {
    along.setAttribute("aria-busy", "true");
    try {
      const asked = ground(feature);
      told = { ...await ask("/api/follow", { ...view(), current: current(), feature }), ground: asked };
      draw();
      return true;
    } catch (error) { shared.say(error.message, true); return false; }
  }
  const followLatest = latest(() => follow(followed()));

  function draw() {
    if (!told) {
      along.replaceChildren(el("p", { class: "soft" }, followed() ? `Following the weight of ${followed()} …`
        : "Press “best” beside a weight: the metric along it is an exact step function, and the weight jumps to the middle of its widest best interval."));
      return;
    }
    const { feature, metric, value, best: top, n_steps } = told;
    chart = stepChart({ told, name: `weight of ${feature}`, metric, width: Math.max(300, along.clientWidth - 24),
      pick: weight => change({ w: { ...state.w, [feature]: weight } }) });
    redraw(along,
      el("h2", {}, `${metric} along ${feature}`),
      el("p", {}, `Best ${number(top.value)} from ${top.low === null ? "−∞" : short(top.low)} to ${end(top.high)}, `,
        `${counted(n_steps, "step")}. The weight was ${short(told.weight)}, with ${number(value)}.`),
      chart.element,
      el("p", { class: "soft" }, "Shaded: the widest best interval. Dashed: the current weight; drag it, or use the arrow keys. ",
        saveButtons(() => `${metric}-${feature}`, () => chart.element, () => stepTable(told))));
    mark();
  }

  function mark() {
    chart.mark(state.w[told.feature] ?? 0);
    const outdated = told.ground !== ground(told.feature);
    if (!outdated) { along.removeAttribute("aria-busy"); return; }
    along.setAttribute("aria-busy", "true");
    clearTimeout(later);
    later = setTimeout(followLatest, PAUSE);
  }

  return { element, close: () => clearTimeout(later), update(changed) {
    const all = changed.has("all");
    if (all || changed.has("data")) drawModels();
    if (all || changed.has("data") || changed.has("find")) drawRows();
    if (changed.has("w")) drawWeights();
    if (told && !shared.about.features.includes(told.feature)) { told = null; draw(); }
    if (followed() && followed() !== told?.feature) followLatest();
    if (all || changed.has("size")) draw();
    else if (told) mark();
  } };
}
