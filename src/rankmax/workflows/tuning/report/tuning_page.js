// The report of a tuning, drawn from the data that it contains.

import { byId } from "../../../_pages/charts/elements.js";
import { tuningSections } from "../../../_pages/tuning/sections.js";
import { tuningTitle } from "../../../_pages/tuning/verdict.js";

/** @import { TuningData } from "../../../_pages/tuning/tuning_data.js" */

/** @type {TuningData} */
const tuning = JSON.parse(byId("tuning").textContent ?? "");
document.title = `rankmax tune: ${Object.keys(tuning.summary.weights).join(", ")}`;
byId("page").append(...tuningTitle(tuning), ...tuningSections(tuning));
