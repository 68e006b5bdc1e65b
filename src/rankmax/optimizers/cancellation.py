"""Asking running work to stop."""

from __future__ import annotations

import math
import time


class Cancellation:
    """Tells work under way to stop: because time is up, or because somebody asked.

    Whoever works looks at :attr:`reason` between two steps and ends with what it has; nothing is torn down in the
    middle of a step, so a journal can be resumed from where it was left.

    Parameters
    ----------
    seconds : float, optional
        Time limit from now; none when left out.

    Examples
    --------
    >>> cancellation = Cancellation()
    >>> cancellation.reason is None, Cancellation(0.0).reason
    (True, 'seconds')
    >>> cancellation.cancel()
    >>> cancellation.reason
    'interrupted'
    """

    def __init__(self, seconds: float | None = None) -> None:
        self._end = math.inf if seconds is None else time.monotonic() + seconds
        self._cancelled = False

    def cancel(self) -> None:
        """Ask for an early end."""
        self._cancelled = True

    @property
    def reason(self) -> str | None:
        """Why to stop, "interrupted" or "seconds"; None where there is no reason."""
        if self._cancelled:
            return "interrupted"
        return "seconds" if time.monotonic() >= self._end else None

    @property
    def seconds_left(self) -> float | None:
        """Seconds until the time limit, None where there is none."""
        return None if self._end == math.inf else self._end - time.monotonic()
