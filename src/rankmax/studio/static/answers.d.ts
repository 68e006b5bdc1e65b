// What the studio's server answers; src/rankmax/studio/responses.py, surveys.py and trainings.py make it.

import type { Columns } from "./charts/steps.js";
import type { ExportData, TuningData } from "./tuning/tuning_data.js";

export type Weights = Record<string, number>;
export type Interval = [number, number];

/** Of a data file. */
export type Role = "train" | "validation" | "test";

export interface Project {
  name: string;
  chosen: string | null;
  data: string[];
  roles: Record<string, Role | null>;
  models: string[];
  /** Models whose training was kept with them. */
  trained: string[];
  /** Models with curves. */
  additive: string[];
  /** Whether there are runs to tune. */
  tunable: boolean;
  metrics: string[];
  normalizations: string[];
  spaces: string[];
  targets: string[];
  learners: Record<string, Learner>;
}

export interface About {
  features: string[];
  n_queries: number;
  n_documents: number;
  grades: number[];
  metric: string;
  suggestions: Suggestions | null;
}

export interface Suggestions {
  /** The best single one first. */
  features: string[];
  feature_value: number;
  normalization: string;
  range_ratio: number;
  equal_weights: Record<string, number>;
}

export interface LearnerOption {
  name: string;
  label: string;
  type: "bool" | "float" | "int" | "str";
  choices: string[];
  default: boolean | number | string | null;
  help: string;
  minimum: number | null;
  maximum: number | null;
}

export interface Learner {
  description: string;
  options: LearnerOption[];
}

export interface Wins {
  wins: number;
  losses: number;
  ties: number;
}

export interface Reading {
  value: number;
  interval: Interval;
  difference: number;
  difference_interval: Interval;
  p_value: number;
  /** ▲ or ▼ where the difference is significant. */
  marker: string;
  reference_value: number;
  wins: Wins;
  n_queries: number;
}

export interface Best {
  low: number | null;
  high: number | null;
  middle: number;
  value: number;
}

export interface StepFunction {
  best: Best;
  n_steps: number;
  windows: Columns[];
}

export interface WeightFunction extends StepFunction {
  feature: string;
  metric: string;
  weight: number;
  value: number;
  standard_error: number;
  /** Where the metric is within one standard error of the best, around the best. */
  within: Best;
}

export interface Query {
  id: string;
  text: string;
  before: number | null;
  after: number | null;
  gain: number;
  n_unjudged: number;
}

export interface Queries {
  n_found: number;
  has_query: boolean;
  n_better: number;
  n_worse: number;
  queries: Query[];
}

export interface Placed {
  rank: number;
  score: number;
  contributions: Record<string, number>;
}

export interface RankedDocument {
  id: string;
  grade: number | null;
  /** The features as they are in the data, of those that have a weight. */
  values: Record<string, number>;
  first: Placed;
  second: Placed;
}

export interface Rankings {
  query: string;
  text: string;
  documents: RankedDocument[];
  /** Relevant documents that both rankings have further down. */
  further: RankedDocument[];
  /** Relevant documents that are no candidates. */
  n_absent: number;
  /** By document: pieces of text, and whether each is a word of the query. */
  snippets: Record<string, [string, boolean][]>;
}

export interface ModelRow {
  system: string;
  mean: number;
  marker: string;
  difference: number;
  interval: Interval;
  test: { p_value: number };
  corrected_p_value: number;
  wins: Wins;
}

/** Models on one data file. */
export interface Part {
  data: string;
  role: Role | null;
  /** Of the reference. */
  mean: number;
  rows: ModelRow[];
  /** Models that were trained on it. */
  seen: string[];
}

export interface ModelTable {
  metric: string;
  level: number;
  parts: Part[];
  distances: Record<string, { geodesic: number | null; cosine: number | null } | null>;
}

export interface Model {
  name: string;
  metric: string | null;
  normalize: string;
  weights: Weights | null;
  learner: string;
  /** Of an additive model: those that are not zero, the highest first. */
  curves: Curve[] | null;
}

export interface Curve {
  feature: string;
  /** Straight lines between knots, or a step at each, of which there is then one value more. */
  kind: "linear" | "constant";
  knots: number[];
  values: number[];
}

export interface Training {
  run: number;
  state: "running" | "ended" | "stopped" | "failed";
  message: string;
  learner: string;
  metric: string;
  data: string;
  validation: string | null;
  normalize: string;
  command: string | null;
  /** The file that the model was saved to. */
  kept: string | null;
  training: {
    value: number;
    cross_validated_value: number | null;
    n_lines: number;
    n_ascents: number;
    stopped_by: string;
  } | null;
  weights: Weights | null;
}

/** Progress of the training that a saved model came out of. */
export interface KeptTraining {
  metric: string;
  data: string;
  /** Ascent, line searches so far, and best value so far. */
  steps: [string, number, number][];
}

export interface Row {
  resolution: number;
  row: number;
  values: number[];
}

export interface Optimum {
  weights: number[];
  value: number;
  standard_error: number;
  share: number;
  /** Of the plateau; where there are three features. */
  outline?: number[][][];
}

/** What can be tuned, and the tunings so far. */
export interface TuningChoices {
  runs: string[];
  qrels: string[];
  project: { runs: string[]; metric: string | null; engine: string | null; error: string | null } | null;
  models: string[];
  engines: string[];
  targets: string[];
  kept: string[];
  running: number[];
}

/** By address; where it takes several methods, the answer that the page reads. */
export interface Answers {
  "/api/project": Project;
  "/api/describe": About;
  "/api/read": Reading;
  "/api/follow": WeightFunction;
  "/api/queries": Queries;
  "/api/ranking": Rankings;
  "/api/table": ModelTable;
  "/api/split": string[];
  "/api/export": { text: string };
  "/api/models": { name: string };
  "/api/runs": Training[];
  "/api/runs/keep": { name: string };
  "/api/tunings/choices": TuningChoices;
  "/api/tunings": { tuning: number };
  "/api/tunings/export": ExportData;
  "/api/tunings/model": { name: string };
  [tuning: `/api/tunings/kept/${string}`]: TuningData;
  [stop: `/api/tunings/jobs/${number}/stop`]: unknown;
  [kept: `/api/trainings/${string}`]: KeptTraining;
  [model: `/api/models/${string}`]: Model;
  [training: `/api/runs/${number}`]: unknown;
  [stop: `/api/runs/${number}/stop`]: unknown;
}

/** By address: kind and content of each event. */
export interface Streams {
  "/api/survey":
    | ["begin", { total: number; resolutions: number[] }]
    | ["row", Row]
    | ["function", StepFunction]
    | ["optimum", Optimum]
    | ["error", { error: string }];
  [tuning: `/api/tunings/jobs/${number}/events`]:
    | ["step", { stage: string; done: number; total: number | null }]
    | ["end", { state: string; message: string; kept: string | null }];
  [events: `/api/runs/${number}/events`]:
    | ["step", { ascent: string; n_lines: number; value: number }]
    | ["end", Training]
    | ["gone", object];
}
