// A slider for every weight, and the metric as an exact function of one of them.

import { ask, latest } from "../api.js";
import { el } from "../charts/elements.js";
import { counted, number, short } from "../charts/numbers.js";
import { messageOf, redraw } from "../dom.js";
import { saveButtons } from "../save.js";
import { change, current, state, view } from "../state.js";
import { end, stepChart, stepTable } from "../steps.js";

/** @import { WeightFunction } from "../answers.js" */
/** @import { ControlEvent } from "../charts/elements.js" */
/** @import { Page, Shared } from "../shared.js" */
/** @import { StepChart } from "../steps.js" */

const MOST_ROWS = 150;
const PAUSE = 250; // milliseconds without a move before the function is computed again
const INVITATION =
  "Press “Jump to best” beside a weight: the metric along it is an exact step function, " +
  "and the weight jumps to the middle of its widest best interval.";

/**
 * @param {Shared} shared
 * @returns {Page}
 */
export function weightsPage(shared) {
  /** @type {Map<string, { slider: HTMLInputElement, box: HTMLInputElement }>} */
  const rows = new Map();
  const filter = el("input", {
    type: "search",
    placeholder: "find a feature",
    "aria-label": "Find a feature",
    oninput: event => change({ find: event.target.value }),
  });
  const list = el("div", { class: "sliders" });
  const along = el("div", { class: "panel", id: "follow" });
  const name = el("input", { placeholder: "name", "aria-label": "Name of the model", size: 12 });
  const load = el("select", {
    "aria-label": "Load a model",
    id: "load",
    onchange: event => event.target.value && shared.loadModel(event.target.value),
  });
  const element = el(
    "div",
    { class: "columns" },
    el(
      "section",
      { class: "panel" },
      el(
        "div",
        { class: "bar" },
        filter,
        el("button", { type: "button", onclick: () => set(1) }, "all 1"),
        el("button", { type: "button", onclick: () => set(0) }, "all 0"),
        el("span", { class: "together" }, load, name, el("button", { type: "button", onclick: save }, "save as model")),
      ),
      list,
    ),
    along,
  );
  /** @type {(WeightFunction & { ground: string }) | null} */
  let told = null;
  /** @type {StepChart | null} */
  let chart = null;
  /** @type {number | undefined} */
  let later;
  /** @type {HTMLInputElement | null} */
  let moving = null;
  filter.value = state.find;

  /** @param {number} weight */
  const set = weight => change({ w: Object.fromEntries(shared.about.features.map(feature => [feature, weight])) });

  /** A name that no model of the project has. */
  function freeName() {
    let n = 1;
    while (shared.project.models.includes(`weights-${n}.json`)) n++;
    return `weights-${n}`;
  }

  async function save() {
    if (!name.value.trim()) {
      shared.say("Give the model a name", true);
      name.focus();
      return;
    }
    try {
      const saved = await ask("/api/models", { ...view(), current: current(), name: name.value.trim() });
      await shared.reloadProject();
      drawModels();
      shared.say(`saved ${saved.name}`);
    } catch (error) {
      shared.say(messageOf(error), true);
    }
  }

  function drawModels() {
    const models = shared.project.models.map(value => el("option", { value }, value));
    load.replaceChildren(el("option", { value: "" }, "load a model"), ...models);
    name.value = freeName();
  }

  function drawRows() {
    const sought = filter.value.toLowerCase();
    const found = shared.about.features.filter(feature => feature.toLowerCase().includes(sought));
    const more = found.length - MOST_ROWS;
    rows.clear();
    list.replaceChildren(
      ...found.slice(0, MOST_ROWS).map(row),
      more > 0 ? el("p", { class: "soft" }, `${counted(more, "more feature")}: find them by name`) : "",
      found.length ? "" : el("p", { class: "soft" }, "No feature has that in its name."),
    );
    drawWeights();
  }

  /** @param {string} feature */
  function row(feature) {
    /** @param {ControlEvent} event */
    const weigh = event => {
      const weight = Number(event.target.value);
      if (Number.isFinite(weight)) change({ w: { ...state.w, [feature]: weight } });
    };
    const slider = el("input", {
      type: "range",
      step: "any",
      "aria-label": `weight of ${feature}`,
      oninput: event => {
        moving = slider;
        weigh(event);
      },
      onchange: () => {
        moving = null;
        drawWeights();
      },
    });
    const box = el("input", {
      type: "number",
      step: "any",
      "aria-label": `weight of ${feature} as a number`,
      onchange: weigh,
    });
    rows.set(feature, { slider, box });
    const jump = {
      type: "button",
      title: `Jump to the best weight of ${feature}; the others stay fixed`,
      "aria-label": `Jump to best: ${feature}`,
      onclick: () => best(feature),
    };
    return el(
      "div",
      { class: "slider", "data-feature": feature },
      el("span", { class: "name", title: feature }, feature),
      slider,
      box,
      el("button", jump, "Jump to best"),
    );
  }

  function drawWeights() {
    const largest = Math.max(1, ...Object.values(state.w).map(Math.abs));
    for (const [feature, { slider, box }] of rows) {
      const weight = state.w[feature] ?? 0;
      if (moving !== slider && document.activeElement !== slider) {
        // not while it is dragged: the range would change under the pointer
        slider.min = String(-2 * largest);
        slider.max = String(2 * largest);
      }
      if (Number(slider.value) !== weight) slider.value = String(weight);
      if (document.activeElement !== box) box.value = String(Number(weight.toPrecision(6)));
    }
  }

  const followed = () => (shared.about.features.includes(state.follow) ? state.follow : "");

  /** @param {string} feature */
  async function best(feature) {
    if ((await follow(feature)) && told) {
      change({ w: { ...state.w, [feature]: told.best.middle }, follow: feature });
    }
  }

  /**
   * Everything that the function depends on: all but the weight itself.
   *
   * @param {string} feature
   */
  const ground = feature => JSON.stringify([view(), { ...current(), weights: { ...state.w, [feature]: 0 } }]);

  /** @param {string} feature */
  async function follow(feature) {
    along.setAttribute("aria-busy", "true");
    try {
      const asked = ground(feature);
      told = { ...(await ask("/api/follow", { ...view(), current: current(), feature })), ground: asked };
      draw();
      return true;
    } catch (error) {
      shared.say(messageOf(error), true);
      return false;
    }
  }
  const followLatest = latest(() => follow(followed()));

  function draw() {
    const shown = told;
    if (!shown) {
      const text = followed() ? `Computing the metric along the weight of ${followed()} …` : INVITATION;
      along.replaceChildren(el("p", { class: "soft" }, text));
      return;
    }
    const { feature, metric, value, weight, best: top, n_steps } = shown;
    const drawn = stepChart({
      told: shown,
      name: `weight of ${feature}`,
      metric,
      width: Math.max(300, along.clientWidth - 24),
      pick: to => change({ w: { ...state.w, [feature]: to } }),
    });
    chart = drawn;
    redraw(
      along,
      el("h2", {}, `${metric} along ${feature}`),
      el(
        "p",
        {},
        `Best ${number(top.value)} from ${top.low === null ? "−∞" : short(top.low)} to ${end(top.high)}, `,
        `${counted(n_steps, "step")}. The weight was ${short(weight)}, with ${number(value)}.`,
      ),
      drawn.element,
      el(
        "p",
        { class: "soft" },
        "Shaded: the widest best interval. Dashed: the current weight; drag it, or use the arrow keys. ",
        saveButtons(
          () => `${metric}-${feature}`,
          () => drawn.element,
          () => stepTable(shown),
        ),
      ),
    );
    mark();
  }

  function mark() {
    if (!told || !chart) return;
    chart.mark(state.w[told.feature] ?? 0);
    if (told.ground === ground(told.feature)) {
      along.removeAttribute("aria-busy");
      return;
    }
    along.setAttribute("aria-busy", "true");
    clearTimeout(later);
    later = setTimeout(followLatest, PAUSE);
  }

  return {
    element,
    close: () => clearTimeout(later),
    update(changed) {
      const all = changed.has("all");
      if (all || changed.has("data")) drawModels();
      if (all || changed.has("data") || changed.has("find")) drawRows();
      if (changed.has("w")) drawWeights();
      if (told && !shared.about.features.includes(told.feature)) {
        told = null;
        draw();
      }
      if (followed() && followed() !== told?.feature) followLatest();
      if (all || changed.has("size")) draw();
      else if (told) mark();
    },
  };
}
