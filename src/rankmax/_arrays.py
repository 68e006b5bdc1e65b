"""Names for the array types that cross module borders."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

F64 = NDArray[np.float64]
F32 = NDArray[np.float32]
I32 = NDArray[np.int32]
I64 = NDArray[np.int64]
U8 = NDArray[np.uint8]
U64 = NDArray[np.uint64]
Bool = NDArray[np.bool_]


_Scalar = TypeVar("_Scalar", bound=np.generic)


def readonly(array: NDArray[_Scalar]) -> NDArray[_Scalar]:
    """Return `array` with its write flag cleared (the array itself, not a copy)."""
    array.flags.writeable = False
    return array


def for_kernels(numbers: NDArray[Any]) -> F64:
    """Return the numbers as contiguous float64 that may be written to, a copy where they are not.

    numba compiles a kernel once for arrays that may be written to and once more for those that may not.
    """
    return np.require(numbers, np.float64, ["C", "W"])
