"""A folder of data, models and texts, and what a person looks at in it."""
