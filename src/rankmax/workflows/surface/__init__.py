"""Metric surfaces over all nonnegative weights of two or three features: exact values and plots."""
