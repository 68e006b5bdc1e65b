"""Text to numbers: decimals and LETOR lines."""
