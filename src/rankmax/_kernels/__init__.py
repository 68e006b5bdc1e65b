"""Compiled loops: arrays in, arrays out, nothing of rankmax known.

Kernels are functions under numba's ``njit``, with a cache of our own (:mod:`rankmax._kernels.compilation`).
"""
