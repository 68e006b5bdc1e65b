"""Parts of the data in the memory of Dask's workers, on this machine or on many."""

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

from rankmax.engines.base import Call, Engine, Held
from rankmax.errors import IncompatibleError, MissingDependencyError

_SECONDS_TO_CONNECT = 30
_SECONDS_BETWEEN_LOOKS = 1.0  # at whether there are workers, while results are waited for
_SECONDS_WITHOUT_WORKERS = 60.0
_SECONDS_TO_CLOSE = 2.0
_NOISY = (
    "distributed",
    "distributed.client",
    "tornado.application",
    "asyncio",
)  # loggers of what is raised here
_THREADS = "NUMBA_NUM_THREADS"
_log = logging.getLogger("rankmax.engines")
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3  # of glibc's malloc.h


@dataclass(frozen=True)
class _Groups:
    """Objects of several parts in one future each, so that a round is one task for a worker."""

    futures: list[Any]
    parts: list[list[int]]  # the numbers of the parts in each


class DaskEngine(Engine):
    """Holds every part in the memory of a worker of Dask, which reads it itself.

    A worker that dies takes its parts along; Dask makes them anew on others from their source. When none is left, a
    message is logged (logger ``rankmax.engines``), and after a minute without a new one the work ends with an error; it
    ends at once when the scheduler is gone.

    Parameters
    ----------
    address : str, optional
        Of a scheduler, such as "tcp://host:8786". When left out, workers are started on this machine, and ended by
        :meth:`close`; a script that does so must be guarded by ``if __name__ == "__main__":``.
    n_workers : int, optional
        To start, one process each; as many as there are processors when left out.
    n_threads : int, optional
        For the kernels of each worker that is started; its share of the processors when left out.

    Examples
    --------
    >>> DaskEngine("tcp://127.0.0.1:1")  # doctest: +SKIP
    Traceback (most recent call last):
    rankmax.errors.IncompatibleError: no scheduler of Dask answers at tcp://127.0.0.1:1 ...
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
                silence_logs=40,  # a worker that is ended or replaced is no news
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
                f"no scheduler of Dask answers at {address}, or it has no workers; start them by `dask scheduler` and "
                f"`dask worker {address}`, with the same versions of rankmax"
            ) from None

    @property
    def client(self) -> Any:
        """The connection to the scheduler."""
        return self._client

    def n_places(self, held: Held) -> int:
        """Return how many workers hold parts, or held them when they were read."""
        return len(held.futures)

    def read(self, function: Callable[[Any], Any], sources: Sequence[Any], sizes: Sequence[int]) -> Held:
        """Make an object of each source where it is then held, spread evenly over the workers there are."""
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
        """Make another object for each part; see :meth:`~rankmax.engines.base.Engine.hold`."""
        return _Groups(self._calls(Call(function, shared), held, each), held.parts)

    def close(self) -> None:
        """Leave the scheduler; end the workers that were started here."""
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
                    f"workers died again and again while one of them worked on a part of the data ({killed}); probably "
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
        """Say in one sentence that the scheduler is gone, which shows as whatever was under way."""
        try:
            yield
        except (OSError, CancelledError, asyncio.CancelledError, TimeoutError):
            if self._is_connected and not self._has_gone():
                raise
            raise IncompatibleError(
                f"the scheduler of Dask at {self._address} is gone, and what its workers held with it; start it "
                "and its workers again, then do this again (a training that has a checkpoint resumes)"
            ) from None

    def _has_gone(self) -> bool:
        try:
            self._client.scheduler_info(n_workers=-1)
        except (OSError, TimeoutError):
            return True
        return False

    def _wait_for(self, futures: list[Any]) -> None:
        """Return when all is done, but not if there is nobody to do it."""
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
                    f"{_SECONDS_WITHOUT_WORKERS:g} s; start some by `dask worker {self._address}`, then do this again "
                    "(a training that has a checkpoint resumes)"
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
    """Have malloc keep what is freed, as it does by default; Dask's nannies tell it to give all back at once.

    Every line takes the same room again, page by page: with the nannies' setting it was a fifth slower.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if mallopt is not None:  # else it is not glibc's malloc, which no nanny tells anything
        mallopt(_M_MMAP_THRESHOLD, 32 << 20)  # the most that it allows
        mallopt(_M_TRIM_THRESHOLD, 256 << 20)


def _distributed() -> Any:
    try:
        import distributed
    except ImportError:
        raise MissingDependencyError("distributed", "distributed", "an engine of Dask") from None
    return distributed
