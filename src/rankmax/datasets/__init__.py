"""Test collections that need no download."""

from rankmax.datasets.collection import TextCollection
from rankmax.datasets.documentation import docstrings

__all__ = ["TextCollection", "docstrings"]
