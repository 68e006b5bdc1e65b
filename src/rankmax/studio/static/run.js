// One training: its progress, and the actions on it.

import { ask, stream } from "./api.js";
import { el } from "./charts/elements.js";
import { counted, number } from "./charts/numbers.js";
import { curveChart, curveLegend, curveTable, lastOf } from "./curves.js";
import { isGivenUp, messageOf } from "./dom.js";
import { saveButtons } from "./save.js";

/** @import { Training, Weights } from "./answers.js" */
/** @import { Properties } from "./charts/elements.js" */
/** @import { Curves } from "./curves.js" */
/** @import { Shared } from "./shared.js" */

/** @type {Record<string, string>} */
const ENDS = {
  converged: "Converged",
  seconds: "Stopped early, at the time limit",
  interrupted: "Stopped early",
  iterations: "Stopped at the limit of iterations",
  precision: "Stopped at the limit of numerical precision",
};

/**
 * @param {Training} about the training as described by the server
 * @param {{
 *   say: Shared["say"],
 *   use: (weights: Weights, normalize: string) => void,
 *   kept: (name: string) => Promise<void>,
 *   gone: () => void,
 * }} listeners called with the weights to use, with the name of the written file, and without arguments
 */
export function runPanel(about, { say, use, kept, gone }) {
  const { run, learner, metric, data } = about;
  /** @type {Curves} */
  const curves = new Map();
  const abort = new AbortController();
  const title = el("h2");
  const facts = el("p", { class: "soft" });
  const picture = el("div");
  const actions = el("div", { class: "bar" });
  const element = el("section", { class: "panel run", "data-run": run }, title, facts, picture, actions);
  /** @type {number | null} */
  let waiting = null;
  /** @type {Training | null} */
  let ended = null;

  /**
   * @param {string} label
   * @param {() => unknown} work
   * @param {Properties} properties
   */
  function act(label, work, properties) {
    const onclick = async () => {
      try {
        await work();
      } catch (error) {
        say(messageOf(error), true);
      }
    };
    return el("button", { type: "button", ...properties, onclick }, label);
  }

  const stop = act("stop", () => ask(`/api/runs/${run}/stop`, {}), { class: "stop" });
  const discard = act(
    "discard",
    async () => {
      await ask(`/api/runs/${run}`, undefined, { method: "DELETE" });
      gone();
    },
    { class: "discard" },
  );
  const name = el("input", { placeholder: "name", "aria-label": "Name of the model", size: 14, class: "name" });
  name.value = `${learner}-${run}`;
  const keep = act(
    "keep",
    async () => {
      if (!name.value.trim()) return say("Give the model a name", true);
      return kept((await ask("/api/runs/keep", { run, name: name.value.trim() })).name);
    },
    { class: "keep" },
  );
  name.addEventListener("keydown", event => {
    if (event.key === "Enter") keep.click();
  });

  function draw() {
    waiting = null;
    title.textContent = `${learner}, ${metric} on ${data}: ${ended?.state ?? "running"}`;
    if (ended) facts.textContent = summary(ended);
    else
      facts.textContent = curves.size ? `${counted(curves.size, "start")} so far` : "Training in a separate process…";
    if (curves.size) {
      const width = Math.max(300, element.clientWidth - 24);
      picture.replaceChildren(curveChart({ curves, metric, width }), curveLegend(curves));
    }
  }

  /** @param {Training} end */
  function summary({ training, message }) {
    if (!training) return message;
    const { value, n_lines, n_ascents, stopped_by } = training;
    const effort = `${counted(n_lines, "line search", "line searches")}, ${counted(n_ascents, "start")}`;
    const highest = Math.max(...[...curves.values()].map(path => lastOf(path)[1]));
    const sentences = [
      `${ENDS[stopped_by] ?? stopped_by}${n_lines ? `: ${effort}` : ""}.`,
      `${metric} ${number(value)} on the training queries.`,
      highest > value + 1e-9 &&
        `The best ascent reached ${number(highest)}; averaging and shrinkage gave up some of it to generalize better.`,
      message,
    ];
    return sentences.filter(Boolean).join(" ");
  }

  function drawActions() {
    const weights = ended?.weights;
    const chart = () => /** @type {SVGSVGElement} */ (picture.querySelector(".chart"));
    const buttons = [
      ended ? null : stop,
      weights ? act("use the weights", () => use(weights, about.normalize), { class: "use" }) : null,
      ended?.state === "ended" ? el("span", { class: "together" }, name, keep) : null,
      discard,
      curves.size
        ? saveButtons(
            () => `ascents-${run}`,
            chart,
            () => curveTable(curves),
          )
        : null,
    ];
    actions.replaceChildren(...buttons.filter(button => button !== null));
  }

  async function watch() {
    draw();
    drawActions();
    try {
      await stream(
        `/api/runs/${run}/events`,
        undefined,
        (kind, content) => {
          if (kind === "end") ended = content;
          else if (kind === "gone")
            gone(); // discarded, here or in another tab
          else {
            const curve = curves.get(content.ascent) ?? [];
            curves.set(content.ascent, curve);
            curve.push([content.n_lines, content.value]);
            waiting ??= requestAnimationFrame(draw);
          }
        },
        abort.signal,
      );
      if (waiting !== null) cancelAnimationFrame(waiting);
      draw();
      drawActions();
    } catch (error) {
      if (isGivenUp(error)) return;
      gone();
      say(messageOf(error), true);
    }
  }

  return { element, draw, watch, close: () => abort.abort() };
}
