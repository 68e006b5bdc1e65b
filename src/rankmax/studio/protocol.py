"""HTTP with an end to patience: whoever does not finish a request is disconnected."""

from __future__ import annotations

import asyncio

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

SECONDS = 10.0
"""For the headers of a request to arrive, and between two parts of its body; the client is on this machine."""


class PromptProtocol(H11Protocol):
    """Closes connections that do not say what they want; uvicorn itself waits for them without end."""

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for the first request."""
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        """Take what arrived."""
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        """Begin to wait for the next request."""
        super().on_response_complete()
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no longer."""
        self._stop()
        super().connection_lost(exc)

    def _watch(self) -> None:
        """Bound the wait for headers as a whole, that for a body from part to part."""
        if self.conn.their_state is h11.IDLE and self._deadline is not None:
            return
        self._stop()
        if self.conn.their_state in (h11.IDLE, h11.SEND_BODY):
            self._deadline = self.loop.call_later(SECONDS, self.transport.close)

    def _stop(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
