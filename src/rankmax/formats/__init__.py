"""File formats of data sets, runs, judgments and topics, one module per format."""

from rankmax._exports import exports

__getattr__, __dir__, __all__ = exports(__name__, __file__)
