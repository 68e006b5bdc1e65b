// A slider and a number for each weight, all on one scale around 0, with undo and redo.

import { el } from "./charts/elements.js";
import { counted, number, short } from "./charts/numbers.js";
import { mayMove } from "./held_out.js";
import { change, state } from "./state.js";
import { canRedo, canUndo, onHistory, past, position, travel } from "./weight_history.js";

/** @import { ControlEvent } from "./charts/elements.js" */
/** @import { Shared } from "./shared.js" */

const MOST_ROWS = 150;
/** @type {Record<string, number>} in hundredths of the scale */
const KEYS = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10 };

/** The sliders of all pages go from minus this to plus this; it grows only, until other data is opened. */
let scale = 0;

/**
 * The next of 1, 2, 5, 10, ... that is not smaller.
 *
 * @param {number} size
 */
function round(size) {
  const power = 10 ** Math.floor(Math.log10(size));
  return power * ([1, 2, 5].find(times => times * power >= size * (1 - 1e-9)) ?? 10);
}

const largest = () => Math.max(0, ...Object.values(state.w).map(Math.abs));

export function forgetScale() {
  scale = 0;
}

/**
 * @param {Shared} shared
 * @param {{ jump?: (feature: string) => void }} [how] `jump` is called to go to the best weight of a feature
 */
export function slidersPanel(shared, { jump } = {}) {
  /** @type {Map<string, { slider: HTMLInputElement, box: HTMLInputElement }>} */
  const rows = new Map();
  const filter = el("input", {
    type: "search",
    placeholder: "find a feature",
    "aria-label": "Find a feature",
    oninput: event => change({ find: event.target.value }),
  });
  filter.value = state.find;
  const list = el("div", { class: "sliders" });
  const ends = el("div", { class: "slider ends", "aria-hidden": "true" });
  const undo = el("button", { type: "button", title: "Undo (Ctrl+Z)", onclick: () => travel(position() - 1) }, "Undo");
  const redo = el("button", { type: "button", title: "Redo (Ctrl+Y)", onclick: () => travel(position() + 1) }, "Redo");
  const entries = el("ol", { class: "history" });
  const history = el("details", {}, el("summary", {}, "History"), entries);
  const bar = el(
    "div",
    { class: "bar" },
    filter,
    el(
      "span",
      { class: "together" },
      el("button", { type: "button", onclick: () => set(1) }, "All 1"),
      el("button", { type: "button", onclick: () => set(0) }, "All 0"),
      undo,
      redo,
    ),
    history,
  );
  const end = el("span", { tabindex: -1 }); // the next stop after it is what follows the sliders
  const skip = el("button", { type: "button", class: "skip", onclick: () => end.focus() }, "Skip the sliders");
  const element = el("div", { class: jump ? "weights" : "weights docked" }, bar, skip, list, end);
  const forget = onHistory(drawHistory);

  /** @param {number} weight */
  function set(weight) {
    if (!mayMove(shared)) return;
    change({ w: Object.fromEntries(shared.about.features.map(feature => [feature, weight])) });
  }

  function drawHistory() {
    undo.disabled = !canUndo();
    redo.disabled = !canRedo();
    if (!history.open) return;
    entries.replaceChildren(
      ...past().map(({ label, value }, i) => {
        const now = { type: "button", class: "quiet", "aria-current": i === position() ? "step" : null };
        const words = `${label}${value === null ? "" : `, ${state.metric} ${number(value)}`}`;
        return el("li", {}, el("button", { ...now, onclick: () => travel(i) }, words));
      }),
    );
  }
  history.addEventListener("toggle", drawHistory);

  /** @param {string} feature */
  function row(feature) {
    /** @param {number} weight */
    const weigh = weight => {
      if (Number.isFinite(weight) && mayMove(shared)) change({ w: { ...state.w, [feature]: weight } });
      else drawWeights();
    };
    /** @param {ControlEvent} event */
    const read = event => weigh(Number(event.target.value));
    const slider = el("input", {
      type: "range",
      class: "signed",
      step: "any",
      "aria-label": `weight of ${feature}`,
      oninput: read,
      onkeydown: event => {
        const steps = event.key === "0" ? 0 : KEYS[event.key];
        if (steps === undefined || event.ctrlKey || event.metaKey) return;
        event.preventDefault();
        const step = scale / 100;
        const to = event.key === "0" ? 0 : (Math.round((state.w[feature] ?? 0) / step) + steps) * step;
        weigh(Number(Math.max(-scale, Math.min(scale, to)).toPrecision(6)));
      },
    });
    const box = el("input", {
      type: "number",
      step: "any",
      "aria-label": `weight of ${feature} as a number`,
      onchange: read,
    });
    rows.set(feature, { slider, box });
    const label = {
      type: "button",
      "data-tip": `The middle of the weights of ${feature} within one standard error of the best; the others stay fixed`,
      "aria-label": `Jump to best: ${feature}`,
      onclick: () => jump?.(feature),
    };
    return el(
      "div",
      { class: "slider", "data-feature": feature },
      el("span", { class: "name", title: feature }, feature),
      slider,
      box,
      jump ? el("button", label, "Jump to best") : null,
    );
  }

  function drawRows() {
    const sought = filter.value.toLowerCase();
    const found = shared.about.features.filter(feature => feature.toLowerCase().includes(sought));
    const more = found.length - MOST_ROWS;
    rows.clear();
    list.replaceChildren(
      ends,
      ...found.slice(0, MOST_ROWS).map(row),
      more > 0 ? el("p", { class: "soft" }, `${counted(more, "more feature")}: find them by name`) : "",
      found.length ? "" : el("p", { class: "soft" }, "No feature has that in its name."),
    );
    drawWeights();
  }

  function drawWeights() {
    if (largest() > scale * (1 + 1e-9)) scale = round(scale ? largest() : 2 * largest());
    scale ||= 1;
    const [low, high] = [-scale, scale].map(end => short(end));
    ends.replaceChildren(el("span", {}, el("i", {}, low), el("i", {}, "0"), el("i", {}, high)));
    for (const [feature, { slider, box }] of rows) {
      const weight = state.w[feature] ?? 0;
      slider.min = String(-scale);
      slider.max = String(scale);
      if (Number(slider.value) !== weight) slider.value = String(weight);
      slider.setAttribute("aria-valuetext", short(weight));
      const share = (weight / scale + 1) / 2;
      slider.style.setProperty("--low", String(Math.min(0.5, share)));
      slider.style.setProperty("--high", String(Math.max(0.5, share)));
      slider.classList.toggle("negative", weight < 0);
      if (document.activeElement !== box) box.value = String(Number(weight.toPrecision(6)));
    }
  }

  return {
    element,
    close: forget,
    /** @param {Set<string>} changed */
    update(changed) {
      if (changed.has("all") || changed.has("data")) drawHistory();
      if (changed.has("all") || changed.has("data") || changed.has("find")) drawRows();
      else if (changed.has("w")) drawWeights();
    },
  };
}

/**
 * The sliders beside the content of another page; on a small screen they can be folded.
 *
 * @param {Shared} shared
 */
export function dock(shared) {
  const sliders = slidersPanel(shared);
  const isWide = window.matchMedia("(min-width: 1100px)").matches;
  const element = el("details", { class: "panel dock", open: isWide }, el("summary", {}, "Weights"), sliders.element);
  return { ...sliders, element };
}
