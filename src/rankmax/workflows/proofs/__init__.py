"""Proven optima: search, certificates, and independent verification."""
