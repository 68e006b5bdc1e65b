// A metric surface as a page of its own.

import { byId, el } from "../../_pages/charts/elements.js";
import { surfaceFigure, surfaceTexts } from "../../_pages/charts/surface.js";

/** @import { Surface } from "../../_pages/charts/surface.js" */

/** @type {Surface} */
const surface = JSON.parse(byId("surface").textContent ?? "");
const listed = surface.features.join(", ");
document.title = `${surface.metric} over ${listed}`;
byId("page").append(
  el("h1", {}, `${surface.metric} over the weights of ${listed}`),
  ...surfaceTexts(surface).map(text => el("p", {}, text)),
  surfaceFigure(surface),
);
