"""The studio's local web server."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread

import uvicorn

from rankmax.errors import InvalidParameterError
from rankmax.studio.app import studio_app
from rankmax.studio.protocol import PromptProtocol
from rankmax.studio.security import HOST, Access
from rankmax.studio.session import Session
from rankmax.studio.trainings import Runs
from rankmax.studio.tunings import Tunings
from rankmax.workflows.projects.project import Project

PORT = 8765
"""Default port, so that the address of a view stays the same."""


class StudioServer:
    """A server for the studio of one project.

    Parameters
    ----------
    project : Project
    port : int, optional
        Port to listen on; by default :data:`PORT`, or any free one where that is in use.
    token : str, optional
        Access token; random by default.
    framed : bool
        Whether a notebook may show the studio in a frame.

    Attributes
    ----------
    access : Access
        Access to the studio, with the address to open.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with StudioServer(Project.at(folder), port=0).in_background() as server:
    ...         server.access.address
    'http://127.0.0.1:.../?token=...'
    """

    def __init__(
        self, project: Project, *, port: int | None = None, token: str | None = None, framed: bool = False
    ) -> None:
        self._socket = _listening(port)
        actual: int = self._socket.getsockname()[1]
        self.access = Access(actual, framed=framed) if token is None else Access(actual, token, framed)
        self._session = session = Session(project)
        self._runs = Runs(session)
        self._tunings = Tunings(session)
        config = uvicorn.Config(
            studio_app(session, self._runs, self._tunings, self.access),
            log_level="error",
            access_log=False,
            server_header=False,
            proxy_headers=False,
            lifespan="off",
            ws="none",
            http=PromptProtocol,
            timeout_graceful_shutdown=1,
        )
        self._server = uvicorn.Server(config)

    def run(self) -> None:
        """Serve until Ctrl-C."""
        Thread(target=self._session.prepare, daemon=True).start()
        try:
            self._server.run(sockets=[self._socket])
        finally:
            self._runs.abandon_all()
            self._tunings.abandon_all()
            self._socket.close()

    @contextmanager
    def in_background(self) -> Iterator[StudioServer]:
        """Serve in a thread while the block runs."""
        thread = Thread(target=self.run, daemon=True)  # a notebook that is left does not wait for it
        thread.start()
        try:
            yield self
        finally:
            self._server.should_exit = True
            thread.join()


def _listening(port: int | None) -> socket.socket:
    wanted = (PORT, 0) if port is None else (port,)
    for number in wanted:
        # With the protocol's number, asyncio sends without delay; else each answer waits 40 ms for an acknowledgment.
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((HOST, number))
            listener.listen()  # from now on a browser waits for the response
        except OSError as error:
            listener.close()
            reason = error.strerror
        else:
            return listener
    raise InvalidParameterError(f"cannot listen on port {port}: {reason}; choose another port, or none")
