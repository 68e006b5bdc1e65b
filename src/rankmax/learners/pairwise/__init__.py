"""Pairwise learners."""
