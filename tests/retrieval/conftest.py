from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from typing import Any

import pytest

from rankmax.retrieval.index import tokenized_batches as tokens


class ReadyPool(ProcessPoolExecutor):
    """Processes that are ready before any work is given out."""

    def submit(self, function: Callable[..., Any], /, *args: Any, **options: Any) -> Future[Any]:
        future = super().submit(function, *args, **options)
        if function is os.getpid:
            future.result()
        return future


@pytest.fixture
def all_in_other_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let other processes analyze everything, however little it is."""
    monkeypatch.setattr(tokens, "ProcessPoolExecutor", ReadyPool)
    monkeypatch.setattr(tokens, "_WORTH_STARTING", 1)
