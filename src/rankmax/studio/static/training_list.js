// The trainings that the studio knows, newest first, each with its progress and result.

import { ask } from "./api.js";
import { el } from "./charts/elements.js";
import { messageOf } from "./dom.js";
import { runPanel } from "./run.js";
import { forgetScale } from "./sliders.js";
import { change } from "./state.js";

/** @import { Training, Weights } from "./answers.js" */
/** @import { Shared } from "./shared.js" */

/**
 * @param {Shared} shared
 * @param {{ kept?: () => Promise<unknown>, isBrief?: boolean }} [how] `kept` is called when a model was saved; brief
 *   trainings fold their curves when they end
 */
export function trainingList(shared, { kept = async () => {}, isBrief = false } = {}) {
  const element = el("div", { class: "trainings" });
  /** @type {Map<number, ReturnType<typeof runPanel>>} */
  const shown = new Map();

  async function watchAll() {
    try {
      for (const about of await ask("/api/runs")) if (!shown.has(about.run)) watch(about);
    } catch (error) {
      shared.say(messageOf(error), true);
    }
  }

  /** @param {Training} about */
  function watch(about) {
    const panel = runPanel(about, {
      shared,
      isBrief,
      gone: () => {
        panel.element.remove();
        shown.delete(about.run);
      },
      use: (weights, normalize) => {
        forgetScale();
        change({ w: onlyUsed(weights), normalize });
      },
      kept: async name => {
        await shared.reloadProject();
        await kept();
        shared.say(`saved ${name}`);
      },
    });
    shown.set(about.run, panel);
    element.prepend(panel.element);
    panel.watch();
  }

  /** @param {Weights} weights */
  const onlyUsed = weights =>
    Object.fromEntries(
      Object.entries(weights).filter(([name, weight]) => weight && shared.about.features.includes(name)),
    );

  return {
    element,
    watchAll,
    close() {
      for (const panel of shown.values()) panel.close();
    },
    /** @param {Set<string>} changed */
    update(changed) {
      if (changed.has("all")) watchAll();
      if (changed.has("size")) for (const panel of shown.values()) panel.draw();
      if (["data", "reference", "metric"].some(key => changed.has(key))) {
        for (const panel of shown.values()) panel.judge();
      }
    },
  };
}
