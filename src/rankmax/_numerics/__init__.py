"""Numerical building blocks: exact sums."""
