"""Relevance gate: a candidate against a baseline, by rules, for continuous integration."""
