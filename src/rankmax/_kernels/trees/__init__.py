"""Sums of regression trees."""
