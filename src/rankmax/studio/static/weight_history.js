// Undo and redo of weights and normalization. Moves of one weight in a drag or in quick succession are one entry.

import { short } from "./charts/numbers.js";
import { change, onChange, state } from "./state.js";

/** @import { Weights } from "./answers.js" */

/** @typedef {{ w: Weights, normalize: string, label: string, value: number | null }} Entry */

const PAUSE = 800; // milliseconds between two moves of a weight that make them two entries
const MOST = 200;

/** @type {Entry[]} */
let entries = [];
let here = -1;
let last = { what: "", at: -Infinity, press: 0 };
let isTravelling = false;
/** Number of the press of a pointer that lasts; 0 between two. */
let press = 0;
let presses = 0;
/** @type {(() => void)[]} */
const listeners = [];

export const past = () => entries;
export const position = () => here;
export const canUndo = () => here > 0;
export const canRedo = () => here < entries.length - 1;

/** @param {() => void} listener called when the history has changed */
export function onHistory(listener) {
  listeners.push(listener);
  return () => listeners.splice(listeners.indexOf(listener), 1);
}

const tell = () => {
  for (const listener of listeners) listener();
};

/** Restarts the history, for other data. */
export function beginHistory() {
  entries = [{ w: state.w, normalize: state.normalize, label: "start", value: null }];
  here = 0;
  last = { what: "", at: -Infinity, press: 0 };
  tell();
}

/** @param {number} to */
export function travel(to) {
  if (to < 0 || to >= entries.length || to === here) return;
  here = to;
  isTravelling = true;
  change({ w: entries[here].w, normalize: entries[here].normalize });
  isTravelling = false;
  last = { what: "", at: -Infinity, press: 0 };
  tell();
}

/**
 * Notes the metric of the current weights.
 *
 * @param {number} value
 */
export function noteValue(value) {
  const entry = entries[here];
  if (!entry || entry.w !== state.w || entry.value === value) return;
  entry.value = value;
  tell();
}

/**
 * @param {Entry} before
 * @returns {{ what: string, label: string }}
 */
function described({ w, normalize }) {
  if (normalize !== state.normalize) return { what: "normalization", label: `normalization ${state.normalize}` };
  const names = new Set([...Object.keys(w), ...Object.keys(state.w)]);
  const moved = [...names].filter(name => (w[name] ?? 0) !== (state.w[name] ?? 0));
  const [name] = moved;
  if (moved.length === 1) {
    return { what: name, label: `${name}: ${short(w[name] ?? 0, 3)} → ${short(state.w[name] ?? 0, 3)}` };
  }
  const values = new Set(Object.values(state.w));
  if (values.size === 1) return { what: "all", label: `all ${short([...values][0], 3)}` };
  return { what: moved.join(), label: `${moved.length} weights` };
}

onChange(changed => {
  if (isTravelling || here < 0 || !(changed.has("w") || changed.has("normalize"))) return;
  const now = performance.now();
  const isDrag = press > 0 && press === last.press;
  const isSame = (isDrag || last.at > now - PAUSE) && here === entries.length - 1 && here > 0;
  const before = entries[here];
  const since = isSame && described(before).what === last.what ? entries[here - 1] : before;
  const { what, label } = described(since);
  if (!what) return;
  if (since !== before) entries.splice(here);
  else entries.splice(here + 1);
  entries.push({ w: state.w, normalize: state.normalize, label, value: null });
  if (entries.length > MOST) entries.shift();
  here = entries.length - 1;
  last = { what, at: now, press };
  tell();
});

const begin = () => {
  press = ++presses;
};
const end = () => {
  press = 0;
};
document.addEventListener("pointerdown", begin, { capture: true });
for (const kind of ["pointerup", "pointercancel"]) document.addEventListener(kind, end, { capture: true });

document.addEventListener("keydown", event => {
  const isText = event.target instanceof HTMLInputElement && event.target.type !== "range";
  if (isText || !(event.ctrlKey || event.metaKey) || event.altKey) return;
  const key = event.key.toLowerCase();
  if (key === "z") travel(here + (event.shiftKey ? 1 : -1));
  else if (key === "y") travel(here + 1);
  else return;
  event.preventDefault();
});
