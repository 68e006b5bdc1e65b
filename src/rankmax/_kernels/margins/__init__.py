"""Most violated rankings, one file for each kind of metric; pairwise hinge loss."""
