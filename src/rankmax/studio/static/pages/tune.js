// Tuning of runs: files in, verdict out, and all that leads to it. The numbers are those of `rankmax tune`.

import { ask, content, stream } from "../api.js";
import { el } from "../charts/elements.js";
import { isGivenUp, labeled, messageOf, options } from "../dom.js";
import { download } from "../save.js";
import { change, state } from "../state.js";
import { tuningSections } from "../tuning/sections.js";
import { subject } from "../tuning/verdict.js";
import { tuningComparison } from "../tuning_comparison.js";
import { tuningForm } from "../tuning_form.js";

/** @import { TuningChoices } from "../answers.js" */
/** @import { Page, Shared } from "../shared.js" */
/** @import { TuningData } from "../tuning/tuning_data.js" */

/**
 * @param {Shared} shared
 * @returns {Page}
 */
export function tunePage(shared) {
  const closing = new AbortController();
  const form = tuningForm(shared, start);
  const progress = el("section", { class: "panel", id: "tuning-progress", "aria-label": "Progress", hidden: true });
  const result = el("div", { id: "tuning-result", class: "tuning" });
  const element = el("div", { class: "tune" }, form.element, progress, result);
  /** @type {TuningChoices | null} */
  let choices = null;
  let drawn = "";
  /** @type {Promise<void>} */
  let drawing = Promise.resolve();

  /** @param {unknown} error */
  const tell = error => {
    if (!isGivenUp(error)) shared.say(messageOf(error), true);
  };

  /** @param {string} [wanted] the tuning to show, if there is one of that name */
  async function reload(wanted = state.tuning) {
    try {
      choices = await ask("/api/tunings/choices");
      form.draw(choices);
    } finally {
      form.element.classList.remove("pending");
    }
    const [running] = choices.running;
    if (running !== undefined && progress.hidden) watch(running);
    const known = choices.kept.includes(wanted) ? wanted : (choices.kept[0] ?? "");
    if (known !== state.tuning) change({ tuning: known });
    await show();
  }

  /** @param {object} asked */
  async function start(asked) {
    try {
      const { tuning } = await ask("/api/tunings", asked);
      await watch(tuning);
    } catch (error) {
      tell(error);
    }
  }

  /** @param {number} number */
  async function watch(number) {
    const words = el("p", { role: "status" }, "Starting…");
    const bar = el("progress", { max: 1, "aria-label": "Progress of the tuning" });
    const stop = el("button", { type: "button", onclick: () => ask(`/api/tunings/jobs/${number}/stop`, {}) }, "Stop");
    progress.replaceChildren(el("div", { class: "bar" }, words, stop), bar);
    progress.hidden = false;
    form.busy(true);
    shared.say("");
    try {
      await stream(
        `/api/tunings/jobs/${number}/events`,
        undefined,
        (kind, content) => {
          if (kind === "step") {
            words.textContent = content.total
              ? `${content.stage}: ${content.done} of ${content.total}`
              : `${content.stage}…`;
            if (content.total) bar.value = content.done / content.total;
            else bar.removeAttribute("value");
          } else finish(content);
        },
        closing.signal,
      );
    } catch (error) {
      tell(error);
    }
  }

  /** @param {{ state: string, message: string, kept: string | null }} end */
  async function finish({ state: how, message, kept }) {
    progress.hidden = true;
    form.busy(false);
    if (how !== "ended" || !kept) return shared.say(how === "stopped" ? "The tuning was stopped." : message, true);
    await reload(kept);
    document.getElementById("tuning-heading")?.focus();
    return shared.say(`${kept} is kept in the project`);
  }

  function show() {
    const wanted = `${state.tuning} ${state.against} ${choices?.kept.join()}`;
    if (choices && wanted !== drawn) {
      drawn = wanted;
      drawing = draw(wanted, choices);
    }
    return drawing;
  }

  /**
   * @param {string} wanted
   * @param {TuningChoices} choices
   */
  async function draw(wanted, choices) {
    if (!state.tuning) return result.replaceChildren();
    result.setAttribute("aria-busy", "true");
    const against = choices.kept.includes(state.against) && state.against !== state.tuning ? state.against : "";
    const [tuning, other] = await Promise.all(
      [state.tuning, against].map(name => (name ? ask(`/api/tunings/kept/${encodeURIComponent(name)}`) : null)),
    );
    result.removeAttribute("aria-busy");
    if (wanted === drawn && tuning) result.replaceChildren(...shown(choices, state.tuning, tuning, against, other));
  }

  /**
   * @param {TuningChoices} known
   * @param {string} name
   * @param {TuningData} tuning
   * @param {string} against
   * @param {TuningData | null} other
   */
  function shown({ kept, targets }, name, tuning, against, other) {
    const chosen = options(el("select", { id: "tuning" }), kept, name);
    chosen.addEventListener("change", () => change({ tuning: chosen.value }));
    const others = ["", ...kept.filter(one => one !== name)];
    const compared = options(el("select", { id: "against" }), others, against, one => one || "none");
    compared.addEventListener("change", () => change({ against: compared.value }));
    const heading = el("h2", { id: "tuning-heading", tabindex: -1 }, subject(tuning.summary));
    /** @param {string} target */
    const exportTo = target => ask("/api/tunings/export", { tuning: name, target });
    return [
      el(
        "div",
        { class: "bar tuning-bar" },
        labeled("Tuning", chosen, "Tunings are kept in the project's folder"),
        others.length > 1 ? labeled("Compare with", compared) : null,
        el("button", { type: "button", id: "save-report", onclick: () => saveReport(name) }, "Save as a web page"),
        el(
          "button",
          { type: "button", id: "save-model", onclick: () => saveModel(name) },
          "Save the fusion as a model",
        ),
      ),
      heading,
      ...(other ? [tuningComparison(name, tuning, against, other)] : []),
      ...tuningSections(tuning, { targets, exportTo }),
    ].filter(part => part !== null);
  }

  /** @param {string} name */
  async function saveReport(name) {
    try {
      download(`${name}.html`, await content(`/api/tunings/kept/${encodeURIComponent(name)}/report`));
    } catch (error) {
      tell(error);
    }
  }

  /** @param {string} name */
  async function saveModel(name) {
    try {
      const saved = await ask("/api/tunings/model", { tuning: name, name });
      await shared.reloadProject();
      shared.say(`saved ${saved.name}`);
    } catch (error) {
      tell(error);
    }
  }

  return {
    element,
    close: () => closing.abort(),
    update(changed) {
      if (changed.has("all")) reload().catch(tell);
      else if (changed.has("tuning") || changed.has("against")) show().catch(tell);
    },
  };
}
