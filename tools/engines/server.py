"""A server as a child process on a free port of this machine, which ends with the process that started it."""

from __future__ import annotations

import json
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

SECONDS = 180
"""For the start of a server on a busy machine."""


def free_port() -> int:
    """Return a port on which nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def call(url: str, method: str = "GET", body: Any = None) -> Any:
    """Return the JSON that a server answers; an error is raised with what the server said.

    Parameters
    ----------
    url : str
    method : str
    body : object, optional
        Sent as JSON, or as it is if it is bytes: lines of JSON.
    """
    lines = isinstance(body, bytes)
    content = body if lines or body is None else json.dumps(body).encode()
    kind = "application/x-ndjson" if lines else "application/json"
    request = Request(url, data=content, headers={"Content-Type": kind}, method=method)
    try:
        with urlopen(request, timeout=SECONDS) as answer:
            return json.load(answer)
    except HTTPError as error:
        with error:
            raise RuntimeError(f"{method} {url}: {error.code} {error.read().decode(errors='replace')}") from None


@contextmanager
def running(command: list[str], log: Path, ready: str) -> Iterator[None]:
    """Run a server, which stops when its standard input ends.

    Parameters
    ----------
    command : list of str
    log : Path
        File for all that it prints.
    ready : str
        URL that answers once the server is ready.
    """
    with (
        log.open("wb") as output,
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=output, stderr=subprocess.STDOUT) as process,
    ):
        try:
            _wait(process, ready, log)
            yield
        finally:
            assert process.stdin is not None
            process.stdin.close()
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()


def _wait(process: subprocess.Popen[bytes], ready: str, log: Path) -> None:
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        if process.poll() is not None:
            break
        try:
            call(ready)
        except (URLError, OSError, RuntimeError):
            time.sleep(0.2)
        else:
            return
    raise RuntimeError(f"the server did not start; it said: ...{log.read_text(errors='replace')[-2000:]}")
