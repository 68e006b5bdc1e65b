"""Extraction of candidate documents and their features, as a data set to learn from."""
