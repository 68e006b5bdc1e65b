"""A metric over all nonnegative weights of two or three features: measured exactly, and drawn."""
