"""Mutated inputs for every reader of rankmax; tools/fuzz.py runs them."""
