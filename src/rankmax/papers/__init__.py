"""Reproductions of the papers' experiments: one folder per paper, with its claims and the results."""
