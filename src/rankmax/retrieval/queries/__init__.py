"""Queries to an index, and the fields that they search."""
