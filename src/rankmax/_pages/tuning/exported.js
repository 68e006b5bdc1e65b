// The fusion to paste into a search engine, and how the numbers came about.

import { el } from "../charts/elements.js";
import { section, table } from "./parts.js";

/** @import { ExportData, TuningData } from "./tuning_data.js" */
/**
 * @typedef {{ targets: string[], exportTo: (target: string) => Promise<ExportData> }} Targets
 *   Search engines to choose from, where there is someone to ask.
 */

/**
 * @param {TuningData} tuning
 * @param {Targets} [targets]
 */
export function exportSection({ export: own }, targets) {
  const shown = el("div", { "aria-live": "polite" });

  /** @param {ExportData} data */
  function show({ what, name, title, text, refused, command, is_written }) {
    shown.replaceChildren(
      el("p", {}, `${what}, `, el("b", {}, name), title ? `, as ${title}.` : ":"),
      refused ? el("p", { class: "soft refused" }, `Not in the requested form: ${refused}`) : "",
      text === null ? "" : code(text),
      command && !targets
        ? el(
            "p",
            { class: "soft" },
            is_written ? null : ["With ", el("code", {}, "-o model.json"), " added to the command, "],
            el("code", {}, command),
            " writes it to a file.",
          )
        : "",
    );
  }

  show(own);
  if (!targets) return section("To paste", "", shown);
  const choice = el(
    "select",
    { id: "target", onchange: async event => show(await targets.exportTo(event.target.value)) },
    targets.targets.map(target => el("option", { value: target, selected: target === own.target }, target)),
  );
  return section("To paste", "", el("p", {}, el("label", {}, "Export for ", choice)), shown);
}

/** @param {string} text */
function code(text) {
  const shown = el("pre", { tabindex: 0 }, text);
  const button = el("button", { type: "button", class: "copy", onclick: copy }, "Copy");

  async function copy() {
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
    } catch {
      // The clipboard is not allowed: the selected text can be copied by hand.
      getSelection()?.selectAllChildren(shown);
      button.textContent = "Selected";
    }
  }

  return el("div", { class: "code" }, button, shown);
}

/** @param {TuningData} tuning */
export function provenanceSection({ provenance: { facts, files } }) {
  return section(
    "Provenance",
    "",
    el(
      "dl",
      { class: "provenance" },
      facts.flatMap(([name, value]) => [
        el("dt", {}, name),
        el("dd", {}, ["command", "data"].includes(name) ? el("code", {}, value) : value),
      ]),
    ),
    files.length
      ? table(
          ["file", "bytes", "SHA-256"],
          files.map(([name, bytes, hash]) => [name, bytes, el("code", {}, hash)]),
          { caption: "Files that were read" },
        )
      : null,
  );
}
