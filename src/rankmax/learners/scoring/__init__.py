"""Scoring functions h_w: what a surrogate loss is minimised over."""
