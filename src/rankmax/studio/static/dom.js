// Controls of the page, and redrawing.

import { el, fill } from "./charts/elements.js";

/** @import { Child } from "./charts/elements.js" */

/**
 * @param {HTMLSelectElement} select
 * @param {string[]} values
 * @param {string} chosen
 * @param {(value: string) => string} label
 */
export function options(select, values, chosen, label = value => value) {
  select.replaceChildren(...values.map(value => el("option", { value }, label(value))));
  select.value = values.includes(chosen) ? chosen : (values[0] ?? "");
  return select;
}

/**
 * Draws the content of a container. The focus stays at the same position among all focusable elements.
 *
 * @param {HTMLElement} container
 * @param {Child[]} children
 */
export function redraw(container, ...children) {
  /** @returns {(Element | null)[]} */
  const focusable = () => [...container.querySelectorAll("button, input, select, [tabindex]")];
  const place = focusable().indexOf(document.activeElement);
  container.replaceChildren();
  fill(container, {}, children);
  const again = place >= 0 ? focusable()[place] : null;
  if (again instanceof HTMLElement || again instanceof SVGElement) again.focus({ preventScroll: true });
}

/**
 * @param {string} text
 * @param {HTMLElement} control
 * @param {string} [hint]
 */
export function labeled(text, control, hint) {
  return el("label", { class: "field", title: hint }, el("span", {}, text), control);
}

/**
 * A color of the style sheet, for pictures that are saved without it.
 *
 * @param {string} name
 */
export const ink = name => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

/** @param {unknown} error */
export const messageOf = error => (error instanceof Error ? error.message : String(error));

/**
 * Whether a request was aborted, which needs no message.
 *
 * @param {unknown} error
 */
export const isGivenUp = error => error instanceof DOMException && error.name === "AbortError";
