"""Connections to search engines, one file per engine: search, store a fusion, take it back, search with it."""
