"""Separation oracles: the ranking that violates its margin most, one file for each kind of loss."""
