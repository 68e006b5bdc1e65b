"""Reports of a relevance gate for other programs: JUnit, SARIF, GitHub annotations and pull requests."""
