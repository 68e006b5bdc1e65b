"""Backends by name."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from rankmax.backends.local import LocalBackend
from rankmax.backends.registry import backend_named, bytes_of, opened
from rankmax.errors import InvalidParameterError, UnknownNameError
from rankmax.formats.shards import Shards
from rankmax.preprocessing.feature_normalization import Unchanged


@pytest.mark.parametrize(
    ("amount", "expected"),
    [("4GB", 4 * 10**9), ("4 gib", 4 * 2**30), ("100", 100), ("1.5k", 1500), ("2T", 2 * 10**12)],
)
def test_amounts_of_memory(amount: str, expected: int) -> None:
    assert bytes_of(amount) == expected


@pytest.mark.parametrize("amount", ["", "many", "-4GB", "4XB", "4iB"])
def test_what_is_no_amount_is_refused(amount: str) -> None:
    with pytest.raises(InvalidParameterError, match="is no amount of memory; write it like 4GB"):
        bytes_of(amount)


@pytest.mark.parametrize("name", ["", "dask", "dask:", "dask://", "ray://host:1", "Local"])
def test_unknown_backends_are_refused(name: str) -> None:
    with pytest.raises(UnknownNameError, match="Known: dask://host:port, dask:local, local"):
        backend_named(name)


def test_a_limit_of_memory_is_for_this_process() -> None:
    with pytest.raises(InvalidParameterError, match="memory is for the backend local"):
        backend_named("dask:local", memory="1GB")


def test_shards_are_opened_by_an_backend_or_its_name(cut: Callable[[int], Shards]) -> None:
    for backend in ("local", LocalBackend()):
        with opened(cut(3), backend, Unchanged()) as data:
            assert len(data.queries_by_part) == 3
