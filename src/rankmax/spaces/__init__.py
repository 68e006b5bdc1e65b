"""Parameter spaces: constraints on the weights, and which weights rank alike."""

from rankmax._exports import exports

__getattr__, __dir__, __all__ = exports(__name__, __file__)
