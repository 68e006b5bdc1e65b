// The data of the demonstration's page, as demo_page.py writes it.

import type { Surface } from "../../_pages/charts/surface.js";

export interface Comparison {
  metric: string;
  baseline: string;
  baselineMean: number;
  rows: {
    system: string;
    mean: number;
    difference: number;
    low: number;
    high: number;
    change: number;
    p: number;
    wins: number;
    losses: number;
    ties: number;
    marker: string;
  }[];
}

export interface Tuning {
  name: string;
  parameter: string;
  log: boolean;
  metric: string;
  points: [number, number][];
  chosen: number;
  value: number;
}

export interface Model {
  name: string;
  metric: string;
  features: { name: string; weight: number; share: number }[];
}

export interface Profile {
  note: string;
  feature: string;
  metric: string;
  weight: number;
  best: { low: number; high: number };
  overview: { edges: number[]; lowest: number[]; highest: number[] };
  close: { edges: number[]; values: number[] };
}

export interface Report {
  collection: { packages: string; documents: number };
  split: { train: number; test: number };
  example: { text: string; relevant: string[] };
  finding: string;
  depth: number;
  test: string;
  comparisons: Comparison[];
  tuning: Tuning[];
  models: Model[];
  surface: { note: string; data: Surface };
  profile: Profile;
  gains: {
    systems: string[];
    shown: string;
    queries: { id: string; text: string }[];
    /** Gains per query, by metric and system. */
    values: Record<string, Record<string, number[]>>;
  };
  files: Record<string, string>;
  commands: string[];
}
