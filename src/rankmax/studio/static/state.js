// What the page shows, kept in the address, so that a view can be linked and the back button works.

const DEFAULTS = {
  page: "weights", data: "", queries: "", metric: "nDCG@10", normalise: "none", reference: "uniform",
  features: "", follow: "", find: "", order: "gain", search: "", query: "", opened: "",
  learner: "direct", validation: "", options: "",
};
const PAUSE = 350;  // milliseconds between two addresses: browsers ignore, or forbid, many a second

export const state = { ...DEFAULTS, w: {} };
const listeners = [];
let last = -PAUSE, later = null;

export const onChange = listener => listeners.push(listener);

export function change(parts, { push = false } = {}) {
  const changed = new Set(Object.keys(parts).filter(key => JSON.stringify(parts[key]) !== JSON.stringify(state[key])));
  if (!changed.size) return;
  if (push && later) writeAddress();  // of the view that the back button returns to
  Object.assign(state, parts);
  if (push) history.pushState(null, "", `#${written()}`);
  else {
    later ??= setTimeout(writeAddress, last + PAUSE - performance.now());
    document.documentElement.dataset.address = "behind";
  }
  listeners.forEach(listener => listener(changed));
}

function writeAddress() {
  forgetAddress();
  last = performance.now();
  history.replaceState(null, "", `#${written()}`);
}

function forgetAddress() {
  clearTimeout(later);
  later = null;
  document.documentElement.dataset.address = "written";
}

export function readAddress() {
  const given = new URLSearchParams(location.hash.slice(1));
  const parts = { ...DEFAULTS, ...Object.fromEntries([...given].filter(([key]) => key in DEFAULTS)) };
  parts.w = Object.fromEntries((given.get("w") ?? "").split(",").filter(Boolean).map(pair => {
    const [name, weight] = pair.split("=");
    return [decodeURIComponent(name), Number(weight)];
  }).filter(([, weight]) => Number.isFinite(weight)));
  return parts;
}

function written() {
  const kept = Object.keys(DEFAULTS).filter(key => state[key] !== DEFAULTS[key]).map(key => [key, state[key]]);
  const all = Object.entries(state.w), used = all.filter(([, weight]) => weight);
  const weights = (used.length ? used : all)
    .map(([name, weight]) => `${encodeURIComponent(name)}=${Number(weight.toPrecision(12))}`).join(",");
  return new URLSearchParams([...kept, ["w", weights]]);
}

for (const moved of ["hashchange", "popstate"]) window.addEventListener(moved, () => { forgetAddress(); change(readAddress()); });

// The shapes in which the server is asked.
export const patterns = () => state.queries.split(/[\s,]+/).filter(Boolean);
export const view = () => ({ data: state.data, queries: patterns(), metric: state.metric });
export const current = () => ({ weights: state.w, normalise: state.normalise });
export function reference(names) {
  const [kind, name] = [state.reference.split(":")[0], state.reference.slice(state.reference.indexOf(":") + 1)];
  if (kind === "model") return { model: name };
  const weights = kind === "feature" ? { [name]: 1 } : Object.fromEntries(names.map(feature => [feature, 1]));
  return { weights, normalise: state.normalise };
}
