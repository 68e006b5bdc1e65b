"""Models that learners return: weights with everything needed to use them again, stored as JSON, never pickle."""

from rankmax._exports import exports

__getattr__, __dir__, __all__ = exports(__name__, __file__)
