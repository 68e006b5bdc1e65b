"""Dask backend: parts of the data in the memory of workers, on one or many machines."""

from __future__ import annotations

import asyncio
import ctypes
import logging
import os
import sys
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from typing import Any

from rankmax.backends.backend import Backend, Call, Held
from rankmax.errors import IncompatibleError, MissingDependencyError

_SECONDS_TO_CONNECT = 30
_SECONDS_BETWEEN_LOOKS = 1.0  # between checks for workers, while waiting for results
_SECONDS_WITHOUT_WORKERS = 60.0
_SECONDS_TO_CLOSE = 2.0
_NOISY = (
    "distributed",
    "distributed.client",
    "tornado.application",
    "asyncio",
)  # loggers of errors that are raised by this module too
_THREADS = "NUMBA_NUM_THREADS"
_log = logging.getLogger("rankmax.backends")
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3  # from glibc's malloc.h


@dataclass(frozen=True)
class _Groups:
    """Objects of several parts in one future, so that a round is one task per worker."""

    futures: list[Any]
    parts: list[list[int]]  # the numbers of the parts in each future


class DaskBackend(Backend):
    """Holds every part in the memory of a Dask worker, which reads it itself.

    When a worker dies, Dask creates its parts again on other workers from their source. When no worker is left, a
    message is logged (logger ``rankmax.backends``), and after a minute without a new one the work ends with an error;
    it ends at once when the scheduler is gone.

    Parameters
    ----------
    address : str, optional
        Address of a scheduler, such as "tcp://host:8786". By default, workers are started on this machine, and ended
        by :meth:`close`; a script that does so must be guarded by ``if __name__ == "__main__":``.
    n_workers : int, optional
        Number of workers to start, one process each; the number of processors by default.
    n_threads : int, optional
        Number of threads for the kernels of each started worker; its share of the processors by default.

    Examples
    --------
    >>> DaskBackend("tcp://127.0.0.1:1")  # doctest: +SKIP
    Traceback (most recent call last):
    rankmax.errors.IncompatibleError: no Dask scheduler answers at tcp://127.0.0.1:1 ...
    """

    def __init__(
        self, address: str | None = None, *, n_workers: int | None = None, n_threads: int | None = None
    ) -> None:
        super().__init__()
        distributed = _distributed()
        self._levels = {name: logging.getLogger(name).level for name in _NOISY}
        for name in _NOISY:
            logging.getLogger(name).setLevel(logging.CRITICAL)
        self._cluster: Any = None
        if address is None:
            n_workers = n_workers or os.cpu_count() or 1
            self._cluster = distributed.LocalCluster(
                n_workers=n_workers,
                threads_per_worker=1,
                dashboard_address=None,
                silence_logs=40,  # an ended or replaced worker need not be reported
                env={_THREADS: str(n_threads or max(1, (os.cpu_count() or 1) // n_workers))},
            )
            address = self._cluster.scheduler_address
        self._address = address
        try:
            self._client = distributed.Client(address, timeout=_SECONDS_TO_CONNECT, set_as_default=False)
            self._client.wait_for_workers(1, timeout=_SECONDS_TO_CONNECT)
        except (OSError, TimeoutError):
            self.close()
            raise IncompatibleError(
                f"no Dask scheduler answers at {address}, or it has no workers; start them with `dask scheduler` and "
                f"`dask worker {address}`, with the same versions of rankmax"
            ) from None

    @property
    def client(self) -> Any:
        """The connection to the scheduler."""
        return self._client

    def n_places(self, held: Held) -> int:
        """Return the number of workers that hold parts, or held them when they were read."""
        return len(held.futures)

    def read(self, function: Callable[[Any], Any], sources: Sequence[Any], sizes: Sequence[int]) -> Held:
        """Create an object from each source on the worker that holds it, evenly distributed over the workers."""
        groups: dict[str, list[int]] = {w: [] for w in sorted(self._client.scheduler_info(n_workers=-1)["workers"])}
        for part in sorted(range(len(sizes)), key=lambda part: -sizes[part]):
            lightest = min(groups, key=lambda worker: (sum(sizes[p] for p in groups[worker]), worker))
            groups[lightest].append(part)
        near = {worker: sorted(parts) for worker, parts in groups.items() if parts}
        futures = [
            self._submit(_made, function, [sources[part] for part in parts], near=worker)
            for worker, parts in near.items()
        ]
        return _Groups(futures, list(near.values()))

    def hold(self, function: Callable[..., Any], held: Held, *shared: Any, each: Sequence[Any] | None = None) -> Held:
        """Create another object for each part; see :meth:`~rankmax.backends.backend.Backend.hold`."""
        return _Groups(self._calls(Call(function, shared), held, each), held.parts)

    def close(self) -> None:
        """Disconnect from the scheduler, and end the workers that this backend started."""
        super().close()
        if hasattr(self, "_client"):
            self._client.close(timeout=_SECONDS_TO_CLOSE)
        if self._cluster is not None:
            self._cluster.close()
        for name, level in self._levels.items():
            logging.getLogger(name).setLevel(level)

    def _map(self, call: Call, held: Held, each: Sequence[Any] | None) -> list[Any]:
        with self._scheduler_there():
            futures = self._calls(call, held, each)
            try:
                self._wait_for(futures)
                by_group: list[list[Any]] = self._client.gather(futures)
            except _distributed().KilledWorker as killed:
                raise IncompatibleError(
                    f"workers died repeatedly while working on a part of the data ({killed}); probably "
                    "it does not fit their memory: give them more memory, or start more workers"
                ) from None
            finally:
                if self._is_connected:
                    self._client.cancel([future for future in futures if not future.done()])
        results = list(chain.from_iterable(by_group))
        if call.combine is not None:
            return results
        in_order = dict(zip(chain.from_iterable(held.parts), results, strict=True))
        return [in_order[part] for part in range(len(results))]

    @property
    def _is_connected(self) -> bool:
        return bool(self._client.status == "running")

    @contextmanager
    def _scheduler_there(self) -> Iterator[None]:
        """Turn the various errors of a lost scheduler into one clear error."""
        try:
            yield
        except (OSError, CancelledError, asyncio.CancelledError, TimeoutError):
            if self._is_connected and not self._has_gone():
                raise
            raise IncompatibleError(
                f"the Dask scheduler at {self._address} is gone, and with it the data of its workers; restart it "
                "and its workers, then run this again (a training that has a checkpoint resumes)"
            ) from None

    def _has_gone(self) -> bool:
        try:
            self._client.scheduler_info(n_workers=-1)
        except (OSError, TimeoutError):
            return True
        return False

    def _wait_for(self, futures: list[Any]) -> None:
        """Wait until all futures are done; raise where no workers are left."""
        distributed, alone_since = _distributed(), None
        while True:
            try:
                with self._client.as_current():
                    distributed.wait(futures, timeout=_SECONDS_BETWEEN_LOOKS)
                return
            except TimeoutError:
                pass
            now = time.monotonic()
            if self._client.scheduler_info(n_workers=-1)["workers"]:
                alone_since = None
            elif alone_since is None:
                alone_since = now
                _log.warning(
                    "all workers of the scheduler at %s are gone; waiting %g s for another one (dask worker %s)",
                    *(self._address, _SECONDS_WITHOUT_WORKERS, self._address),
                )
            elif now - alone_since >= _SECONDS_WITHOUT_WORKERS:
                raise IncompatibleError(
                    f"all workers of the scheduler at {self._address} are gone, and none came for "
                    f"{_SECONDS_WITHOUT_WORKERS:g} s; start some with `dask worker {self._address}`, then run this "
                    "again (a training that has a checkpoint resumes)"
                )

    def _calls(self, call: Call, held: Held, each: Sequence[Any] | None) -> list[Any]:
        return [
            self._submit(call.on, group, None if each is None else [each[part] for part in parts])
            for group, parts in zip(held.futures, held.parts, strict=True)
        ]

    def _submit(self, function: Callable[..., Any], *arguments: Any, near: str | None = None) -> Any:
        where = {} if near is None else {"workers": [near], "allow_other_workers": True}
        key = f"{function.__name__}-{uuid.uuid4().hex}"
        return self._client.submit(function, *arguments, key=key, pure=False, **where)


def _made(function: Callable[[Any], Any], sources: Sequence[Any]) -> list[Any]:
    _keep_freed_memory()
    return [function(source) for source in sources]


def _keep_freed_memory() -> None:
    """Make malloc keep freed memory, as it does by default; Dask's nannies make it return all memory at once.

    Every line search allocates the same memory again, page by page: with the nannies' setting it was a fifth slower.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if mallopt is not None:  # otherwise it is not glibc's malloc, which nannies do not configure
        mallopt(_M_MMAP_THRESHOLD, 32 << 20)  # the largest allowed value
        mallopt(_M_TRIM_THRESHOLD, 256 << 20)


def _distributed() -> Any:
    try:
        import distributed
    except ImportError:
        raise MissingDependencyError("distributed", "distributed", "the Dask backend") from None
    return distributed
