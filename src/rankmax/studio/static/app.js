// The frame around the pages: data and metric, the value of the current weights, the page that is shown.

import { ask, latest, upload } from "./api.js";
import { byId, el } from "./charts/elements.js";
import { counted, number, signed } from "./charts/numbers.js";
import { isGivenUp, labeled, messageOf, options } from "./dom.js";
import { explained, inOrder } from "./normalizations.js";
import { learnPage } from "./pages/learn.js";
import { rankingPage } from "./pages/ranking.js";
import { surfacePage } from "./pages/surface.js";
import { tunePage } from "./pages/tune.js";
import { weightsPage } from "./pages/weights.js";
import { change, current, onChange, readAddress, reference, state, view } from "./state.js";

/** @import { Reading } from "./answers.js" */
/** @import { ControlEvent, Properties } from "./charts/elements.js" */
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
/** @type {Key[]} */
const ABOUT = ["data", "queries", "metric", "normalize"];
const PARTS = { train: "training", vali: "validation", test: "held out" };

/** @type {Shared} */
const shared = {
  project: {
    name: "",
    chosen: null,
    data: [],
    models: [],
    tunable: false,
    metrics: [],
    normalizations: [],
    spaces: [],
    targets: [],
    learners: {},
  },
  about: { features: [], n_queries: 0, n_documents: 0, grades: [], metric: "" },
  restart: begin,
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

/** @param {string} id */
const control = id => /** @type {HTMLInputElement | HTMLSelectElement} */ (byId(id));

/**
 * @param {string} message
 * @param {boolean} [isError]
 */
function say(message, isError = false) {
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
  drawContext();
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
  chooseWeights();
  drawReferences();
}

// Weights of the data's features; equal where the address gives none.
function chooseWeights() {
  const { features } = shared.about;
  const known = Object.entries(state.w).filter(([name]) => features.includes(name));
  const weights = known.length ? known : features.map(name => /** @type {const} */ ([name, 1]));
  if (weights.length !== Object.keys(state.w).length) change({ w: Object.fromEntries(weights) });
}

function drawContext() {
  const { data, metrics, normalizations } = shared.project;
  /**
   * @param {Key} key
   * @param {string[]} values
   * @param {(value: string) => string} label
   */
  const select = (key, values, label) => {
    const element = el("select", { id: key, onchange: event => change({ [key]: event.target.value }) });
    return options(element, values, state[key], label);
  };
  /**
   * @param {Key} key
   * @param {Properties} properties
   */
  const text = (key, properties) => {
    /** @param {ControlEvent} event */
    const onchange = event => change({ [key]: event.target.value.trim() });
    const input = el("input", { id: key, ...properties, onchange });
    input.value = state[key];
    return input;
  };
  /** @param {string} name */
  const withPart = name => {
    const part = Object.entries(PARTS).find(([start]) => name.toLowerCase().startsWith(start))?.[1];
    return part ? `${name} (${part})` : name;
  };
  const compared = el("select", { id: "reference", onchange: event => change({ reference: event.target.value }) });
  const file = el("input", {
    type: "file",
    id: "upload",
    class: "unseen",
    onchange: event => add(event.target.files?.[0]),
  });
  byId("context").replaceChildren(
    labeled("Data", select("data", data, withPart), "A data file of the project: training or held-out queries"),
    labeled("Queries", text("queries", { placeholder: "all", size: 8 }), "Query ids, * matches anything; empty: all"),
    labeled("Metric", text("metric", { list: "metrics", size: 9 }), "Any metric, such as nDCG@10, AP or RBP(p=0.8)"),
    el(
      "datalist",
      { id: "metrics" },
      metrics.map(value => el("option", { value })),
    ),
    labeled(
      "Score normalization",
      select("normalize", inOrder(normalizations), explained),
      "How the features of each query are made comparable",
    ),
    labeled("Compare with", compared, "The reference that the current weights are compared with"),
    el("label", { class: "button", title: "A model (.json) or data, up to 64 MB" }, "add a file", file),
  );
  drawReferences();
}

/** @param {File | undefined} file */
async function add(file) {
  if (!file) return;
  say(`adding ${file.name} …`);
  try {
    const { name } = await upload(file);
    await begin();
    say(`${name} is now in the project`);
  } catch (error) {
    say(messageOf(error), true);
  }
}

function drawReferences() {
  const choices = [
    "uniform",
    ...shared.about.features.map(name => `feature:${name}`),
    ...shared.project.models.map(name => `model:${name}`),
  ];
  /** @param {string} value */
  const label = value =>
    value === "uniform" ? "equal weights" : value.replace(/^feature:/, "only ").replace(/^model:/, "model ");
  options(/** @type {HTMLSelectElement} */ (byId("reference")), choices, state.reference, label);
}

/** @param {string} name */
async function loadModel(name) {
  const { weights, normalize } = await ask(`/api/models/${encodeURIComponent(name)}`);
  const own = Object.entries(weights ?? {}).filter(
    ([feature, weight]) => weight && shared.about.features.includes(feature),
  );
  if (!own.length) return say(`${name} has no weights for these features; it can still be the reference`, true);
  change({ w: Object.fromEntries(own), normalize });
  return say(`${name} is now current`);
}

const read = latest(() =>
  renew(async () => {
    const question = { ...view(), current: current(), reference: reference(shared.about.features) };
    drawReading(await ask("/api/read", question));
    if (byId("status").classList.contains("error")) say("");
  }),
);

/** @param {Reading} reading */
function drawReading({ value, interval, difference, difference_interval, reference_value, wins, n_queries }) {
  const direction = difference > 0 ? "up" : difference < 0 ? "down" : "";
  const arrow = { up: "▲", down: "▼", "": "" }[direction];
  byId("reading").replaceChildren(
    el(
      "div",
      { class: "big" },
      el("span", { class: "soft" }, state.metric, " "),
      el("b", { id: "value", "data-value": value }, number(value)),
      el("span", { class: "soft" }, ` [${number(interval[0])}, ${number(interval[1])}]`),
    ),
    el(
      "div",
      { class: "big" },
      el("span", { class: "soft" }, "difference "),
      el("b", { id: "difference", "data-value": difference, class: direction }, `${arrow}${signed(difference)}`),
      el("span", { class: "soft" }, ` [${signed(difference_interval[0])}, ${signed(difference_interval[1])}]`),
    ),
    el(
      "div",
      { class: "soft" },
      `reference ${number(reference_value)}; of ${n_queries} queries, ${wins.wins} better, ${wins.losses} worse, `,
      `${wins.ties} equal; 95% intervals`,
    ),
  );
}

function showPage() {
  for (const link of links) {
    if (link.dataset.page === state.page) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  // Data, metric and weights of the frame are those of the other pages.
  const isAlone = state.page === "tune";
  const { data, tunable } = shared.project;
  for (const id of ["context", "size"]) byId(id).hidden = isAlone;
  byId("reading").hidden = isAlone && (tunable || data.length > 0);
  shown?.close?.();
  shown = (PAGES[state.page] ?? PAGES.weights)[1](shared);
  byId("page").replaceChildren(shown.element);
  shown.update(new Set(["all"]));
}

onChange(async changed => {
  if (!hasProject) return;
  if (!shared.project.data.length) return void shown?.update(changed);
  if (ABOUT.some(key => changed.has(key))) {
    for (const key of ABOUT) control(key).value = state[key];
    if (!(await renew(reloadAbout))) return;
  } else if (changed.has("w")) chooseWeights();
  if (changed.has("reference")) control("reference").value = state.reference;
  if (changed.has("page")) showPage();
  else shown?.update(changed);
  if ([...ABOUT, "w", "reference"].some(key => changed.has(key))) read();
});

async function begin() {
  await reloadProject();
  const { data, tunable } = shared.project;
  if (!(state.page in PAGES) || !data.length) change({ page: tunable || !data.length ? "tune" : "weights" });
  if (!data.length) {
    const none = "There is no data in this project yet. Drop files below, or copy them to the project's folder: ";
    const files = "runs with qrels, or judged features as LETOR text (.txt), .npz or .parquet.";
    byId("reading").replaceChildren(el("p", {}, none, files));
    showPage();
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
