"""A proven optimum: finding it, writing it down, and checking it without the code that found it."""
