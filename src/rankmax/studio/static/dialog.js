// Questions that must be answered before something is lost or held-out queries are used.

import { el } from "./charts/elements.js";

/**
 * @param {{ title: string, text: string, yes: string, no?: string }} question
 * @returns {Promise<boolean>}
 */
export function confirmed({ title, text, yes, no = "Cancel" }) {
  return new Promise(resolve => {
    const dialog = el("dialog", { "aria-labelledby": "question" });
    dialog.append(
      el("h2", { id: "question" }, title),
      el("p", {}, text),
      el(
        "div",
        { class: "bar" },
        el("button", { type: "button", class: "main", autofocus: true, onclick: () => dialog.close() }, no),
        el("button", { type: "button", class: "yes", onclick: () => dialog.close("yes") }, yes),
      ),
    );
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue === "yes");
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}
