// The curves of an additive model: a slider for the value at each knot, and what moving it does to the metric.

import { ask, latest } from "./api.js";
import { extent, joined, panel, roomy } from "./charts/axes.js";
import { el, svg } from "./charts/elements.js";
import { direction, number, short, signed } from "./charts/numbers.js";
import { labeled, messageOf, options } from "./dom.js";
import { mayMove } from "./held_out.js";
import { state, view } from "./state.js";

/** @import { Curve } from "./answers.js" */
/** @import { Shared } from "./shared.js" */

const MARGIN = { left: 56, right: 14, top: 26, bottom: 42 };
const HEIGHT = 260;

/**
 * Where each value of a curve holds.
 *
 * @param {Curve} curve
 */
function places({ kind, knots }) {
  if (kind === "linear") return knots.map(knot => `at ${short(knot)}`);
  const ends = knots.map(knot => short(knot));
  if (!ends.length) return ["everywhere"];
  return [`to ${ends[0]}`, ...ends.slice(1).map((end, i) => `${ends[i]} to ${end}`), `above ${ends[ends.length - 1]}`];
}

/**
 * The corners of a curve, from the left end of the picture to the right one.
 *
 * @param {Curve} curve
 * @param {number[]} values
 * @param {number[]} ends
 */
function corners({ kind, knots }, values, [low, high]) {
  if (kind === "linear") {
    return [[low, values[0]], ...knots.map((knot, i) => [knot, values[i]]), [high, values[values.length - 1]]];
  }
  const edges = [low, ...knots, high];
  return values.flatMap((value, i) => [
    [edges[i], value],
    [edges[i + 1], value],
  ]);
}

/**
 * @param {Shared} shared
 * @param {string} model
 * @param {Curve[]} curves
 * @param {{ width: number, saved: () => Promise<unknown> }} options the width of the picture; `saved` is called when a
 *   model was saved
 */
export function curveEditor(shared, model, curves, { width, saved }) {
  /** @type {Record<string, number[]>} by feature, of curves that were moved */
  let moved = {};
  let chosen = curves[0];
  const values = () => moved[chosen.feature] ?? chosen.values;
  const feature = el("select", { id: "curve-feature", onchange: event => choose(event.target.value) });
  options(
    feature,
    curves.map(curve => curve.feature),
    chosen?.feature ?? "",
  );
  const picture = el("div");
  const list = el("div", { class: "knots" });
  const reading = el("p", { id: "curve-reading", "aria-live": "polite" });
  const name = el("input", { "aria-label": "Name of the model with these curves", size: 14 });
  name.value = `${model.replace(/\.json$/, "")}-moved`;

  const read = latest(async () => {
    try {
      const reference = { model };
      const told = await ask("/api/read", { ...view(), current: { model, curves: moved }, reference });
      const [low, high] = told.difference_interval.map(end => signed(end));
      reading.replaceChildren(
        `${state.metric} `,
        el("b", { "data-value": told.value }, number(told.value)),
        ` on ${state.data}; gain over ${model} `,
        el("b", { class: direction(told.marker) }, `${signed(told.difference)}${told.marker}`),
        ` [${low}, ${high}]`,
      );
    } catch (error) {
      shared.say(messageOf(error), true);
    }
  });

  function drawPicture() {
    const { knots } = chosen;
    const ends = roomy(knots.length ? [knots[0], knots[knots.length - 1]] : [0, 1]);
    const ys = roomy(extent([...chosen.values, ...values(), 0]));
    const { element, x, y } = panel({
      left: MARGIN.left,
      top: MARGIN.top,
      width: width - MARGIN.left - MARGIN.right,
      height: HEIGHT - MARGIN.top - MARGIN.bottom,
      xs: ends,
      ys,
      xName: chosen.feature,
      yName: "added to the score",
    });
    /** @param {number[]} own */
    const path = own => joined(corners(chosen, own, ends).map(([at, value]) => [x(at), y(value)]));
    element.append(
      svg("path", { class: "floor", d: path(chosen.values) }),
      svg("path", { class: "steps", d: path(values()) }),
    );
    if (chosen.kind === "linear") {
      for (const [i, knot] of knots.entries()) {
        const tip = `${chosen.feature} ${short(knot)}: ${short(values()[i])}`;
        element.append(
          svg("circle", { class: "plot-dot plot-pick", cx: x(knot), cy: y(values()[i]), r: 4, "data-tip": tip }),
        );
      }
    }
    const label = `Curve of ${chosen.feature}: ${places(chosen)
      .map((place, i) => `${short(values()[i])} ${place}`)
      .join(", ")}`;
    const look = {
      viewBox: `0 0 ${width} ${HEIGHT}`,
      width,
      height: HEIGHT,
      class: "chart",
      role: "img",
      "aria-label": label,
    };
    picture.replaceChildren(svg("svg", look, element));
  }

  function drawSliders() {
    const [low, high] = extent([...chosen.values, 0]);
    const room = high - low || 1;
    const rows = places(chosen).map((place, i) => {
      const shown = el("output", {}, short(values()[i]));
      const slider = el("input", {
        type: "range",
        min: low - room,
        max: high + room,
        step: "any",
        "aria-label": `${chosen.feature} ${place}`,
        "aria-valuetext": short(values()[i]),
        oninput: () => {
          if (!mayMove(shared)) {
            slider.value = String(values()[i]);
            return;
          }
          moved = { ...moved, [chosen.feature]: values().map((value, j) => (j === i ? Number(slider.value) : value)) };
          shown.value = short(values()[i]);
          slider.setAttribute("aria-valuetext", shown.value);
          drawPicture();
          read();
        },
      });
      slider.value = String(values()[i]);
      return el("label", { class: "knot" }, el("span", {}, place), slider, shown);
    });
    list.replaceChildren(...rows);
  }

  /** @param {string} wanted */
  function choose(wanted) {
    chosen = curves.find(curve => curve.feature === wanted) ?? chosen;
    drawPicture();
    drawSliders();
  }

  function reset() {
    moved = Object.fromEntries(Object.entries(moved).filter(([one]) => one !== chosen.feature));
    choose(chosen.feature);
    read();
  }

  async function save() {
    if (!Object.keys(moved).length) {
      shared.say("No curve was moved", true);
      return;
    }
    try {
      const told = await ask("/api/models", { ...view(), current: { model, curves: moved }, name: name.value.trim() });
      await shared.reloadProject();
      await saved();
      shared.say(`saved ${told.name}`);
    } catch (error) {
      shared.say(messageOf(error), true);
    }
  }

  const heading = el("h3", {}, `Curves of ${model}`);
  if (!chosen) return [heading, el("p", {}, "No curve of this model adds anything to a score.")];
  choose(chosen.feature);
  read();
  return [
    heading,
    el(
      "div",
      { class: "bar" },
      labeled("Feature", feature),
      el("button", { type: "button", onclick: reset }, "Reset this curve"),
    ),
    el(
      "div",
      { class: "columns" },
      el(
        "div",
        {},
        picture,
        reading,
        el(
          "p",
          { class: "soft" },
          "Dotted: the curve of the saved model. Products of curves, if it has any, follow them.",
        ),
      ),
      list,
    ),
    el(
      "div",
      { class: "bar" },
      el("span", { class: "together" }, name, el("button", { type: "button", onclick: save }, "Save as model")),
    ),
  ];
}
