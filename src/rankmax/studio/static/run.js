// One training: its ascents as they go on, and what to do with it.

import { ask, stream } from "./api.js";
import { curveChart, curveLegend, curveTable } from "./curves.js";
import { counted, el, number } from "./dom.js";
import { saveButtons } from "./save.js";

// `about` is what the server tells of the training. `use`, `kept` and `gone` are called with the weights to take over,
// the name of the file that was written, and nothing.
export function runPanel(about, { say, use, kept, gone }) {
  const { run, learner, metric, data } = about, curves = new Map(), abort = new AbortController();
  const title = el("h2"), facts = el("p", { class: "soft" }), picture = el("div"), actions = el("div", { class: "bar" });
  const element = el("section", { class: "panel run", "data-run": run }, title, facts, picture, actions);
  let waiting = null, ended = null;

  const act = (label, work, properties = {}) => el("button", { type: "button", ...properties, onclick: async () => {
    try { await work(); } catch (error) { say(error.message, true); }
  } }, label);
  const stop = act("stop", () => ask(`/api/runs/${run}/stop`, {}), { class: "stop" });
  const discard = act("discard", async () => {
    await ask(`/api/runs/${run}`, undefined, { method: "DELETE" });
    gone();
  }, { class: "discard" });
  const name = el("input", { placeholder: "name", "aria-label": "Name of the model", size: 14, class: "name" });
  const keep = act("keep", async () => kept((await ask("/api/runs/keep", { run, name: name.value })).name), { class: "keep" });
  name.addEventListener("keydown", event => { if (event.key === "Enter") keep.click(); });

  function draw() {
    waiting = null;
    title.textContent = `${learner}, ${metric} on ${data}: ${ended?.state ?? "running"}`;
    facts.textContent = ended ? summary() : curves.size ? `${counted(curves.size, "start")} so far` : "Learning in a process of its own…";
    if (curves.size) picture.replaceChildren(curveChart({ curves, metric, width: Math.max(300, element.clientWidth - 24) }), curveLegend(curves));
  }

  function summary() {
    const { training, message } = ended, highest = Math.max(...[...curves.values()].map(path => path.at(-1)[1]));
    if (!training) return message;
    return `${metric} ${number(training.value)} on the training queries, ${counted(training.n_lines, "line")} in ${counted(training.n_ascents, "ascent")}, ${training.stopped_by}. `
      + (highest > training.value + 1e-9 ? `The best ascent reached ${number(highest)}; averaging and shrinking gave some of it up for weights that last. ` : "") + message;
  }

  function drawActions() {
    actions.replaceChildren(...[
      !ended && stop, ended?.weights && act("use the weights", () => use(ended.weights, about.normalise), { class: "use" }),
      ended?.state === "ended" && el("span", { class: "together" }, name, keep), discard,
      curves.size && saveButtons(() => `ascents-${run}`, () => picture.querySelector(".chart"), () => curveTable(curves))].filter(Boolean));
  }

  async function watch() {
    draw();
    drawActions();
    try {
      await stream(`/api/runs/${run}/events`, undefined, (kind, content) => {
        if (kind === "end") { ended = content; return; }
        if (kind === "gone") { gone(); return; }  // discarded, here or in another tab
        if (!curves.has(content.climb)) curves.set(content.climb, []);
        curves.get(content.climb).push([content.n_lines, content.value]);
        waiting ??= requestAnimationFrame(draw);
      }, abort.signal);
      cancelAnimationFrame(waiting);
      draw();
      drawActions();
    } catch (error) {
      if (error.name === "AbortError") return;
      gone();
      say(error.message, true);
    }
  }

  return { element, draw, watch, close: () => abort.abort() };
}
