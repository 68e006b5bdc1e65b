"""Ranking problems: the data set, and the formats it is read from and written to."""
