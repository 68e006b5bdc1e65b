// The frame around the pages: what it is about, how well the current weights rank, which page is shown.

import { ask, latest, upload } from "./api.js";
import { byId, counted, el, labelled, number, options, signed } from "./dom.js";
import { learnPage } from "./pages/learn.js";
import { rankingPage } from "./pages/ranking.js";
import { surfacePage } from "./pages/surface.js";
import { weightsPage } from "./pages/weights.js";
import { change, current, onChange, readAddress, reference, state, view } from "./state.js";

const PAGES = { weights: ["Weights", weightsPage], surface: ["Surface", surfacePage],
  ranking: ["Ranking", rankingPage], learn: ["Learn", learnPage] };
const ABOUT = ["data", "queries", "metric", "normalise"];
const PARTS = { train: "training", vali: "validation", test: "held out" };

// What pages share: the project, the data that is chosen, and how to ask for something to be read again.
const shared = { project: null, about: { features: [] }, reloadProject, loadModel, say };
const links = Object.entries(PAGES).map(([page, [name]], i) => el("a", { href: `#page=${page}`, accesskey: i + 1, "data-page": page,
  onclick: event => { event.preventDefault(); change({ page }, { push: true }); } }, name));
let shown = null, describing = null, renewals = 0;

function say(message, isError = false) {
  byId("status").textContent = message;
  byId("status").classList.toggle("error", isError);
}

// Until the last thing asked for is worked out, the reading that stands there is of the past; after an error, too.
async function renew(work) {
  const own = ++renewals;
  byId("reading").setAttribute("aria-busy", "true");
  try {
    await work();
    if (own === renewals) byId("reading").removeAttribute("aria-busy");
    return true;
  } catch (error) {
    if (error.name !== "AbortError") say(error.message, true);
    return false;
  }
}

async function reloadProject() {
  const project = await ask("/api/project");
  if (!project.data.includes(state.data)) change({ data: project.chosen ?? project.data[0] ?? "" });
  shared.project = project;
  byId("project").textContent = shared.project.name;
  document.title = `${shared.project.name} - rankmax studio`;
  drawContext();
}

async function reloadAbout() {
  describing?.abort();  // a large file may be answered for long after a small one
  describing = new AbortController();
  shared.about = await ask("/api/describe", view(), describing);
  const { n_queries, n_documents, features } = shared.about;
  byId("size").textContent = [counted(n_queries, "query", "queries"), counted(n_documents, "document"), counted(features.length, "feature")].join(", ");
  chooseWeights();
  drawReferences();
}

// Weights of features that the data has; all the same where the address gives none.
function chooseWeights() {
  const { features } = shared.about, known = Object.entries(state.w).filter(([name]) => features.includes(name));
  const weights = known.length ? known : features.map(name => [name, 1]);
  if (weights.length !== Object.keys(state.w).length) change({ w: Object.fromEntries(weights) });
}

function drawContext() {
  const { data, metrics, normalisations } = shared.project;
  const select = (key, values, label) =>
    options(el("select", { id: key, onchange: event => change({ [key]: event.target.value }) }), values, state[key], label);
  const text = (key, properties) => {
    const input = el("input", { id: key, ...properties, onchange: event => change({ [key]: event.target.value.trim() }) });
    input.value = state[key];
    return input;
  };
  const partOf = name => Object.entries(PARTS).find(([part]) => name.toLowerCase().startsWith(part))?.[1];
  byId("context").replaceChildren(
    labelled("data", select("data", data, name => partOf(name) ? `${name} (${partOf(name)})` : name), "Training or held-out: a file of the project"),
    labelled("queries", text("queries", { placeholder: "all", size: 8 }), "Ids, * stands for anything; empty: all"),
    labelled("metric", text("metric", { list: "metrics", size: 9 }), "Any metric, such as nDCG@10, AP or RBP(p=0.8)"),
    el("datalist", { id: "metrics" }, metrics.map(value => el("option", { value }))),
    labelled("normalise", select("normalise", normalisations), "Of the features within each query"),
    labelled("reference", el("select", { id: "reference", onchange: event => change({ reference: event.target.value }) }),
      "What the current weights are compared with"),
    el("label", { class: "button", title: "A model (.json) or data, up to 64 MB" }, "add a file",
      el("input", { type: "file", id: "upload", class: "unseen", onchange: event => add(event.target.files[0]) })));
  drawReferences();
}

async function add(file) {
  if (!file) return;
  say(`adding ${file.name} …`);
  try {
    const { name } = await upload(file);
    await begin();
    say(`${name} is now in the project`);
  } catch (error) { say(error.message, true); }
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

const read = latest(() => renew(async () => {
  drawReading(await ask("/api/read", { ...view(), current: current(), reference: reference(shared.about.features) }));
  if (byId("status").classList.contains("error")) say("");
}));

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
  for (const link of links) {
    if (link.dataset.page === state.page) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  shown?.close?.();
  shown = (PAGES[state.page] ?? PAGES.weights)[1](shared);
  byId("page").replaceChildren(shown.element);
  shown.update(new Set(["all"]));
}

onChange(async changed => {
  if (!shared.project) return;
  if (ABOUT.some(key => changed.has(key))) {
    for (const key of ABOUT) byId(key).value = state[key];
    if (!await renew(reloadAbout)) return;
  } else if (changed.has("w")) chooseWeights();
  if (changed.has("reference")) byId("reference").value = state.reference;
  if (changed.has("page")) showPage(); else shown?.update(changed);
  if ([...ABOUT, "w", "reference"].some(key => changed.has(key))) read();
});

async function begin() {
  await reloadProject();
  if (!shared.project.data.length) {
    byId("reading").replaceChildren(el("p", {}, "There is no data in this project yet. Add a file above, or copy one to the project's folder: ",
      "LETOR text (.txt), .npz or .parquet."));
    return;
  }
  byId("tabs").replaceChildren(...links);
  await reloadAbout();
  showPage();
  await read();
}

function beginHere() {
  Object.assign(state, readAddress());
  renew(begin);
}

window.addEventListener("studio-found", beginHere);
window.addEventListener("resize", () => shown?.update(new Set(["size"])));
beginHere();
