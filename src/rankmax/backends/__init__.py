"""Backends: computation in this process, on data larger than its memory, or on many machines."""

from rankmax.backends.backend import Backend
from rankmax.backends.dask import DaskBackend
from rankmax.backends.local import LocalBackend

__all__ = [
    "Backend",
    "DaskBackend",
    "LocalBackend",
]
