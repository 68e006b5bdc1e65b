"""Indices without a check of their sign.

As in Python, a negative index counts from the end, so numba compares every index with 0 unless it can prove the sign.
In loops of few instructions, over indices that are read from arrays, this takes a fifth of the time. numba adds and
subtracts unsigned and signed integers as floating-point numbers, so only a finished index is made unsigned.
"""

import numpy as np

unsigned = np.uint64
