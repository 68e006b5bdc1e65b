"""Smooth losses that stand in for a rank metric, and the linear fit that minimises them."""
