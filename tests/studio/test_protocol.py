"""Connections that never finish a request are closed, those that do are not."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator

import pytest

from rankmax.studio import protocol, responses
from rankmax.studio.server import StudioServer

PATIENCE = 60.0  # seconds that a test waits for what should come in less than one


@pytest.fixture
def connection(server: StudioServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[socket.socket]:
    monkeypatch.setattr(protocol, "SECONDS", 0.3)
    with socket.create_connection(("127.0.0.1", server.access.port), timeout=PATIENCE) as opened:
        yield opened


def head(server: StudioServer, method: str, path: str, *more: str) -> bytes:
    access = server.access
    lines = [
        f"{method} {path} HTTP/1.1",
        f"Host: 127.0.0.1:{access.port}",
        f"Cookie: {access.cookie}={access.token}",
        f"Origin: {access.origin}",
        *more,
    ]
    return "\r\n".join([*lines, "", ""]).encode()


def everything(connection: socket.socket) -> bytes:
    """Return what comes until the other side closes the connection; a timeout is an error."""
    parts = []
    while part := connection.recv(1 << 16):
        parts.append(part)
    return b"".join(parts)


@pytest.mark.parametrize("begun", [b"", b"GET / HTT", b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-More: "])
def test_headers_that_do_not_end_are_not_waited_for(connection: socket.socket, begun: bytes) -> None:
    connection.sendall(begun)
    assert everything(connection) == b""


def test_bytes_one_by_one_win_no_time(connection: socket.socket) -> None:
    connection.settimeout(0.05)
    closed = False
    for _ in range(int(PATIENCE / 0.05)):
        try:
            connection.sendall(b"x")
            closed = connection.recv(1) == b""
        except TimeoutError:
            continue
        except ConnectionError:
            closed = True
        break
    assert closed


def test_a_body_that_does_not_come_is_not_waited_for(connection: socket.socket, server: StudioServer) -> None:
    connection.sendall(head(server, "POST", "/api/read", "Content-Length: 100") + b"{")
    assert b"200 OK" not in everything(connection)


def test_a_second_request_that_does_not_end_is_not_waited_for(connection: socket.socket, server: StudioServer) -> None:
    connection.sendall(head(server, "GET", "/api/runs"))
    first = connection.recv(1 << 16)
    assert first.startswith(b"HTTP/1.1 200")
    connection.sendall(b"GET /api/ru")
    assert b"200 OK" not in everything(connection)


def test_an_answer_may_take_longer_than_a_question(
    connection: socket.socket, server: StudioServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(responses, "project", lambda session: time.sleep(4 * protocol.SECONDS))
    connection.sendall(head(server, "GET", "/api/project", "Connection: close"))
    assert everything(connection).startswith(b"HTTP/1.1 200")
