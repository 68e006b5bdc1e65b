"""Progress reporting for training."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rankmax.learners.direct.direct_training import AscentId
from rankmax.optimizers.optimizer import Ascent, Progress


@dataclass(frozen=True)
class TrainingProgress:
    """Progress of a training, reported after each improvement and at the end of each ascent.

    Attributes
    ----------
    value : float
        Best value so far of any ascent; ascents of bags are measured on their own samples of queries.
    n_lines : int
        Number of line searches so far, in all ascents (in unfinished ones, up to their last improvement).
    seconds : float
        Seconds since the training began.
    n_finished, n_ascents : int
        Number of finished ascents, and number of all ascents.
    ascent : AscentId
        The ascent that reports.
    ascent_value : float
        Best value so far of that ascent.
    ascent_lines : int
        Number of line searches of that ascent.
    """

    value: float
    n_lines: int
    seconds: float
    n_finished: int
    n_ascents: int
    ascent: AscentId
    ascent_value: float
    ascent_lines: int


TrainingCallback = Callable[[TrainingProgress], None]
"""Receives progress. Errors that it raises end the training; KeyboardInterrupt stops early with the best so far."""


class TrainingLog:
    """Collects the reports of ascents, so that the results so far are available at any time.

    Parameters
    ----------
    planned : sequence of AscentId
        All ascents to run.
    callback : callable, optional
    """

    def __init__(self, planned: Sequence[AscentId], callback: TrainingCallback | None) -> None:
        self.planned = planned
        self._callback = callback
        self._began = time.monotonic()
        self._histories: dict[AscentId, list[Progress]] = {}
        self.interrupted = False
        self._ended: dict[AscentId, Ascent] = {}

    def improved(self, one: AscentId, progress: Progress) -> None:
        """Record an ascent's progress."""
        self._histories.setdefault(one, []).append(progress)
        self._tell(one, progress)

    def ended(self, one: AscentId, ascent: Ascent) -> None:
        """Record an ascent's result."""
        self._ended[one] = ascent
        self._tell(one, ascent)

    @property
    def ascents(self) -> dict[AscentId, Ascent]:
        """The ascents so far, in the planned order; unfinished ones count as interrupted."""
        found = {one: self._ended.get(one) or self._unfinished(one) for one in self.planned}
        return {one: ascent for one, ascent in found.items() if ascent is not None}

    @property
    def stopped_by(self) -> str:
        """The reason why training stopped: "converged", "seconds" or "interrupted"."""
        reasons = {ascent.stopped_by for ascent in self.ascents.values()}
        if self.interrupted or "interrupted" in reasons:
            return "interrupted"
        return "converged" if len(self._ended) == len(self.planned) and "seconds" not in reasons else "seconds"

    def _unfinished(self, one: AscentId) -> Ascent | None:
        history = self._histories.get(one)
        if not history:
            return None
        last = history[-1]
        return Ascent(
            weights=last.weights,
            value=last.value,
            history=tuple(history),
            n_lines=last.n_lines,
            n_evaluations=0,
            stopped_by="interrupted",
        )

    def _tell(self, one: AscentId, latest_of_ascent: Progress | Ascent) -> None:
        if self._callback is None:
            return
        latest = {one: history[-1].n_lines for one, history in self._histories.items()}
        latest.update({one: ascent.n_lines for one, ascent in self._ended.items()})
        self._callback(
            TrainingProgress(
                value=max(history[-1].value for history in self._histories.values()),
                n_lines=sum(latest.values()),
                seconds=time.monotonic() - self._began,
                n_finished=len(self._ended),
                n_ascents=len(self.planned),
                ascent=one,
                ascent_value=latest_of_ascent.value,
                ascent_lines=latest_of_ascent.n_lines,
            )
        )
