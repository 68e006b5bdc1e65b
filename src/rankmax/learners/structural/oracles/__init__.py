"""Separation oracles, which find the ranking that violates its margin most: one file per kind of loss."""
