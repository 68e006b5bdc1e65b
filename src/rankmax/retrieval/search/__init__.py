"""Search for the best documents of a collection, and snippets of them."""
