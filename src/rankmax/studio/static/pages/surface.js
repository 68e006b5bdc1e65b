// The metric over the weights of two or three features, all others held.

import { stream } from "../api.js";
import { counted, el, labelled, number, options, redraw } from "../dom.js";
import { saveButtons } from "../save.js";
import { Simplex } from "../simplex.js";
import { change, current, state, view } from "../state.js";
import { stepChart, stepTable } from "../steps.js";

export function surfacePage(shared) {
  const selects = [0, 1, 2].map(place => el("select", { id: `feature${place}`, onchange: choose }));
  const picture = el("div", { class: "picture" }), facts = el("div", { id: "facts" }), progress = el("progress", { hidden: true });
  const element = el("div", { class: "columns wide-left" },
    el("section", { class: "panel" },
      el("div", { class: "bar thirds" }, ["first feature", "second", "third"].map((side, i) => labelled(side, selects[i]))), progress, picture),
    el("section", { class: "panel" }, facts));
  const simplex = new Simplex({ move: shares => set(shares) });
  let asked = "", abort = null, total = 1, told = null, chart = null, optimum = null;

  const names = () => state.features.split(",").filter(Boolean).map(decodeURIComponent);
  function choose() {
    change({ features: selects.map(select => select.value).filter(Boolean).map(encodeURIComponent).join(",") });
  }

  function drawSelects() {
    const features = shared.about.features, chosen = names().filter(name => features.includes(name));
    const first = chosen.length >= 2 ? chosen : largest(features);
    selects.forEach((select, i) => options(select, i < 2 ? features : ["", ...features], first[i] ?? "", name => name || "none (two features)"));
    if (first.join() !== names().join()) choose();
  }

  const largest = features => [...features].sort((a, b) => Math.abs(state.w[b] ?? 0) - Math.abs(state.w[a] ?? 0)).slice(0, 3);

  function set(shares) {
    const weights = Object.fromEntries(names().map((name, j) => [name, total * shares[j]]));
    change({ w: { ...state.w, ...weights } });
  }

  function shares() {
    const weights = names().map(name => state.w[name] ?? 0), sum = weights.reduce((a, b) => a + b, 0);
    return weights.every(weight => weight >= 0) && sum > 0 ? weights.map(weight => weight / sum) : null;
  }

  async function survey() {
    const features = names();
    const held = Object.entries(state.w).filter(([name]) => !features.includes(name));
    const sum = features.reduce((all, name) => all + Math.abs(state.w[name] ?? 0), 0);
    const key = JSON.stringify([view(), state.normalise, features, held, held.some(([, weight]) => weight) ? sum.toPrecision(6) : ""]);
    if (key === asked) return;
    asked = key;
    abort?.abort();
    abort = new AbortController();
    told = chart = optimum = null;
    picture.replaceChildren();
    const few = new Set(features).size;
    if (few < Math.max(2, features.length)) {
      progress.hidden = true;
      facts.replaceChildren(el("p", {}, shared.about.features.length < 2 ? "The data has one feature only: a surface needs two." : "Choose different features."));
      return;
    }
    if (features.length === 3) {
      simplex.begin(features, state.metric);
      picture.replaceChildren(simplex.element);
    }
    progress.hidden = false;
    progress.removeAttribute("value");
    draw();
    let rows = 0;
    try {
      await stream("/api/survey", { ...view(), current: current(), features }, (kind, content) => {
        if (kind === "begin") { total = content.total; progress.max = content.resolutions.reduce((a, b) => a + b, 1); }
        if (kind === "row") { simplex.row(content); progress.value = ++rows; }
        if (kind === "function") told = content;
        if (kind === "optimum") optimum = content;
        if (kind === "optimum" && features.length === 3) simplex.finish(content);
        if (kind === "error") shared.say(content.error, true);
      }, abort.signal);
      progress.hidden = true;
      drawFunction();
      draw();
    } catch (error) {
      if (error.name !== "AbortError") { asked = ""; progress.hidden = true; shared.say(error.message, true); }
    }
  }

  function drawFunction() {
    if (!told) return;
    chart = stepChart({ told, name: `share of ${names()[0]}`, metric: state.metric, width: Math.max(300, picture.clientWidth),
      floor: optimum.value - optimum.standard_error, pick: share => set([share, 1 - share]) });
    picture.replaceChildren(chart.element);
  }

  function draw() {
    const here = shares(), features = names(), three = features.length === 3;
    if (three) simplex.show(here);
    else chart?.mark(here?.[0] ?? null);
    const held = Object.entries(state.w).filter(([name, weight]) => weight && !features.includes(name)).length;
    const listed = weights => el("ul", { class: "shares" }, features.map((name, j) => el("li", {}, el("span", { class: "words", title: name }, name), number(weights[j], 3))));
    redraw(facts,
      el("h2", {}, "● Current shares"), here ? listed(here) : el("p", {}, "A weight is negative, so the current point is not on the picture. Drag to set it."),
      el("p", { class: "soft" }, held ? `${counted(held, "other weight is", "other weights are")} held; these add up to ${number(total, 3)}.` : "All other weights are 0, so only the shares matter."),
      optimum ? el("div", {}, el("h2", {}, "★ Best found ", el("span", { id: "optimum", "data-value": optimum.value }, number(optimum.value))), listed(optimum.weights),
        el("p", {}, `${three ? "Outlined" : "Above the dotted line"}: the plateau, ${(100 * optimum.share).toFixed(0)}% of all shares, at most one standard error `
          + `(${number(optimum.standard_error)}) below.`),
        el("button", { type: "button", id: "to-optimum", onclick: () => set(optimum.weights) }, "go to the best")) : el("p", { class: "soft" }, "Searching…"),
      el("p", { class: "soft" }, three ? "Drag the point, or focus the triangle and use the arrow keys; Home goes to the best. Lighter is better."
        : "Drag along the function, or focus it and use the arrow keys; Home goes to the best."),
      optimum ? saveButtons(() => `${state.metric}-${features.join("-")}`, () => three ? simplex.picture() : chart.element,
        () => three ? simplex.table() : stepTable(told)) : "");
  }

  return { element, close: () => abort?.abort(), update(changed) {
    if (changed.has("all") || changed.has("data") || changed.has("features")) drawSelects();
    if (changed.has("size")) drawFunction();
    if (asked) draw();
    survey();
  } };
}
