// One training: its progress, its held-out result, and the actions on it.

import { ask, stream } from "./api.js";
import { el } from "./charts/elements.js";
import { counted, direction, number, signed } from "./charts/numbers.js";
import { copyButton } from "./copy.js";
import { addStep, curveChart, curveLegend, curveTable, lastOf } from "./curves.js";
import { confirmed } from "./dialog.js";
import { isGivenUp, messageOf } from "./dom.js";
import { gainCells, partName, result, valueCells, valueHeads } from "./parts_table.js";
import { saveButtons } from "./save.js";
import { reference, referenceName, view } from "./state.js";

/** @import { ModelTable, Training, Weights } from "./answers.js" */
/** @import { Properties } from "./charts/elements.js" */
/** @import { Curves } from "./curves.js" */
/** @import { Shared } from "./shared.js" */

const PAUSE = 100; // milliseconds between two drawings: a training may take thousands of steps a second

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
 *   shared: Shared,
 *   isBrief: boolean,
 *   use: (weights: Weights, normalize: string) => void,
 *   kept: (name: string) => Promise<void>,
 *   gone: () => void,
 * }} listeners called with the weights to use, with the name of the written file, and without arguments
 */
export function runPanel(about, { shared, isBrief, use, kept, gone }) {
  const { run, learner, metric, data } = about;
  const { say } = shared;
  /** @type {Curves} */
  const curves = new Map();
  const abort = new AbortController();
  const title = el("h2");
  const verdict = el("div", { class: "verdict", "aria-live": "polite" });
  const facts = el("p", { class: "soft" });
  const picture = el("details", { open: true }, el("summary", {}, "Progress"));
  const actions = el("div", { class: "bar" });
  const element = el("section", { class: "panel run", "data-run": run, "aria-label": `Training ${run}` });
  element.append(title, verdict, facts, picture, actions);
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

  const stop = act("Stop", () => ask(`/api/runs/${run}/stop`, {}), { class: "stop" });
  const discard = act("Discard", discardRun, { class: "discard" });
  const name = el("input", { placeholder: "name", "aria-label": "Name of the model", size: 14, class: "name" });
  name.value = freeName();
  const keep = act("Keep", keepModel, { class: "keep" });
  name.addEventListener("keydown", event => {
    if (event.key === "Enter") keep.click();
  });

  /** A name that no model of the project has. */
  function freeName() {
    let n = run;
    while (shared.project.models.includes(`${learner}-${n}.json`)) n++;
    return `${learner}-${n}`;
  }

  async function discardRun() {
    const question = {
      title: "Discard the running training?",
      text: "It ends, and the best weights so far are lost. “Stop” ends it and keeps them.",
      yes: "Discard it",
      no: "Let it run",
    };
    if (!ended && !(await confirmed(question))) return;
    await ask(`/api/runs/${run}`, undefined, { method: "DELETE" });
    gone();
  }

  async function keepModel() {
    if (!name.value.trim()) {
      say("Give the model a name", true);
      name.focus();
      return;
    }
    const saved = await ask("/api/runs/keep", { run, name: name.value.trim() });
    if (ended) ended.kept = saved.name;
    drawActions();
    await kept(saved.name);
  }

  function draw() {
    waiting = null;
    picture.hidden = !curves.size;
    title.textContent = `Training ${run}: ${learner}, ${metric} on ${data}, ${ended?.state ?? "running"}`;
    if (ended) facts.textContent = summary(ended);
    else
      facts.textContent = curves.size ? `${counted(curves.size, "start")} so far` : "Training in a separate process…";
    if (curves.size) {
      const width = Math.max(300, element.clientWidth - 24);
      const [summary] = picture.children;
      picture.replaceChildren(summary, curveChart({ curves, metric, width }), curveLegend(curves));
    }
  }

  /** Compares the model with the reference on all parts of the data; the held-out value comes first. */
  async function judge() {
    if (ended?.state !== "ended") return;
    try {
      const question = { ...view(), metric, reference: reference(shared.about.features), run };
      verdict.replaceChildren(...judged(await ask("/api/table", question)));
    } catch (error) {
      verdict.replaceChildren(el("p", { class: "soft" }, `Not compared: ${messageOf(error)}`));
    }
  }

  /** @param {ModelTable} table */
  function judged(table) {
    const part = result(table);
    const { mean, difference, marker } = part.rows[0];
    const isHeldOut = part.role !== null && part.role !== "train" && part.data !== data;
    const words = isHeldOut ? `on ${part.data}; ` : "on the training queries, as no queries are held out; ";
    const significance =
      marker === "▲" ? "significantly better" : marker === "▼" ? "significantly worse" : "not significantly different";
    const heads = [metric, "gain", "95% interval", "p", "W/L/T"].map(text => el("th", { scope: "col" }, text));
    return [
      el(
        "p",
        {},
        isHeldOut ? "Held-out " : "",
        `${metric} `,
        el("b", { class: "result", "data-value": mean }, number(mean)),
        ` ${words}`,
        `gain over ${referenceName()} `,
        el("b", { class: direction(marker) }, `${signed(difference)}${marker}`),
        ` (${significance}).`,
      ),
      el(
        "div",
        { class: "scroll", tabindex: 0, role: "region", "aria-label": `Values of training ${run}` },
        el(
          "table",
          {},
          el("caption", { class: "soft" }, `Gain over ${referenceName()} on the ${partName(part)} queries`),
          el("thead", {}, el("tr", {}, heads[0], valueHeads(table), heads.slice(1))),
          el(
            "tbody",
            {},
            el(
              "tr",
              {},
              el("th", { scope: "row" }, referenceName()),
              table.parts.map(one => el("td", {}, number(one.mean))),
              el("td", { colspan: 4 }),
            ),
            el("tr", {}, el("th", { scope: "row" }, `training ${run}`), valueCells(table, 0), gainCells(part, 0)),
          ),
        ),
      ),
    ];
  }

  /** @param {Training} end */
  function summary({ training, message }) {
    if (!training) return message;
    const { value, cross_validated_value: held, n_lines, n_ascents, stopped_by } = training;
    const effort = `${counted(n_lines, "line search", "line searches")}, ${counted(n_ascents, "start")}`;
    const highest = Math.max(...[...curves.values()].map(path => lastOf(path)[1]));
    const sentences = [
      `${ENDS[stopped_by] ?? stopped_by}${n_lines ? `: ${effort}` : ""}.`,
      highest > value + 1e-9 &&
        `The best ascent reached ${number(highest)} on the training queries, the model ${number(value)}; ` +
          "averaging and shrinkage gave up some of it to generalize better.",
      held !== null && `Cross-validated ${metric} ${number(held)}, on the training queries ${number(value)}.`,
      message,
    ];
    return sentences.filter(Boolean).join(" ");
  }

  function drawActions() {
    const weights = ended?.weights;
    const command = about.command;
    const chart = () => /** @type {SVGSVGElement} */ (picture.querySelector(".chart"));
    const saving = ended?.kept
      ? el("span", { class: "soft kept" }, `kept as ${ended.kept}`)
      : el("span", { class: "together" }, name, keep);
    const buttons = [
      ended ? null : stop,
      weights ? act("Use the weights", () => use(weights, about.normalize), { class: "use main" }) : null,
      ended?.state === "ended" ? saving : null,
      discard,
      command ? copyButton(() => command, "Copy command") : null,
      curves.size
        ? saveButtons(
            () => `ascents-${run}`,
            chart,
            () => curveTable(curves),
          )
        : null,
    ];
    if (ended) discard.textContent = ended.kept ? "Close" : "Discard";
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
            addStep(curves, [content.ascent, content.n_lines, content.value]);
            waiting ??= window.setTimeout(draw, PAUSE);
          }
        },
        abort.signal,
      );
      if (waiting !== null) window.clearTimeout(waiting);
      if (isBrief) picture.open = false;
      draw();
      drawActions();
      await judge();
    } catch (error) {
      if (isGivenUp(error)) return;
      gone();
      say(messageOf(error), true);
    }
  }

  return { element, draw, watch, judge, close: () => abort.abort() };
}
