"""Mutations of npz and Parquet files that leave the container intact: only what it holds is wrong."""

from __future__ import annotations

import io
import random
import zipfile
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzing.mutation import mutate_bytes

_VALUES = (0, -1, 1, 2, 7, 255, -(2**31), 2**31, 2**53, 2**62, np.nan, np.inf, -np.inf, 5e-324, 1e308)
_TYPES = ("<f8", "<f4", "<i8", "<i4", "|u1", "|b1", ">f8", "<U3", "<c16", "|S4", "<M8[s]", "<f2")


def mutate_npz(rng: random.Random, content: bytes) -> bytes:
    """Change one array of an npz file, or its bytes.

    Parameters
    ----------
    rng : random.Random
    content : bytes
    """
    if rng.random() < 0.3:
        return mutate_bytes(rng, content)
    with np.load(io.BytesIO(content)) as stored:
        arrays = {name: stored[name] for name in stored.files}
    name = rng.choice(sorted(arrays))
    kind = rng.random()
    if kind < 0.1:
        del arrays[name]
    elif kind < 0.2:
        arrays[name] = arrays[rng.choice(sorted(arrays))]
    else:
        arrays[name] = changed_array(rng, arrays[name])
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", rng.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))) as archive:
        for key, array in arrays.items():
            member = io.BytesIO()
            np.lib.format.write_array(member, array, version=(1, 0), allow_pickle=False)
            archive.writestr(f"{key}.npy", member.getvalue())
    return file.getvalue()


def changed_array(rng: random.Random, array: NDArray[Any]) -> NDArray[Any]:
    """Return an array with another entry, order, length, type or shape.

    Parameters
    ----------
    rng : random.Random
    array : array
    """
    kind = rng.randrange(8)
    new = array.copy()
    with np.errstate(all="ignore"):
        if kind <= 2 and array.size and array.dtype.kind in "iuf":
            value = rng.choice(_VALUES)
            if array.dtype.kind in "iu":
                value = int(np.nan_to_num(value, posinf=2**62, neginf=-(2**62)))
                limits = np.iinfo(array.dtype)
                value = min(max(value, int(limits.min)), int(limits.max))
            new.reshape(-1)[rng.randrange(array.size)] = value
            return new
        if kind == 3:
            return new[: rng.randrange(len(new) + 1)] if new.ndim else new
        if kind == 4:
            return np.concatenate([new, new[: rng.choice((1, 2, 50))]]) if new.ndim else new
        if kind == 5:
            return new[::-1].copy() if new.ndim else new
        if kind == 6:
            return np.asarray(rng.choice((new[..., None], new.reshape(-1), new[None])))
        try:
            return new.astype(rng.choice(_TYPES))
        except (TypeError, ValueError):
            return new


def mutate_parquet(rng: random.Random, content: bytes) -> bytes:
    """Change a column of a Parquet file, or its bytes.

    Parameters
    ----------
    rng : random.Random
    content : bytes
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    if rng.random() < 0.6:
        return mutate_bytes(rng, content)
    table = pq.read_table(io.BytesIO(content))
    place = rng.randrange(table.num_columns)
    name, column = table.column_names[place], table.column(place)
    kind = rng.randrange(6)
    if kind == 0:
        table = table.remove_column(place)
    elif kind == 1:
        table = table.rename_columns(
            [*table.column_names[:place], rng.choice(("label", "", "x")), *table.column_names[place + 1 :]]
        )
    elif kind == 2:
        table = table.slice(0, rng.randrange(table.num_rows))
    else:
        values = column.to_pylist()
        values[rng.randrange(len(values))] = rng.choice(
            (None, float("nan"), float("inf"), -1.0, 5e-324, "a", "", b"\xff", [1], 2**63)
        )
        try:
            kinds = (
                None,
                pa.string(),
                pa.binary(),
                pa.float32(),
                pa.int8(),
                pa.bool_(),
                pa.list_(pa.float64()),
                pa.date32(),
            )
            table = table.set_column(place, name, pa.array(values, rng.choice(kinds)))
        except (pa.ArrowException, TypeError, ValueError, OverflowError):
            return mutate_bytes(rng, content)
    file = io.BytesIO()
    pq.write_table(table, file, compression=rng.choice(("none", "snappy", "zstd")))
    return file.getvalue()
