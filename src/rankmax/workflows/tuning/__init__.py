"""Weights for the systems of a hybrid search: learned, doubted, and reported."""
