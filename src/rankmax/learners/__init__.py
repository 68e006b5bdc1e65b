"""Learners: data in, model out."""
