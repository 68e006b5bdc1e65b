"""Ranking, and metrics of rankings."""
