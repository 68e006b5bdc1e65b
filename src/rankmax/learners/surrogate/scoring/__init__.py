"""Scoring functions h_w, whose surrogate losses are minimized."""
