"""Work with a search engine in use: collect runs, push a fusion, confirm that the engine does it."""
