"""The exact value of a metric along a line in weight space (Morgan, Greiff & Henderson 2004, section 3.3)."""
