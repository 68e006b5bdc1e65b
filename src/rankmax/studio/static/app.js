// The frame around the pages: what it is about, how well the current weights rank, which page is shown.

import { ask, latest, upload } from "./api.js";
import { byId, el, labelled, number, options, signed } from "./dom.js";
import { learnPage } from "./pages/learn.js";
import { rankingPage } from "./pages/ranking.js";
import { surfacePage } from "./pages/surface.js";
import { weightsPage } from "./pages/weights.js";
import { change, current, onChange, readAddress, reference, state, view } from "./state.js";

const PAGES = { weights: ["Weights", weightsPage], surface: ["Surface", surfacePage],
  ranking: ["Ranking", rankingPage], learn: ["Learn", learnPage] };
const ABOUT = ["data", "queries", "metric", "normalise"];

// What pages share: the project, the data that is chosen, and how to ask for something to be read again.
export const shared = { project: null, about: { features: [] }, reloadProject, loadModel, say };
let shown = null;

export function say(message, isError = false) {
  byId("status").textContent = message;
  byId("status").classList.toggle("error", isError);
}

async function reloadProject() {
  shared.project = await ask("/api/project");
  byId("project").textContent = shared.project.name;
  document.title = `${shared.project.name} - rankmax studio`;
  drawContext();
}

async function reloadAbout() {
  shared.about = await ask("/api/describe", view());
  const { n_queries, n_documents, features } = shared.about;
  byId("size").textContent = `${n_queries} queries, ${n_documents} documents, ${features.length} features`;
  const known = Object.entries(state.w).filter(([name]) => features.includes(name));
  const weights = known.length ? known : features.map(name => [name, 1]);
  if (weights.length !== Object.keys(state.w).length) change({ w: Object.fromEntries(weights) });
  drawReferences();
}

function drawContext() {
  const { data, metrics, normalisations, chosen } = shared.project;
  const select = (key, values) => options(el("select", { id: key, onchange: event => change({ [key]: event.target.value }) }),
    values, state[key]);
  const text = (key, properties) => {
    const input = el("input", { id: key, ...properties, onchange: event => change({ [key]: event.target.value.trim() }) });
    input.value = state[key];
    return input;
  };
  if (!data.includes(state.data)) change({ data: chosen ?? "" });
  const file = el("input", { type: "file", id: "upload", class: "file", onchange: async () => {
    try {
      const { name } = await upload(file.files[0]);
      await reloadProject();
      say(`${name} is now in the project`);
    } catch (error) { say(error.message, true); }
  } });
  byId("context").replaceChildren(
    labelled("data", select("data", data), "Training or held-out: a file of the project"),
    labelled("queries", text("queries", { placeholder: "all", size: 8 }), "Ids, * stands for anything; empty: all"),
    labelled("metric", text("metric", { list: "metrics", size: 9 }), "Any metric, such as nDCG@10, AP or RBP(p=0.8)"),
    el("datalist", { id: "metrics" }, metrics.map(value => el("option", { value }))),
    labelled("normalise", select("normalise", normalisations), "Of the features within each query"),
    labelled("reference", el("select", { id: "reference", onchange: event => change({ reference: event.target.value }) }),
      "What the current weights are compared with"),
    labelled("add file", file, "A model (.json) or data, up to 64 MB"),
    el("span", { id: "size", class: "soft" }));
  drawReferences();
}

function drawReferences() {
  const choices = ["uniform", ...shared.about.features.map(name => `feature:${name}`),
    ...shared.project.models.map(name => `model:${name}`)];
  const label = value => value === "uniform" ? "all weights 1" : value.replace(/^feature:/, "only ").replace(/^model:/, "model ");
  options(byId("reference"), choices, state.reference, label);
}

async function loadModel(name) {
  const { weights, normalise } = await ask(`/api/models/${encodeURIComponent(name)}`);
  const own = Object.entries(weights ?? {}).filter(([feature, weight]) => weight && shared.about.features.includes(feature));
  if (!own.length) return say(`${name} has no weights of these features; it can still be the reference`, true);
  change({ w: Object.fromEntries(own), normalise });
  return say(`${name} is now current`);
}

const read = latest(async () => {
  try {
    drawReading(await ask("/api/read", { ...view(), current: current(), reference: reference(shared.about.features) }));
    if (byId("status").classList.contains("error")) say("");
  } catch (error) { say(error.message, true); }
});

function drawReading({ value, interval, difference, difference_interval, reference_value, wins, n_queries }) {
  byId("reading").replaceChildren(
    el("div", { class: "big" }, el("span", { class: "soft" }, state.metric, " "), el("b", { id: "value", "data-value": value }, number(value)),
      el("span", { class: "soft" }, ` [${number(interval[0])}, ${number(interval[1])}]`)),
    el("div", { class: "big" }, el("span", { class: "soft" }, "difference "),
      el("b", { id: "difference", "data-value": difference, class: difference > 0 ? "up" : difference < 0 ? "down" : "" },
        `${difference > 0 ? "▲" : difference < 0 ? "▼" : ""}${signed(difference)}`),
      el("span", { class: "soft" }, ` [${signed(difference_interval[0])}, ${signed(difference_interval[1])}]`)),
    el("div", { class: "soft" }, `reference ${number(reference_value)}; ${wins.wins} queries better, ${wins.losses} worse, `,
      `${wins.ties} equal of ${n_queries}; 95% intervals`));
}

function showPage() {
  byId("tabs").replaceChildren(...Object.entries(PAGES).map(([page, [name]], i) => el("a", { href: `#page=${page}`, accesskey: i + 1,
    "aria-current": page === state.page ? "page" : null,
    onclick: event => { event.preventDefault(); change({ page }, { push: true }); } }, name)));
  shown?.close?.();
  shown = (PAGES[state.page] ?? PAGES.weights)[1](shared);
  byId("page").replaceChildren(shown.element);
  shown.update(new Set(["all"]));
}

onChange(async changed => {
  try {
    if (ABOUT.some(key => changed.has(key)) && shared.project) {
      for (const key of ABOUT) if (byId(key)) byId(key).value = state[key];
      await reloadAbout();
    }
    if (changed.has("reference") && byId("reference")) byId("reference").value = state.reference;
    if (changed.has("page")) showPage(); else shown?.update(changed);
    if ([...ABOUT, "w", "reference"].some(key => changed.has(key)) && shared.about.features.length) read();
  } catch (error) { say(error.message, true); }
});

async function begin() {
  Object.assign(state, readAddress());
  try {
    await reloadProject();
    if (!shared.project.data.length) return say("no data file in the project yet: add one, or copy it to the folder", true);
    await reloadAbout();
    showPage();
    read();
  } catch (error) { say(error.message, true); }
}

window.addEventListener("studio-found", begin);
window.addEventListener("resize", () => shown?.update(new Set(["size"])));
begin();
