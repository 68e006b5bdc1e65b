// A slider for every weight, and the metric as an exact function of one of them.

import { ask, latest } from "../api.js";
import { el } from "../charts/elements.js";
import { counted, number, short } from "../charts/numbers.js";
import { messageOf, redraw } from "../dom.js";
import { isLocked, isReleased, mayMove, release } from "../held_out.js";
import { saveButtons } from "../save.js";
import { slidersPanel } from "../sliders.js";
import { startPanel } from "../start.js";
import { change, current, state, view } from "../state.js";
import { end, stepChart, stepTable } from "../steps.js";

/** @import { WeightFunction } from "../answers.js" */
/** @import { Page, Shared } from "../shared.js" */
/** @import { StepChart } from "../steps.js" */

const PAUSE = 250; // milliseconds without a move before the function is computed again

/**
 * @param {Shared} shared
 * @returns {Page}
 */
export function weightsPage(shared) {
  const start = startPanel(shared);
  const sliders = slidersPanel(shared, { jump });
  const along = el("section", { class: "panel", id: "follow", "aria-label": "The metric along one weight" });
  const name = el("input", { placeholder: "name", "aria-label": "Name for these weights", size: 12 });
  name.addEventListener("keydown", event => {
    if (event.key === "Enter") save();
  });
  const load = el("select", {
    "aria-label": "Load a model",
    id: "load",
    onchange: event => event.target.value && shared.loadModel(event.target.value),
  });
  const saving = el(
    "div",
    { class: "bar" },
    load,
    el("span", { class: "together" }, name, el("button", { type: "button", onclick: save }, "Save as model")),
  );
  const element = el(
    "div",
    {},
    start.element,
    el(
      "div",
      { class: "columns" },
      el("section", { class: "panel", "aria-label": "Weights" }, sliders.element, saving),
      along,
    ),
  );
  /** @type {(WeightFunction & { ground: string }) | null} */
  let told = null;
  /** @type {StepChart | null} */
  let chart = null;
  /** @type {number | undefined} */
  let later;

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
    load.replaceChildren(el("option", { value: "" }, "Load a model"), ...models);
    name.value = freeName();
  }

  /** The feature whose function is drawn: the best single one, until another is chosen. */
  function followed() {
    const { features, suggestions } = shared.about;
    return features.includes(state.follow) ? state.follow : (suggestions?.features[0] ?? "");
  }

  /**
   * Goes to the middle of the weights within one standard error of the best, which the largest value itself, often a
   * narrow spike, is not. A current weight that is among them and better stays.
   *
   * @param {string} feature
   */
  async function jump(feature) {
    if (!mayMove(shared) || !(await follow(feature)) || !told) return;
    const { within, value, weight } = told;
    const isInside = weight >= (within.low ?? -Infinity) && weight <= (within.high ?? Infinity);
    const range = `${end(within.low, "−")} to ${end(within.high)}`;
    if (isInside && value >= within.value) {
      change({ follow: feature });
      shared.say(`The weight of ${feature} stays: it is within one standard error of the best (${range}).`);
    } else change({ w: { ...state.w, [feature]: within.middle }, follow: feature });
  }

  /**
   * Everything that the function depends on: all but the weight itself.
   *
   * @param {string} feature
   */
  const ground = feature => JSON.stringify([view(), { ...current(), weights: { ...state.w, [feature]: 0 } }]);

  /** @param {string} feature */
  async function follow(feature) {
    if (!feature || isLocked(shared)) return false;
    along.setAttribute("aria-busy", "true");
    try {
      const asked = ground(feature);
      const question = { ...view(), current: current(), feature, confirmed: isReleased(state.data) };
      told = { ...(await ask("/api/follow", question)), ground: asked };
      draw();
      return true;
    } catch (error) {
      shared.say(messageOf(error), true);
      return false;
    }
  }
  const followLatest = latest(() => follow(followed()));

  function drawLocked() {
    told = chart = null;
    along.removeAttribute("aria-busy");
    const train = shared.project.data.find(one => shared.project.roles[one] === "train");
    redraw(
      along,
      el("h2", {}, "Held-out queries"),
      el(
        "p",
        {},
        `The strip above shows how the current weights do on ${state.data}. Weights are not chosen by these queries, `,
        "so that their value stays an honest one.",
      ),
      el(
        "div",
        { class: "bar" },
        train
          ? el("button", { type: "button", class: "main", onclick: () => change({ data: train }) }, `Work on ${train}`)
          : null,
        el("button", { type: "button", onclick: () => release(shared) }, "Choose weights by them…"),
      ),
    );
  }

  function draw() {
    if (isLocked(shared)) return drawLocked();
    const shown = told;
    if (!shown) {
      along.replaceChildren(el("p", {}, `Computing the metric along the weight of ${followed()} …`));
      return undefined;
    }
    const { feature, metric, best, within, n_steps, standard_error } = shown;
    const drawn = stepChart({
      told: shown,
      name: `weight of ${feature}`,
      metric,
      width: Math.max(300, along.clientWidth - 24),
      floor: best.value - standard_error,
      within,
      pick: to => mayMove(shared) && change({ w: { ...state.w, [feature]: to } }),
    });
    chart = drawn;
    const exact = {
      type: "button",
      class: "quiet",
      onclick: () => mayMove(shared) && change({ w: { ...state.w, [feature]: best.middle } }),
    };
    const isFlat = within.low === null && within.high === null;
    redraw(
      along,
      el("h2", {}, `${metric} along ${feature}`),
      el(
        "p",
        {},
        isFlat
          ? `Every weight of ${feature} is within one standard error (${number(standard_error)}) of the best: it makes no measurable difference. `
          : `Within one standard error (${number(standard_error)}) of the best: ${end(within.low, "−")} to ${end(within.high)}, shaded. `,
        `Exact maximum ${number(best.value)} at ${short(best.middle)}, one of ${counted(n_steps, "step")} and `,
        `${end(best.low === null || best.high === null ? null : best.high - best.low)} wide. `,
        el("button", exact, "Go to the exact maximum"),
      ),
      drawn.element,
      el(
        "p",
        { class: "soft" },
        "Dotted: one standard error below the best. Dashed: the current weight; drag it, or use the arrow keys, Home for the best. ",
        saveButtons(
          () => `${metric}-${feature}`,
          () => drawn.element,
          () => stepTable(shown),
        ),
      ),
    );
    mark();
    return undefined;
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
    close() {
      clearTimeout(later);
      start.close();
      sliders.close();
    },
    update(changed) {
      const all = changed.has("all");
      start.update(changed);
      sliders.update(changed);
      if (all || changed.has("data")) drawModels();
      if (isLocked(shared)) {
        if (all || changed.has("data")) drawLocked();
        return;
      }
      if (told && !shared.about.features.includes(told.feature)) told = null;
      if (followed() !== told?.feature || (all && !told)) {
        draw();
        followLatest();
      } else if (all || changed.has("size")) draw();
      else if (told) mark();
    },
  };
}
