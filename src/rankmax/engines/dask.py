"""Parts of the data in the memory of Dask's workers, on this machine or on many."""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable, Sequence
from typing import Any

from rankmax.engines.base import Engine, Held
from rankmax.errors import IncompatibleError, MissingDependencyError

_SECONDS_TO_CONNECT = 30
_THREADS = "NUMBA_NUM_THREADS"


class DaskEngine(Engine):
    """Holds every part in the memory of a worker of Dask, which reads it itself.

    A worker that dies takes its parts along; Dask makes them anew on others from their source.

    Parameters
    ----------
    address : str, optional
        Of a scheduler, such as "tcp://host:8786". When left out, workers are started on this machine, and ended by
        :meth:`close`; a script that does so must be guarded by ``if __name__ == "__main__":``.
    n_workers : int, optional
        To start, one process each; as many as there are processors when left out.

    Examples
    --------
    >>> DaskEngine("tcp://127.0.0.1:1")  # doctest: +SKIP
    Traceback (most recent call last):
    rankmax.errors.IncompatibleError: no scheduler of Dask answers at tcp://127.0.0.1:1 ...
    """

    def __init__(self, address: str | None = None, *, n_workers: int | None = None) -> None:
        super().__init__()
        distributed = _distributed()
        self._cluster: Any = None
        if address is None:
            n_workers = n_workers or os.cpu_count() or 1
            self._cluster = distributed.LocalCluster(
                n_workers=n_workers,
                threads_per_worker=1,
                dashboard_address=None,
                silence_logs=40,  # a worker that is ended or replaced is no news
                env={_THREADS: str(max(1, (os.cpu_count() or 1) // n_workers))},
            )
            address = self._cluster.scheduler_address
        try:
            self._client = distributed.Client(address, timeout=_SECONDS_TO_CONNECT, set_as_default=False)
            self._client.wait_for_workers(1, timeout=_SECONDS_TO_CONNECT)
        except (OSError, TimeoutError):
            self.close()
            raise IncompatibleError(
                f"no scheduler of Dask answers at {address}, or it has no workers; start them by `dask scheduler` and "
                f"`dask worker {address}`, with the same versions of rankmax"
            ) from None
        self._preferred: list[str] = []

    @property
    def client(self) -> Any:
        """The connection to the scheduler."""
        return self._client

    def place(self, sizes: Sequence[int]) -> None:
        """Spread parts of given sizes evenly over the workers there are."""
        loads = dict.fromkeys(sorted(self._client.scheduler_info(n_workers=-1)["workers"]), 0)
        chosen = [""] * len(sizes)
        for part in sorted(range(len(sizes)), key=lambda part: -sizes[part]):
            chosen[part] = min(loads, key=lambda worker: (loads[worker], worker))
            loads[chosen[part]] += max(1, sizes[part])
        self._preferred = chosen

    def hold(
        self, function: Callable[..., Any], *shared: Any, each: Sequence[Any] | None = None, of: Held | None = None
    ) -> Held:
        """Make an object for each part; see :meth:`~rankmax.engines.base.Engine.hold`."""
        n_parts = len(each if of is None else of)  # type: ignore[arg-type]
        return [
            self._submit(
                function,
                *(() if of is None else (of[part],)),
                *shared,
                *(() if each is None else (each[part],)),
                part=part if of is None else None,
            )
            for part in range(n_parts)
        ]

    def close(self) -> None:
        """Leave the scheduler; end the workers that were started here."""
        super().close()
        if hasattr(self, "_client"):
            self._client.close()
        if self._cluster is not None:
            self._cluster.close()

    def _map(self, function: Callable[..., Any], held: Held, arguments: Sequence[tuple[Any, ...]]) -> list[Any]:
        futures = [self._submit(function, item, *own) for item, own in zip(held, arguments, strict=True)]
        try:
            results: list[Any] = self._client.gather(futures)
        except _distributed().KilledWorker as killed:
            raise IncompatibleError(
                f"workers died again and again while one of them worked on a part of the data ({killed}); probably a "
                "part does not fit their memory: cut the data into more shards, or give workers more memory"
            ) from None
        finally:
            self._client.cancel([future for future in futures if not future.done()])
        return results

    def _submit(self, function: Callable[..., Any], *arguments: Any, part: int | None = None) -> Any:
        near = {}
        if part is not None and self._preferred:
            near = {"workers": [self._preferred[part]], "allow_other_workers": True}
        key = f"{getattr(function, '__name__', 'call')}-{uuid.uuid4().hex}"
        return self._client.submit(function, *arguments, key=key, pure=False, **near)


def _distributed() -> Any:
    try:
        import distributed
    except ImportError:
        raise MissingDependencyError("distributed", "distributed", "an engine of Dask") from None
    return distributed
