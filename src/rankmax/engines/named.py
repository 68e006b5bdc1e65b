"""Engines by name: the only door for strings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from rankmax.data.dataset import RankingDataset
from rankmax.data.normalise import Normalisation
from rankmax.data.shards import Shards
from rankmax.engines.base import Engine
from rankmax.engines.dataset import EngineDataset
from rankmax.engines.local import LocalEngine
from rankmax.errors import IncompatibleError, InvalidParameterError

_BYTES = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "KI": 2**10, "MI": 2**20, "GI": 2**30, "TI": 2**40}


def engine_named(name: str, *, memory: str | None = None) -> Engine:
    """Return the engine of a name, started or connected.

    Parameters
    ----------
    name : str
        "local": this process; "dask:local": workers of Dask, started on this machine; "dask://host:port": those of a
        scheduler that runs (also "dask+tls://host:port").
    memory : str, optional
        What the local engine may use, such as "4GB": features then stay on disk.

    Examples
    --------
    >>> engine_named("local", memory="4GB").memory
    4000000000
    >>> engine_named("spark")
    Traceback (most recent call last):
    rankmax.errors.InvalidParameterError: unknown engine 'spark'; known are local, dask:local and dask://host:port
    """
    if name == "local":
        return LocalEngine(memory=None if memory is None else bytes_of(memory))
    if memory is not None:
        raise InvalidParameterError(
            f"memory is for the engine local; workers of {name} are told theirs when they are started"
        )
    if name == "dask:local":
        from rankmax.engines.dask import DaskEngine

        return DaskEngine()
    address = re.fullmatch(r"dask(\+tls)?://(.+)", name)
    if address is None:
        raise InvalidParameterError(f"unknown engine {name!r}; known are local, dask:local and dask://host:port")
    from rankmax.engines.dask import DaskEngine

    return DaskEngine(f"{'tls' if address[1] else 'tcp'}://{address[2]}")


@contextmanager
def opened(
    data: RankingDataset | Shards, engine: str | Engine | None, normalisation: Normalisation
) -> Iterator[RankingDataset | EngineDataset]:
    """Give data in this process as it is, and shards as data that lies with an engine, normalised.

    An engine that is named is started, and ends with the block.

    Parameters
    ----------
    data : RankingDataset or Shards
    engine : str or Engine, optional
        For shards alone; "local" when left out.
    normalisation : Normalisation
        Of shards.
    """
    if isinstance(data, RankingDataset):
        if engine is not None:
            raise IncompatibleError("an engine reads shards itself; give Shards, which `rankmax data shard` writes")
        yield data
    elif isinstance(engine, Engine):
        yield EngineDataset.kept(engine, data, normalisation)
    else:
        with engine_named(engine or "local") as started:
            yield EngineDataset.kept(started, data, normalisation)


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
