from __future__ import annotations

import socket

import pytest

from rankmax.errors import InvalidParameterError
from rankmax.studio import server as module
from rankmax.studio.server import StudioServer


def test_a_taken_port_is_an_error_if_it_was_asked_for(server: StudioServer, project) -> None:
    with pytest.raises(InvalidParameterError, match=f"port {server.access.port}"):
        StudioServer(project, port=server.access.port)


def test_else_any_free_port_is_taken(server: StudioServer, project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PORT", server.access.port)
    with StudioServer(project).in_background() as other:
        assert other.access.port != server.access.port


def test_a_server_that_ends_frees_its_port(project) -> None:
    with StudioServer(project, port=0).in_background() as serving:
        port = serving.access.port
    with socket.create_server(("127.0.0.1", port)):
        pass
