"""Exact sums, matrix products, covariances."""
