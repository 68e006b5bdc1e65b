"""HTTP with timeouts: clients that do not finish a request are disconnected."""

from __future__ import annotations

import asyncio

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

SECONDS = 10.0
"""Time limit for the headers of a request, and between two parts of its body; the client is on this machine."""


class PromptProtocol(H11Protocol):
    """Closes idle connections without a complete request, for which uvicorn itself waits indefinitely."""

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the timer for the first request."""
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        """Handle received data."""
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        """Start the timer for the next request."""
        super().on_response_complete()
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the timer."""
        self._stop()
        super().connection_lost(exc)

    def _watch(self) -> None:
        """Limit the time for all headers, and the time between parts of a body."""
        if self.conn.their_state is h11.IDLE and self._deadline is not None:
            return
        self._stop()
        if self.conn.their_state in (h11.IDLE, h11.SEND_BODY):
            self._deadline = self.loop.call_later(SECONDS, self.transport.close)

    def _stop(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
