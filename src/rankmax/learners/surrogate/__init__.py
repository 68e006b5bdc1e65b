"""Learners that minimize surrogate losses of scoring functions."""
