// Building a page. Text always becomes a text node, so nothing that a file contains is ever read as HTML.

const SVG = "http://www.w3.org/2000/svg";

/** @typedef {Event & { target: HTMLInputElement }} ControlEvent An event of an input or of a select. */

/**
 * Attributes, and listeners as `onclick`. A boolean sets or removes an attribute; null and undefined leave it out.
 *
 * @typedef {{
 *   onclick?: (event: MouseEvent) => unknown,
 *   onkeydown?: (event: KeyboardEvent) => unknown,
 *   onchange?: (event: ControlEvent) => unknown,
 *   oninput?: (event: ControlEvent) => unknown,
 *   [attribute: string]: string | number | boolean | null | undefined | ((event: never) => unknown),
 * }} Properties
 */

/** @typedef {Node | string | number | null | undefined} Leaf */
/** @typedef {Leaf | Leaf[]} Child */

/**
 * @template {Element} E
 * @param {E} element
 * @param {Properties} properties
 * @param {Child[]} children
 * @returns {E} the element
 */
export function fill(element, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), /** @type {EventListener} */ (value));
    else if (typeof value === "boolean") element.toggleAttribute(name, value);
    else if (value !== undefined && value !== null) element.setAttribute(name, String(value));
  }
  for (const child of children.flat()) {
    if (child !== null && child !== undefined) element.append(child instanceof Node ? child : String(child));
  }
  return element;
}

/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Properties} properties
 * @param {Child[]} children
 */
export const el = (tag, properties = {}, ...children) => fill(document.createElement(tag), properties, children);

/**
 * @template {keyof SVGElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Properties} properties
 * @param {Child[]} children
 */
export const svg = (tag, properties = {}, ...children) =>
  fill(document.createElementNS(SVG, tag), properties, children);

/**
 * @param {string} id of an element that the page has
 */
export const byId = id => /** @type {HTMLElement} */ (document.getElementById(id));
