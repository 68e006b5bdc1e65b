"""Models as requests and configurations of search engines, one file an engine."""
