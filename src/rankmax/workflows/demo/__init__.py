"""The demonstration on the docstrings of numpy and scipy."""
