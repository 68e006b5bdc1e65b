"""Backends by name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rankmax._registry import Registry
from rankmax.errors import IncompatibleError, InvalidParameterError

if TYPE_CHECKING:
    from rankmax.backends.backend import Backend
    from rankmax.backends.training_data import TrainingData
    from rankmax.data.dataset import RankingDataset
    from rankmax.formats.shards import Shards
    from rankmax.preprocessing.feature_normalization import Normalization

_AT_AN_ADDRESS = "dask://host:port"

BACKENDS: Registry[Any] = Registry(
    "backend",
    "rankmax.backends",
    {
        "local": ("local:LocalBackend", "This process."),
        "dask:local": ("dask:DaskBackend", "Workers of Dask, started on this machine."),
        _AT_AN_ADDRESS: ("dask:DaskBackend", "Workers of a running Dask scheduler; dask+tls:// for TLS."),
    },
)
"""The backends that :func:`backend_named` knows; each class is a :class:`~rankmax.backends.backend.Backend`."""

_BYTES = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "KI": 2**10, "MI": 2**20, "GI": 2**30, "TI": 2**40}


def backend_named(name: str, *, memory: str | None = None) -> Backend:
    """Return the backend of a name, started or connected.

    Parameters
    ----------
    name : str
        "local": this process; "dask:local": workers of Dask, started on this machine; "dask://host:port": those of a
        scheduler that runs (also "dask+tls://host:port").
    memory : str, optional
        Memory limit of the local backend, such as "4GB"; features then stay on disk.

    Examples
    --------
    >>> backend_named("local", memory="4GB").memory
    4000000000
    >>> backend_named("spark")
    Traceback (most recent call last):
    rankmax.errors.UnknownNameError: unknown backend 'spark'. Known: dask://host:port, dask:local, local
    """
    if memory is not None and name != "local":
        raise InvalidParameterError(
            f"memory is for the backend local; workers of {name} are told theirs when they are started"
        )
    address = re.fullmatch(r"dask(\+tls)?://(.+)", name)
    kind = BACKENDS.load(name if address is None else _AT_AN_ADDRESS)
    started: Backend
    if name == "local":
        started = kind(memory=None if memory is None else bytes_of(memory))
    elif address is None:
        started = kind()
    else:
        started = kind(f"{'tls' if address[1] else 'tcp'}://{address[2]}")
    return started


@contextmanager
def opened(
    data: RankingDataset | Shards, backend: str | Backend | None, normalization: Normalization
) -> Iterator[TrainingData]:
    """Yield normalized training data, in this process or as shards on a backend.

    A backend that is named is started, and ends with the block.

    Parameters
    ----------
    data : RankingDataset or Shards
    backend : str or Backend, optional
        For shards alone; "local" when left out.
    normalization : Normalization
        Applied within queries.
    """
    from rankmax.backends.backend import Backend
    from rankmax.backends.distributed_dataset import DistributedDataset
    from rankmax.backends.training_data import LocalData
    from rankmax.data.dataset import RankingDataset

    if isinstance(data, RankingDataset):
        if backend is not None:
            raise IncompatibleError("a backend reads shards itself; give Shards, which `rankmax data shard` writes")
        yield LocalData(data, normalization)
    elif isinstance(backend, Backend):
        yield DistributedDataset.kept(backend, data, normalization)
    else:
        with backend_named(backend or "local") as started:
            yield DistributedDataset.kept(started, data, normalization)


def bytes_of(amount: str) -> int:
    """Return an amount of memory in bytes.

    Parameters
    ----------
    amount : str
        A number with a unit: kB, MB, GB, TB, or KiB, MiB, GiB, TiB.

    Examples
    --------
    >>> bytes_of("1.5GB"), bytes_of("2 MiB")
    (1500000000, 2097152)
    """
    found = re.fullmatch(r"\s*(\d+(?:\.\d*)?)\s*([KMGT]?I?)B?\s*", amount.upper())
    if found is None or found[2] not in _BYTES:
        raise InvalidParameterError(f"{amount!r} is no amount of memory; write it like 4GB or 512MiB")
    return int(float(found[1]) * _BYTES[found[2]])
