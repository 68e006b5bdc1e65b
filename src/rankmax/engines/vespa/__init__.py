"""Vespa: a schema and a rank profile."""
