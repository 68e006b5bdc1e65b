// State of the page, stored in the address, so that a view can be linked and the back button works.

/** @import { Weights } from "./answers.js" */

const DEFAULTS = {
  page: "", // until it is known what the project holds
  data: "",
  queries: "",
  metric: "nDCG@10",
  normalize: "", // until the suggestion for the data is known
  reference: "",
  features: "",
  follow: "",
  find: "",
  order: "gain",
  search: "",
  query: "",
  opened: "",
  beside: "",
  learner: "direct",
  validation: "",
  options: "",
  tuning: "",
  against: "",
};
const PAUSE = 350; // milliseconds between two addresses: browsers ignore or forbid many per second

/** @typedef {keyof typeof DEFAULTS} Key A part of the state that is text. */
/** @typedef {typeof DEFAULTS & { w: Weights }} State */
/** @typedef {(changed: Set<string>) => unknown} Listener */

const KEYS = /** @type {Key[]} */ (Object.keys(DEFAULTS));

/** @type {State} */
export const state = { ...DEFAULTS, w: {} };
/** @type {Listener[]} */
const listeners = [];
let last = -PAUSE;
/** @type {number | null} */
let later = null;

/** @param {Listener} listener */
export const onChange = listener => listeners.push(listener);

/**
 * @param {Partial<State>} parts
 * @param {{ push?: boolean }} [how] `push` adds an entry to the browser's history
 */
export function change(parts, { push = false } = {}) {
  const keys = /** @type {(keyof State)[]} */ (Object.keys(parts));
  const changed = new Set(keys.filter(key => JSON.stringify(parts[key]) !== JSON.stringify(state[key])));
  if (!changed.size) return;
  if (push && later !== null) writeAddress(); // for the view that the back button returns to
  Object.assign(state, parts);
  if (push) history.pushState(null, "", `#${written()}`);
  else {
    later ??= setTimeout(writeAddress, last + PAUSE - performance.now());
    document.documentElement.dataset.address = "behind";
  }
  for (const listener of listeners) listener(changed);
}

function writeAddress() {
  forgetAddress();
  last = performance.now();
  history.replaceState(null, "", `#${written()}`);
}

function forgetAddress() {
  clearTimeout(later ?? undefined);
  later = null;
  document.documentElement.dataset.address = "written";
}

/** @returns {State} */
export function readAddress() {
  const given = new URLSearchParams(location.hash.slice(1));
  const weights = (given.get("w") ?? "")
    .split(",")
    .filter(Boolean)
    .map(pair => {
      const [name, weight] = pair.split("=");
      return /** @type {const} */ ([decodeURIComponent(name), Number(weight)]);
    })
    .filter(([, weight]) => Number.isFinite(weight));
  const texts = Object.fromEntries([...given].filter(([key]) => key in DEFAULTS));
  return { ...DEFAULTS, ...texts, w: Object.fromEntries(weights) };
}

function written() {
  const kept = KEYS.filter(key => state[key] !== DEFAULTS[key]).map(key => [key, state[key]]);
  const all = Object.entries(state.w);
  const used = all.filter(([, weight]) => weight);
  const weights = (used.length ? used : all).map(
    ([name, weight]) => `${encodeURIComponent(name)}=${Number(weight.toPrecision(12))}`,
  );
  return new URLSearchParams([...kept, ["w", weights.join(",")]]);
}

for (const moved of ["hashchange", "popstate"]) {
  window.addEventListener(moved, () => {
    forgetAddress();
    change(readAddress());
  });
}

// Parts of the requests to the server.

export const patterns = () => state.queries.split(/[\s,]+/).filter(Boolean);
export const view = () => ({ data: state.data, queries: patterns(), metric: state.metric });
export const current = () => ({ weights: state.w, normalize: state.normalize || "none" });

/** @param {string[]} names of all features */
export function reference(names) {
  const kind = state.reference.split(":")[0];
  const name = state.reference.slice(state.reference.indexOf(":") + 1);
  if (kind === "model") return { model: name };
  const weights = kind === "feature" ? { [name]: 1 } : Object.fromEntries(names.map(feature => [feature, 1]));
  return { weights, normalize: state.normalize || "none" };
}

/** Words for the reference. */
export function referenceName() {
  const name = state.reference.slice(state.reference.indexOf(":") + 1);
  if (state.reference.startsWith("feature:")) return `only ${name}`;
  return state.reference.startsWith("model:") ? name.replace(/\.json$/, "") : "equal weights";
}
