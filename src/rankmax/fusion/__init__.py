"""Fusing systems: what they say of documents, weights for it, and the fusions that need none."""
