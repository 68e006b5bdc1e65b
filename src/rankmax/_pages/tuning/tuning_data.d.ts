// A tuning as data; src/rankmax/workflows/tuning/report/tuning_page_data.py and tuning_summary.py make it.

import type { Kind } from "../charts/gains.js";
import type { Columns } from "../charts/steps.js";
import type { Surface } from "../charts/surface.js";

export type ByName = Record<string, number>;
export type Ends = [number, number];

export interface Verdict {
  word: "use it" | "probably better" | "cannot tell" | "keep the current one";
  text: string;
  pick: string;
  current: string;
  change: boolean;
  expected: number;
  expected_loss: number;
  observed: number;
  probability: number;
  interval: Ends;
}

export interface FusionRow {
  name: string;
  label: string;
  is_current: boolean;
  mean: number;
  interval: Ends;
  means: ByName;
  gain: number;
  gain_interval: Ends;
  marker: string;
}

export interface Summary {
  metrics: string[];
  queries: number;
  machine?: { human_queries: number; machine_queries: number; machine_weight: number; worth: number };
  documents: number;
  missing_shares: ByName;
  folds: number;
  repeats: number;
  seed: number;
  verdict: Verdict;
  current: { label: string; assumed: boolean; tuned_here: boolean; normalization: string; weights: ByName };
  pick: { label: string; agreement: string; folds_agree: boolean; normalization: string; weights: ByName };
  as_good_alone: string | null;
  recommended: string;
  weights: ByName;
  rows: FusionRow[];
  learned: {
    label: string;
    normalization: string;
    weights: ByName;
    rounded_weights: ByName;
    intervals: Record<string, Ends>;
    spread: number;
  };
  best: { weights: ByName; value: number; standard_error: number; bound: number | null; proven: string | null };
  plateau_share: number | null;
  plateau_ranges: Record<string, Ends> | null;
  constraint?: { text: string; met: boolean; value: number; held_out: number; highest: number };
  trade_off_metrics?: [string, string];
  trade_off?: { values: Ends; weights: number[] }[];
  varying?: {
    name: string;
    means: ByName;
    weights: Record<string, ByName>;
    verdict: Verdict;
    query_features?: { feature: string; mean: number; deviation: number; change: ByName }[];
    moved_queries?: MovedQuery[];
    mean_moved?: number;
  };
}

export interface MovedQuery {
  query: string;
  moved: number;
  weights: ByName;
  contributions: { feature: string; value: number; deviations: number; system: string; share: number }[];
}

export interface RankedResult {
  id: string;
  grade: number | null;
  other: number;
}

export interface QueryResult {
  id: string;
  pick: number;
  current: number;
  gain: number;
  rankings: { current: RankedResult[]; pick: RankedResult[] } | null;
}

export interface Landscape {
  marks: { label: string; kind: Kind; weights: number[]; value: number }[];
  absent: string[];
  current: number;
  floor: number;
  through: string;
  surface: Surface | null;
  exchanges: {
    features: [string, string];
    total: number;
    steps: Columns;
    marks: { at: number; label: string; kind: Kind }[];
  }[];
}

export interface ExportData {
  what: string;
  name: string;
  target: string | null;
  title: string | null;
  text: string | null;
  refused: string | null;
  command: string | null;
  is_written: boolean;
}

export interface TuningData {
  summary: Summary;
  notes: string[];
  queries: QueryResult[];
  resampled: Record<string, number[]>;
  landscape: Landscape | null;
  trade_off: { current: Ends; pick: Ends } | null;
  export: ExportData;
  provenance: { facts: [string, string][]; files: string[][] };
}
