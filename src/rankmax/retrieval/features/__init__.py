"""What is known of a document for a query: retrieval functions, the papers' features, columns. One family, one file."""
