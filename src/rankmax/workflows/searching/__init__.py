"""Searches of an index for topics, and selection of retrieval functions by judged queries."""
