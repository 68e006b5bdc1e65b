"""Projects: a folder of data, models and texts, and the views of it in the studio."""
