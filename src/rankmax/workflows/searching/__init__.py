"""Putting topics to an index, and choosing what searches it by judged queries."""
