"""How far a training has come, whichever of its ascents run where."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rankmax.learners.training import Climb
from rankmax.optimizers.base import Ascent, Progress


@dataclass(frozen=True)
class TrainingProgress:
    """What a training's callback is told, after each improvement and at the end of each ascent.

    Attributes
    ----------
    value : float
        Best so far of any ascent; those of bags are measured on their own samples of queries.
    n_lines : int
        Lines searched so far, by all ascents. (Where one is under way, up to its last improvement.)
    seconds : float
        Since the training began.
    n_finished, n_ascents : int
        How many ascents have ended, of how many.
    climb : Climb
        The ascent that has come further.
    climb_value : float
        Its own best so far.
    climb_lines : int
        Lines that it has searched.
    """

    value: float
    n_lines: int
    seconds: float
    n_finished: int
    n_ascents: int
    climb: Climb
    climb_value: float
    climb_lines: int


TrainingCallback = Callable[[TrainingProgress], None]
"""Told how far a training has come. An error it raises ends the training; KeyboardInterrupt keeps the best so far."""


class Monitor:
    """Collects what the ascents report, so that all they have found is at hand at any time.

    Parameters
    ----------
    climbs : sequence of Climb
        All that shall run.
    callback : callable, optional
    """

    def __init__(self, climbs: Sequence[Climb], callback: TrainingCallback | None) -> None:
        self.climbs = climbs
        self._callback = callback
        self._began = time.monotonic()
        self._histories: dict[Climb, list[Progress]] = {}
        self.interrupted = False
        self._ended: dict[Climb, Ascent] = {}

    def improved(self, climb: Climb, progress: Progress) -> None:
        """Take an ascent's progress."""
        self._histories.setdefault(climb, []).append(progress)
        self._tell(climb, progress)

    def ended(self, climb: Climb, ascent: Ascent) -> None:
        """Take an ascent's result."""
        self._ended[climb] = ascent
        self._tell(climb, ascent)

    @property
    def ascents(self) -> dict[Climb, Ascent]:
        """What has been found, in the order of the climbs; ascents that could not end count as interrupted."""
        found = {climb: self._ended.get(climb) or self._unfinished(climb) for climb in self.climbs}
        return {climb: ascent for climb, ascent in found.items() if ascent is not None}

    @property
    def stopped_by(self) -> str:
        """What ended the training: "converged", "seconds" or "interrupted"."""
        reasons = {ascent.stopped_by for ascent in self.ascents.values()}
        if self.interrupted or "interrupted" in reasons:
            return "interrupted"
        return "converged" if len(self._ended) == len(self.climbs) and "seconds" not in reasons else "seconds"

    def _unfinished(self, climb: Climb) -> Ascent | None:
        history = self._histories.get(climb)
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

    def _tell(self, climb: Climb, latest_of_climb: Progress | Ascent) -> None:
        if self._callback is None:
            return
        latest = {climb: history[-1].n_lines for climb, history in self._histories.items()}
        latest.update({climb: ascent.n_lines for climb, ascent in self._ended.items()})
        self._callback(
            TrainingProgress(
                value=max(history[-1].value for history in self._histories.values()),
                n_lines=sum(latest.values()),
                seconds=time.monotonic() - self._began,
                n_finished=len(self._ended),
                n_ascents=len(self.climbs),
                climb=climb,
                climb_value=latest_of_climb.value,
                climb_lines=latest_of_climb.n_lines,
            )
        )
