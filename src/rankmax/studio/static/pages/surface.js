// The metric over the weights of two or three features, all others fixed.

import { stream } from "../api.js";
import { el } from "../charts/elements.js";
import { counted, number } from "../charts/numbers.js";
import { isGivenUp, labeled, messageOf, options, redraw } from "../dom.js";
import { isLocked, isReleased, mayMove } from "../held_out.js";
import { saveButtons } from "../save.js";
import { Simplex } from "../simplex.js";
import { dock } from "../sliders.js";
import { change, current, state, view } from "../state.js";
import { stepChart, stepTable } from "../steps.js";

/** @import { Optimum, StepFunction } from "../answers.js" */
/** @import { Page, Shared } from "../shared.js" */
/** @import { StepChart } from "../steps.js" */

const COUNTS = ["", "", "two", "three"];

/**
 * @param {Shared} shared
 * @returns {Page}
 */
export function surfacePage(shared) {
  const selects = [0, 1, 2].map(place => el("select", { id: `feature${place}`, onchange: choose }));
  const picture = el("div", { class: "picture" });
  const facts = el("div", { id: "facts" });
  const progress = el("progress", { hidden: true });
  const sides = ["First feature", "Second", "Third"].map((side, i) => labeled(side, selects[i]));
  const weights = dock(shared);
  const element = el(
    "div",
    { class: "columns with-dock" },
    weights.element,
    el(
      "section",
      { class: "panel", "aria-label": "Surface" },
      el("div", { class: "bar thirds" }, sides),
      progress,
      picture,
    ),
    el("section", { class: "panel", "aria-label": "Current and best weights" }, facts),
  );
  const simplex = new Simplex({ move: shares => set(shares) });
  let asked = "";
  /** @type {AbortController | null} */
  let abort = null;
  let total = 1;
  /** @type {StepFunction | null} */
  let told = null;
  /** @type {StepChart | null} */
  let chart = null;
  /** @type {Optimum | null} */
  let optimum = null;

  const names = () => state.features.split(",").filter(Boolean).map(decodeURIComponent);
  function choose() {
    const chosen = selects.map(select => select.value).filter(Boolean);
    change({ features: chosen.map(encodeURIComponent).join(",") });
  }

  function drawSelects() {
    const { features } = shared.about;
    const chosen = names().filter(name => features.includes(name));
    const first = chosen.length >= 2 ? chosen : largest(features);
    selects.forEach((select, i) => {
      const choices = i < 2 ? features : ["", ...features];
      options(select, choices, first[i] ?? "", name => name || "none (two features)");
    });
    if (first.join() !== names().join()) choose();
  }

  /**
   * The features of the largest weights; of equal ones the best single features.
   *
   * @param {string[]} features
   */
  const largest = features =>
    [...(shared.about.suggestions?.features ?? features)]
      .sort((a, b) => Math.abs(state.w[b] ?? 0) - Math.abs(state.w[a] ?? 0))
      .slice(0, 3);

  /** @param {number[]} shares */
  function set(shares) {
    if (!mayMove(shared)) return;
    const weights = Object.fromEntries(names().map((name, j) => [name, total * shares[j]]));
    change({ w: { ...state.w, ...weights } });
  }

  function shares() {
    const weights = names().map(name => state.w[name] ?? 0);
    const sum = weights.reduce((a, b) => a + b, 0);
    return weights.every(weight => weight >= 0) && sum > 0 ? weights.map(weight => weight / sum) : null;
  }

  async function survey() {
    const features = names();
    const fixed = Object.entries(state.w).filter(([name]) => !features.includes(name));
    const sum = features.reduce((all, name) => all + Math.abs(state.w[name] ?? 0), 0);
    const scale = fixed.some(([, weight]) => weight) ? sum.toPrecision(6) : "";
    const key = JSON.stringify([view(), isLocked(shared), state.normalize, features, fixed, scale]);
    if (key === asked) return;
    asked = key;
    abort?.abort();
    abort = new AbortController();
    if (isLocked(shared)) {
      drawLocked();
      return;
    }
    told = chart = optimum = null;
    picture.replaceChildren();
    if (new Set(features).size < Math.max(2, features.length)) {
      const single = "The data has one feature only: a surface needs two.";
      progress.hidden = true;
      facts.replaceChildren(el("p", {}, shared.about.features.length < 2 ? single : "Choose different features."));
      return;
    }
    if (features.length === 3) {
      simplex.begin(features, state.metric);
      picture.replaceChildren(simplex.element);
    }
    progress.hidden = false;
    progress.removeAttribute("value");
    draw();
    try {
      await listen(features, abort.signal);
      progress.hidden = true;
      drawFunction();
      draw();
    } catch (error) {
      if (isGivenUp(error)) return;
      asked = "";
      progress.hidden = true;
      shared.say(messageOf(error), true);
    }
  }

  function drawLocked() {
    told = chart = optimum = null;
    progress.hidden = true;
    picture.replaceChildren();
    const release = { type: "button", onclick: () => mayMove(shared) };
    facts.replaceChildren(
      el("h2", {}, "Held-out queries"),
      el(
        "p",
        {},
        "No surface is drawn of these, as a surface is for choosing weights. Choose them by training queries.",
      ),
      el("button", release, "Choose weights by them…"),
    );
  }

  /**
   * @param {string[]} features
   * @param {AbortSignal} signal
   */
  function listen(features, signal) {
    let rows = 0;
    const question = { ...view(), current: current(), features, confirmed: isReleased(state.data) };
    return stream(
      "/api/survey",
      question,
      (kind, content) => {
        if (kind === "begin") {
          total = content.total;
          progress.max = content.resolutions.reduce((a, b) => a + b, 1);
        } else if (kind === "row") {
          simplex.row(content);
          progress.value = ++rows;
        } else if (kind === "function") told = content;
        else if (kind === "optimum") {
          optimum = content;
          if (features.length === 3) simplex.finish(content);
        } else shared.say(content.error, true);
      },
      signal,
    );
  }

  function drawFunction() {
    if (!told || !optimum) return;
    chart = stepChart({
      told,
      name: `share of ${names()[0]}`,
      metric: state.metric,
      width: Math.max(300, picture.clientWidth),
      floor: optimum.value - optimum.standard_error,
      pick: share => set([share, 1 - share]),
    });
    picture.replaceChildren(chart.element);
  }

  function draw() {
    const here = shares();
    const features = names();
    const three = features.length === 3;
    if (three) simplex.show(here);
    else chart?.mark(here?.[0] ?? null);
    redraw(
      facts,
      el("h2", {}, "● Current shares"),
      here
        ? listed(features, here)
        : el("p", {}, "A weight is negative, so the current point is not on the picture. Drag to set it."),
      el("p", { class: "soft" }, aboutOthers(features)),
      optimum ? best(features, optimum) : el("p", { class: "soft" }, "Searching…"),
      el(
        "p",
        { class: "soft" },
        three
          ? "Drag the point, or focus the triangle and use the arrow keys; Home jumps to the best. Lighter is better."
          : "Drag along the function, or focus it and use the arrow keys; Home jumps to the best.",
      ),
      optimum ? save(features) : "",
    );
  }

  /** @param {string[]} features */
  function aboutOthers(features) {
    const others = Object.entries(state.w).filter(([name, weight]) => weight && !features.includes(name)).length;
    if (!others) return "All other weights are 0, so only the shares matter.";
    const fixed = counted(others, "other weight stays", "other weights stay");
    return `${fixed} fixed; these ${COUNTS[features.length]} sum to ${number(total, 3)}.`;
  }

  /**
   * @param {string[]} features
   * @param {number[]} weights
   */
  function listed(features, weights) {
    const items = features.map((name, j) =>
      el("li", {}, el("span", { class: "words", title: name }, name), number(weights[j], 3)),
    );
    return el("ul", { class: "shares" }, items);
  }

  /**
   * @param {string[]} features
   * @param {Optimum} optimum
   */
  function best(features, optimum) {
    const where = features.length === 3 ? "Outlined" : "Above the dotted line";
    const percent = (100 * optimum.share).toFixed(0);
    const within = `within one standard error (${number(optimum.standard_error)}) of the best`;
    const plateau =
      optimum.share === 1
        ? `These ${COUNTS[features.length]} weights make no measurable difference: all of them are ${within}.`
        : `${where}: the plateau, ${percent}% of all weights, ${within}.`;
    const jump = { type: "button", id: "to-optimum", onclick: () => set(optimum.weights) };
    return el(
      "div",
      {},
      el("h2", {}, "★ Best found ", el("span", { id: "optimum", "data-value": optimum.value }, number(optimum.value))),
      listed(features, optimum.weights),
      el("p", {}, plateau),
      el("button", jump, "Jump to best"),
    );
  }

  /** @param {string[]} features */
  function save(features) {
    const three = features.length === 3;
    return saveButtons(
      () => `${state.metric}-${features.join("-")}`,
      () => (three || !chart ? simplex.picture() : chart.element),
      () => (three || !told ? simplex.table() : stepTable(told)),
    );
  }

  return {
    element,
    close() {
      abort?.abort();
      weights.close();
    },
    update(changed) {
      weights.update(changed);
      if (changed.has("all") || changed.has("data") || changed.has("features")) drawSelects();
      if (changed.has("size")) drawFunction();
      if (asked && !isLocked(shared)) draw();
      survey();
    },
  };
}
