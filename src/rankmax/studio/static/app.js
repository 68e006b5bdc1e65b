// The frame around the pages: data and metric, the value of the current weights, the page that is shown.

import { ask, latest } from "./api.js";
import { byId, el } from "./charts/elements.js";
import { counted } from "./charts/numbers.js";
import { drawContext, drawReferences } from "./context.js";
import { isGivenUp, messageOf } from "./dom.js";
import { learnPage } from "./pages/learn.js";
import { rankingPage } from "./pages/ranking.js";
import { surfacePage } from "./pages/surface.js";
import { tunePage } from "./pages/tune.js";
import { weightsPage } from "./pages/weights.js";
import { forgetScale } from "./sliders.js";
import { change, current, onChange, readAddress, reference, state, view } from "./state.js";
import { drawnReading, pendingReading } from "./strip.js";
import { beginHistory, noteValue } from "./weight_history.js";

/** @import { Page, Shared } from "./shared.js" */
/** @import { Key } from "./state.js" */

/** @type {Record<string, [string, (shared: Shared) => Page]>} */
const PAGES = {
  tune: ["Tune", tunePage],
  weights: ["Weights", weightsPage],
  surface: ["Surface", surfacePage],
  ranking: ["Ranking", rankingPage],
  learn: ["Learn", learnPage],
};
const PATIENCE = 8000; // milliseconds for which a message that is no error is shown
const CURRENT = "current.json"; // the fusion in use, where the project has it
/** @type {Key[]} */
const ABOUT = ["data", "queries", "metric", "normalize"];

/** @type {Shared} */
const shared = {
  project: {
    name: "",
    chosen: null,
    data: [],
    roles: {},
    models: [],
    trained: [],
    additive: [],
    tunable: false,
    metrics: [],
    normalizations: [],
    spaces: [],
    targets: [],
    learners: {},
  },
  about: { features: [], n_queries: 0, n_documents: 0, grades: [], metric: "", suggestions: null },
  restart: begin,
  refresh: () => shown?.update(new Set(["released"])),
  reloadProject,
  loadModel,
  say,
};
const links = Object.entries(PAGES).map(([page, [name]], i) => {
  /** @param {MouseEvent} event */
  const onclick = event => {
    event.preventDefault();
    change({ page }, { push: true });
  };
  return el("a", { href: `#page=${page}`, accesskey: i + 1, "data-page": page, onclick }, name);
});
let hasProject = false;
/** @type {Page | null} */
let shown = null;
/** @type {AbortController | null} */
let describing = null;
let renewals = 0;
/** @type {number | undefined} */
let silence;

/** @param {string} id */
const control = id => /** @type {HTMLInputElement | HTMLSelectElement} */ (byId(id));

/**
 * @param {string} message
 * @param {boolean} [isError]
 */
function say(message, isError = false) {
  clearTimeout(silence);
  if (message && !isError) silence = setTimeout(() => say(""), PATIENCE);
  byId("status").textContent = message;
  byId("status").classList.toggle("error", isError);
}

/**
 * Marks the displayed reading as outdated until the last request is answered, and after an error.
 *
 * @param {() => Promise<unknown>} work
 */
async function renew(work) {
  const own = ++renewals;
  byId("reading").setAttribute("aria-busy", "true");
  try {
    await work();
    if (own === renewals) byId("reading").removeAttribute("aria-busy");
    return true;
  } catch (error) {
    if (!isGivenUp(error)) say(messageOf(error), true);
    return false;
  }
}

async function reloadProject() {
  const project = await ask("/api/project");
  if (!project.data.includes(state.data)) change({ data: project.chosen ?? project.data[0] ?? "" });
  shared.project = project;
  hasProject = true;
  byId("project").textContent = project.name;
  document.title = `${project.name} - rankmax studio`;
  drawContext(shared, begin);
}

async function reloadAbout() {
  describing?.abort(); // the response for a large file may arrive long after that for a small one
  describing = new AbortController();
  shared.about = await ask("/api/describe", view(), { signal: describing.signal });
  const { n_queries, n_documents, features } = shared.about;
  byId("size").textContent = [
    counted(n_queries, "query", "queries"),
    counted(n_documents, "document"),
    counted(features.length, "feature"),
  ].join(", ");
  choosePoint();
  chooseWeights();
  for (const key of ABOUT) control(key).value = state[key];
  drawReferences(shared);
}

// What the address does not give, or gives for other data: the normalization and the reference that are suggested.
function choosePoint() {
  const { suggestions, features } = shared.about;
  const { models } = shared.project;
  const feature = state.reference.replace(/^feature:/, "");
  const isKnown = feature === state.reference ? state.reference !== "" : features.includes(feature);
  const suggested = suggestions ? `feature:${suggestions.features[0]}` : "uniform";
  change({
    normalize: state.normalize || (suggestions?.normalization ?? "none"),
    reference: isKnown ? state.reference : models.includes(CURRENT) ? `model:${CURRENT}` : suggested,
  });
}

// Weights of the data's features; equal where the address gives none.
function chooseWeights() {
  const { features } = shared.about;
  const known = Object.entries(state.w).filter(([name]) => features.includes(name));
  const weights = known.length ? known : features.map(name => /** @type {const} */ ([name, 1]));
  if (weights.length !== Object.keys(state.w).length) change({ w: Object.fromEntries(weights) });
}

/** @param {string} name */
async function loadModel(name) {
  const { weights, normalize } = await ask(`/api/models/${encodeURIComponent(name)}`);
  const own = Object.entries(weights ?? {}).filter(
    ([feature, weight]) => weight && shared.about.features.includes(feature),
  );
  if (!own.length) return say(`${name} has no weights for these features; it can still be the reference`, true);
  forgetScale();
  change({ w: Object.fromEntries(own), normalize });
  return say(`${name} is now current`);
}

const read = latest(() =>
  renew(async () => {
    const question = { ...view(), current: current(), reference: reference(shared.about.features) };
    const reading = await ask("/api/read", question);
    byId("reading").replaceChildren(...drawnReading(shared, reading));
    if (view().data === question.data && question.current.weights === state.w) noteValue(reading.value);
    if (byId("status").classList.contains("error")) say("");
  }),
);

/** The page to show: the first one for what the project holds, unless the address names another that it has data for. */
function currentPage() {
  const { data, tunable } = shared.project;
  if (!data.length) return "tune";
  return state.page in PAGES ? state.page : tunable ? "tune" : "weights";
}

function showPage() {
  const page = currentPage();
  byId("page").setAttribute("aria-label", PAGES[page][0]);
  for (const link of links) {
    if (link.dataset.page === page) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  // Data, metric and weights of the frame are those of the other pages.
  const isAlone = page === "tune";
  const { data, tunable } = shared.project;
  for (const id of ["context", "size"]) byId(id).hidden = isAlone;
  byId("reading").hidden = isAlone && (tunable || data.length > 0);
  shown?.close?.();
  shown = PAGES[page][1](shared);
  byId("page").replaceChildren(shown.element);
  shown.update(new Set(["all"]));
}

onChange(async changed => {
  if (!hasProject || !shown) return;
  if (!shared.project.data.length) {
    shown.update(changed);
    return;
  }
  if (ABOUT.some(key => changed.has(key))) {
    for (const key of ABOUT) control(key).value = state[key];
    const before = shared.about.features.join();
    if (!(await renew(reloadAbout))) return;
    if (before !== shared.about.features.join()) {
      forgetScale();
      beginHistory();
    }
  } else if (changed.has("w")) chooseWeights();
  if (changed.has("reference")) control("reference").value = state.reference;
  if (changed.has("page")) showPage();
  else shown?.update(changed);
  if ([...ABOUT, "w", "reference"].some(key => changed.has(key))) read();
});

async function begin() {
  await reloadProject();
  if (!shared.project.data.length) {
    const none = "There is no data in this project yet. Drop files below, or copy them to the project's folder: ";
    const files = "runs with qrels, or judged features as LETOR text (.txt), .npz or .parquet.";
    document.body.classList.remove("starting");
    byId("reading").replaceChildren(el("p", {}, none, files));
    showPage();
    return;
  }
  byId("tabs").replaceChildren(...links);
  await reloadAbout();
  beginHistory();
  if (!byId("value")) byId("reading").replaceChildren(...pendingReading(shared));
  showPage();
  document.body.classList.remove("starting");
  await read();
}

function beginHere() {
  Object.assign(state, readAddress());
  renew(begin);
}

byId("skip").addEventListener("click", event => {
  event.preventDefault(); // the address holds the view
  byId("page").focus();
});
window.addEventListener("studio-found", beginHere);
window.addEventListener("resize", () => shown?.update(new Set(["size"])));
beginHere();
