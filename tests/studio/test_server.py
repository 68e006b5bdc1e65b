from __future__ import annotations

import socket
from http.client import HTTPConnection

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


def test_answers_are_sent_without_delay(server: StudioServer) -> None:
    """On a connection that is kept, the second part of an answer would wait for the acknowledgment of the first."""
    connection = HTTPConnection("127.0.0.1", server.access.port)
    try:
        connection.request("GET", "/")
        connection.getresponse().read()
        transports = [protocol.transport for protocol in server._server.server_state.connections]
        sockets = [transport.get_extra_info("socket") for transport in transports]
        assert sockets
        assert all(one.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) for one in sockets)
    finally:
        connection.close()
