"""Tuning of a hybrid search: learned weights, their confidence, and reports."""
