// Numbers as people read them, with a minus sign that is as wide as the plus sign.

/** @typedef {number | null | undefined} Value */

const MINUS = "\u2212";

/** @param {string} written */
const withMinus = written => written.replace(/^-/, MINUS);

/**
 * @param {Value} value
 * @param {number} [digits] after the point
 */
export const number = (value, digits = 4) =>
  value === null || value === undefined ? "–" : withMinus(value.toFixed(digits));

/**
 * @param {Value} value
 * @param {number} [digits] after the point
 */
export const signed = (value, digits = 4) =>
  value === null || value === undefined ? "–" : (value < 0 ? MINUS : "+") + Math.abs(value).toFixed(digits);

/**
 * @param {number} value
 * @param {number} [digits] that count
 */
export const short = (value, digits = 4) => withMinus(String(Number(value.toPrecision(digits))));

/** @param {number} p */
export const probability = p => (p < 0.0001 ? "<0.0001" : p.toFixed(4));

/**
 * Class that colors a difference: only a significant one is better or worse.
 *
 * @param {string} marker
 */
export const direction = marker => (marker === "▲" ? "up" : marker === "▼" ? "down" : "");

/** @param {number} n */
export const grouped = n => n.toLocaleString("en");

/**
 * @param {number} n
 * @param {string} one
 * @param {string} [many]
 */
export const counted = (n, one, many = `${one}s`) => `${grouped(n)} ${n === 1 ? one : many}`;

/**
 * @param {string} text
 * @param {number} most letters
 */
export const cut = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);
