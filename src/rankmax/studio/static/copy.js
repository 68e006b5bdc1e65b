// A button that copies a text.

import { el } from "./charts/elements.js";

const PAUSE = 1500; // milliseconds for which the button says that it is done

/**
 * @param {() => string} text
 * @param {string} [label]
 */
export function copyButton(text, label = "Copy") {
  const button = el("button", { type: "button", class: "copy", onclick: copy }, label);
  async function copy() {
    let words = "Copied";
    try {
      await navigator.clipboard.writeText(text());
    } catch {
      words = "Copying is not allowed here";
    }
    button.textContent = words;
    setTimeout(() => {
      button.textContent = label;
    }, PAUSE);
  }
  return button;
}
