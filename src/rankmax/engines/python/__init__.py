"""A Python module without dependencies."""
