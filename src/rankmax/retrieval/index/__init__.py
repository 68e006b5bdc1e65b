"""The positional index: reading and analysis of documents, inversion, checks and access."""
