"""Text collections: documents, the analysis of their text, and the positional index over it."""
