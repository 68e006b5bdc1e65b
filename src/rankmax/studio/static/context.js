// What is looked at: data, queries, metric, normalization and reference, above every page.

import { upload } from "./api.js";
import { byId, el } from "./charts/elements.js";
import { copyButton } from "./copy.js";
import { labeled, messageOf, options } from "./dom.js";
import { roleWord } from "./held_out.js";
import { explained, inOrder } from "./normalizations.js";
import { change, state } from "./state.js";

/** @import { ControlEvent, Properties } from "./charts/elements.js" */
/** @import { Shared } from "./shared.js" */
/** @import { Key } from "./state.js" */

/**
 * @param {Shared} shared
 * @param {() => Promise<unknown>} begin called when a file was added
 */
export function drawContext(shared, begin) {
  const { data, metrics, normalizations, roles } = shared.project;
  /**
   * @param {Key} key
   * @param {string[]} values
   * @param {(value: string) => string} label
   */
  const select = (key, values, label) => {
    const element = el("select", { id: key, onchange: event => change({ [key]: event.target.value }) });
    return options(element, values, state[key], label);
  };
  /**
   * @param {Key} key
   * @param {Properties} properties
   */
  const text = (key, properties) => {
    /** @param {ControlEvent} event */
    const onchange = event => change({ [key]: event.target.value.trim() });
    const input = el("input", { id: key, ...properties, onchange });
    input.value = state[key];
    return input;
  };
  /** @param {string} name */
  const withRole = name => (roles[name] ? `${name} (${roleWord(shared, name).toLowerCase()})` : name);
  const compared = el("select", { id: "reference", onchange: event => change({ reference: event.target.value }) });
  const file = el("input", {
    type: "file",
    id: "upload",
    class: "unseen",
    onchange: event => add(shared, begin, event.target.files?.[0]),
  });
  byId("context").replaceChildren(
    labeled("Data", select("data", data, withRole), "A data file of the project: training or held-out queries"),
    labeled("Queries", text("queries", { placeholder: "all", size: 8 }), "Query ids, * matches anything; empty: all"),
    labeled("Metric", text("metric", { list: "metrics", size: 9 }), "Any metric, such as nDCG@10, AP or RBP(p=0.8)"),
    el(
      "datalist",
      { id: "metrics" },
      metrics.map(value => el("option", { value })),
    ),
    labeled(
      "Score normalization",
      select("normalize", inOrder(normalizations), explained),
      "How the features of each query are made comparable",
    ),
    labeled("Compare with", compared, "The reference that the current weights are compared with"),
    el("label", { class: "button", title: "A model (.json) or data, up to 64 MB" }, "Add a file", file),
    copyButton(() => location.href, "Copy link"),
  );
  drawReferences(shared);
}

/**
 * @param {Shared} shared
 * @param {() => Promise<unknown>} begin
 * @param {File | undefined} file
 */
async function add({ say }, begin, file) {
  if (!file) return;
  say(`adding ${file.name} …`);
  try {
    const { name } = await upload(file);
    await begin();
    say(`${name} is now in the project`);
  } catch (error) {
    say(messageOf(error), true);
  }
}

/** @param {Shared} shared */
export function drawReferences({ about, project }) {
  const best = about.suggestions?.features[0];
  const choices = [
    ...(best === undefined ? [] : [`feature:${best}`]),
    "uniform",
    ...project.models.map(name => `model:${name}`),
    ...about.features.filter(name => name !== best).map(name => `feature:${name}`),
  ];
  /** @param {string} value */
  const label = value => {
    if (value === "uniform") return "equal weights";
    const words = value.replace(/^feature:/, "only ").replace(/^model:/, "model ");
    return value === `feature:${best}` ? `${words} (best single feature)` : words;
  };
  options(/** @type {HTMLSelectElement} */ (byId("reference")), choices, state.reference, label);
}
