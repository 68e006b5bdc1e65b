"""Rank metrics as value objects."""
