"""Means with intervals, and whether a difference is real."""
