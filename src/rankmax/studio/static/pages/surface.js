// The metric over the weights of two or three features, all others held.

import { stream } from "../api.js";
import { el, labelled, number, options } from "../dom.js";
import { saveButtons } from "../save.js";
import { Simplex } from "../simplex.js";
import { change, current, state, view } from "../state.js";
import { stepChart, stepTable } from "../steps.js";

export function surfacePage(shared) {
  const selects = [0, 1, 2].map(place => el("select", { id: `feature${place}`, onchange: choose }));
  const picture = el("div", { class: "picture" }), facts = el("div", { id: "facts" }), progress = el("progress", { hidden: true });
  const element = el("div", { class: "columns wide-left" },
    el("section", { class: "panel" },
      el("div", { class: "bar" }, ["first feature", "second", "third"].map((side, i) => labelled(side, selects[i]))), progress, picture),
    el("section", { class: "panel" }, facts));
  const simplex = new Simplex({ move: shares => set(shares) });
  let asked = "", abort = null, total = 1, told = null, optimum = null;

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
    if (key === asked || features.length < 2 || new Set(features).size < features.length) return;
    asked = key;
    abort?.abort();
    abort = new AbortController();
    told = optimum = null;
    if (features.length === 3) {
      simplex.begin(features, state.metric);
      picture.replaceChildren(simplex.element);
    } else picture.replaceChildren();
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
      draw();
    } catch (error) {
      if (error.name !== "AbortError") { asked = ""; progress.hidden = true; shared.say(error.message, true); }
    }
  }

  function draw() {
    const here = shares(), features = names();
    if (features.length === 3) simplex.show(here);
    else if (told) {
      picture.replaceChildren(stepChart({ told, at: here?.[0] ?? -1, name: features[0], metric: state.metric,
        width: Math.max(300, picture.clientWidth), pick: share => set([share, 1 - share]) }));
    }
    const held = Object.entries(state.w).filter(([name, weight]) => weight && !features.includes(name)).length;
    const listed = weights => el("ul", {}, features.map((name, j) => el("li", {}, `${name} ${number(weights[j], 3)}`)));
    facts.replaceChildren(
      el("h2", {}, "Current shares"), here ? listed(here) : el("p", {}, "A weight is negative, so the current point is not on the picture. Drag to set it."),
      el("p", { class: "soft" }, held ? `${held} other weight${held > 1 ? "s are" : " is"} held; these add up to ${number(total, 3)}.` : "All other weights are 0, so only the shares matter."),
      optimum ? el("div", {}, el("h2", {}, "★ Best found"), el("p", { id: "optimum", "data-value": optimum.value }, number(optimum.value)), listed(optimum.weights),
        el("p", {}, `Outlined: the plateau, ${(100 * optimum.share).toFixed(0)}% of all shares, at most one standard error (${number(optimum.standard_error)}) below.`),
        el("button", { type: "button", id: "to-optimum", onclick: () => set(optimum.weights) }, "go to the best")) : el("p", { class: "soft" }, "Searching…"),
      el("p", { class: "soft" }, features.length === 3 ? "Drag the point, or focus the triangle and use the arrow keys; Home goes to the best. " : "Drag along the function. ",
        features.length === 3 ? simplex.legend : ""),
      optimum ? saveButtons(() => `${state.metric}-${features.join("-")}`, () => told ? picture.querySelector("svg") : simplex.picture(),
        () => told ? stepTable(told) : simplex.table()) : "");
  }

  return { element, close: () => abort?.abort(), update(changed) {
    if (changed.has("all") || changed.has("data") || changed.has("features")) drawSelects();
    draw();
    survey();
  } };
}
