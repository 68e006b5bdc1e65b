// Roles of the data files. Weights are chosen by training and validation queries; test queries need a confirmation.

import { confirmed } from "./dialog.js";
import { state } from "./state.js";

/** @import { Role } from "./answers.js" */
/** @import { Shared } from "./shared.js" */

/** @type {Record<Role, string>} */
const WORDS = { train: "Training", validation: "Validation", test: "Held out" };
const WHY =
  "Weights that are chosen by test queries fit their judgments, so their value there no longer tells how they do on " +
  "new queries. Choose weights by training or validation queries, and look at the test queries afterwards.";

/** @type {Set<string>} data files that may be used in this tab although they hold test queries */
const released = new Set();

/**
 * Words for the role of a data file; a file whose name tells none is trained on.
 *
 * @param {Shared} shared
 * @param {string} name
 */
export const roleWord = (shared, name) => WORDS[shared.project.roles[name] ?? "train"];

/** @param {string} name */
export const isReleased = name => released.has(name);

/**
 * Whether weights may not be chosen by a data file, because its queries are held out.
 *
 * @param {Shared} shared
 */
export const isLocked = (shared, name = state.data) => shared.project.roles[name] === "test" && !released.has(name);

/**
 * Asks whether test queries may choose weights.
 *
 * @param {Shared} shared
 * @param {string} [name] of the data file
 */
export async function release(shared, name = state.data) {
  const isSure = await confirmed({
    title: `Choose weights by ${name}?`,
    text: WHY,
    yes: "Use them as training queries",
    no: "Keep them held out",
  });
  if (isSure) {
    released.add(name);
    shared.refresh();
  }
  return isSure;
}

/**
 * Whether a weight may be moved now; if not, a question is shown, after which the move can be repeated.
 *
 * @param {Shared} shared
 */
export function mayMove(shared) {
  if (!isLocked(shared)) return true;
  release(shared);
  return false;
}
