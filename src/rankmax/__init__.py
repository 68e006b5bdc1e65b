"""rankmax finds the weights that maximise the ranking metric you report."""
