"""Additive rankers: a curve per feature, learned by a convex loss and smoothed exact line searches."""
