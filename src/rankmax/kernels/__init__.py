"""Compiled loops: arrays in, arrays out, nothing of rankmax known."""
