"""Contract tests that a third party's metric or learner can inherit."""

from rankmax._exports import exports

__getattr__, __dir__, __all__ = exports(__name__, __file__)
