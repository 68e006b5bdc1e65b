"""The papers' experiments, re-run: one folder a paper, with what it claims and what came out."""
