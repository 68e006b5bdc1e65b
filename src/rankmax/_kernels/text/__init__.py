"""Words, postings, windows, and the best documents of a collection."""
