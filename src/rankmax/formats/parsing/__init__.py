"""Parsing of text into columns and numbers."""
