// The sections of a tuning, in the order in which they are read.

import { alternativeSections } from "./alternatives.js";
import { confidenceSection } from "./confidence.js";
import { exportSection, provenanceSection } from "./exported.js";
import { heldOutSection } from "./held_out.js";
import { landscapeSection } from "./landscape.js";
import { queryWeightsSections } from "./query_weights.js";
import { verdictBanner } from "./verdict.js";
import { winnersSection } from "./winners.js";

/** @import { Targets } from "./exported.js" */
/** @import { TuningData } from "./tuning_data.js" */

/**
 * @param {TuningData} tuning
 * @param {Targets} [targets] of the export, to choose from
 * @returns {HTMLElement[]}
 */
export const tuningSections = (tuning, targets) => [
  verdictBanner(tuning),
  heldOutSection(tuning),
  winnersSection(tuning),
  confidenceSection(tuning),
  landscapeSection(tuning),
  ...alternativeSections(tuning),
  ...queryWeightsSections(tuning),
  exportSection(tuning, targets),
  provenanceSection(tuning),
];
