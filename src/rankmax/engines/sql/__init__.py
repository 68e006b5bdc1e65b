"""SQL that ranks a table of candidates, for several databases."""
