"""Real search engines for the tests: each module installs one into a folder and starts it."""
