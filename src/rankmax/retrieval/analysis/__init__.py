"""Text analysis: tokens, stop words, stemmers."""
