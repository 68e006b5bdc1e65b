"""The contract of an optimizer, as tests to inherit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import msgspec
import numpy as np

from rankmax._arrays import F64
from rankmax.data.synthetic import planted_linear
from rankmax.line_search.linear_objective import LinearObjective
from rankmax.metrics import AP, nDCG
from rankmax.optimizers.journal import Entry, Journal
from rankmax.optimizers.optimizer import Ascent, Budget, Callback, Optimizer, Progress
from rankmax.spaces import AugmentedSimplex, Euclidean, ParameterSpace, Simplex


class OptimizerContract:
    """Tests that every optimizer passes; inherit in a test class whose name starts with ``Test``.

    An optimizer is a frozen dataclass with a field `budget`.

    Attributes
    ----------
    optimizers : sequence of Optimizer
        The optimizer under test, with all parameters to test.
    spaces : sequence of ParameterSpace
        The spaces that it searches.

    Examples
    --------
    >>> from rankmax.optimizers import CoordinateAscent
    >>> class TestMyOptimizer(OptimizerContract):
    ...     optimizers = [CoordinateAscent()]
    >>> TestMyOptimizer().test_never_ends_below_its_start()
    """

    optimizers: Sequence[Any] = ()
    spaces: Sequence[ParameterSpace] = (Euclidean(), Simplex(), AugmentedSimplex())

    def test_there_is_an_optimizer_to_test(self) -> None:
        """An empty contract would pass."""
        assert self.optimizers
        assert self.spaces
        assert all(isinstance(optimizer, Optimizer) for optimizer in self.optimizers)

    def test_never_ends_below_its_start(self) -> None:
        """From every start; and from at least one it ends above."""
        gains = []
        for optimizer, objective, space, start in self._cases():
            ascent = _maximize(optimizer, objective, space, start)
            gains.append(ascent.value - objective.at(space.project(start)).value)
        assert min(gains) >= 0
        assert max(gains) > 0

    def test_ends_inside_its_space(self) -> None:
        """Even when it starts outside."""
        for optimizer, objective, space, start in self._cases():
            for given in (start, -3.0 * start, np.zeros_like(start)):
                assert space.contains(_maximize(optimizer, objective, space, given).weights)

    def test_value_is_that_of_the_weights(self) -> None:
        """Bit for bit, so nothing is carried over from earlier points of the ascent."""
        for optimizer, objective, space, start in self._cases():
            ascent = _maximize(optimizer, objective, space, start)
            assert ascent.value == objective.at(ascent.weights).value

    def test_history_rises_from_the_start_to_the_result(self) -> None:
        """Values, each of its own weights, and numbers of line searches; the callback sees the same."""
        for optimizer, objective, space, start in self._cases():
            seen: list[Progress] = []
            ascent = _maximize(optimizer, objective, space, start, seen.append)
            assert tuple(seen) == ascent.history
            values = [progress.value for progress in ascent.history]
            assert values[0] == objective.at(space.project(start)).value
            assert values[-1] == ascent.value
            assert all(before < after for before, after in pairwise(values))
            for progress in ascent.history:
                assert progress.value == objective.at(progress.weights).value
            lines = [progress.n_lines for progress in ascent.history]
            assert [*lines, ascent.n_lines] == sorted([*lines, ascent.n_lines])

    def test_same_seed_gives_the_same_bits(self) -> None:
        """Independent of what was maximized before."""
        for optimizer, objective, space, start in self._cases():
            first, again = (_maximize(optimizer, objective, space, start) for _ in range(2))
            assert _bits(first) == _bits(again)

    def test_resumes_to_the_same_bits(self) -> None:
        """After stopping at any entry of its journal; a finished ascent does nothing again."""
        for optimizer, objective, space, start in self._cases():
            journal = Journal()
            free = _maximize(optimizer, objective, space, start, journal=journal)
            n_entries = len(journal.entries)
            assert n_entries > 1
            assert sum(entry.kind == "line" for entry in journal.entries) == free.n_lines
            for n_kept in {1, 2, n_entries // 2, n_entries - 1, n_entries}:
                rest = Journal(journal.entries[:n_kept])
                resumed = _maximize(optimizer, objective, space, start, journal=rest)
                assert _bits(resumed) == _bits(free)
                assert list(map(_timeless, rest.entries)) == list(map(_timeless, journal.entries))
            assert rest.entries[:n_kept] == journal.entries[:n_kept]

    def test_resumes_after_an_interrupt(self) -> None:
        """At any point of the ascent."""
        for optimizer, objective, space, start in self._cases():
            journal = Journal()
            begun = objective.at(space.project(start)).value

            def interrupt(progress: Progress, begun: float = begun) -> None:
                if progress.value > begun:
                    raise KeyboardInterrupt

            _maximize(optimizer, objective, space, start, interrupt, journal=journal)
            resumed = _maximize(optimizer, objective, space, start, journal=Journal(journal.entries))
            assert _bits(resumed) == _bits(_maximize(optimizer, objective, space, start))

    def test_what_is_replayed_counts_for_the_budget(self) -> None:
        """A budget covers the whole ascent, and a larger one continues where a smaller ended."""
        for optimizer, objective, space, start in self._cases():
            free = _maximize(optimizer, objective, space, start)
            for budget in (Budget(lines=2), Budget(evaluations=2)):
                journal = Journal()
                frugal = replace(optimizer, budget=budget)
                short = _maximize(frugal, objective, space, start, journal=journal)
                again = _maximize(frugal, objective, space, start, journal=Journal(journal.entries))
                assert _bits(again) == _bits(short)
                resumed = _maximize(optimizer, objective, space, start, journal=Journal(journal.entries))
                assert _bits(resumed) == _bits(free)

    def test_leaves_its_start_alone(self) -> None:
        """Neither the given array nor its views change."""
        for optimizer, objective, space, start in self._cases():
            given = start.copy()
            _maximize(optimizer, objective, space, start)
            assert np.array_equal(start, given)

    def test_budget_is_respected(self) -> None:
        """No line search and no evaluation too many; a time limit of 0 ends at the start."""
        for optimizer, objective, space, start in self._cases():
            free = _maximize(optimizer, objective, space, start)
            assert free.stopped_by == "converged"
            short = _maximize(replace(optimizer, budget=Budget(lines=2)), objective, space, start)
            assert short.n_lines <= 2
            assert short.stopped_by == "lines" or free.n_lines <= 2
            few = _maximize(replace(optimizer, budget=Budget(evaluations=2)), objective, space, start)
            assert few.n_evaluations <= 2
            assert few.stopped_by == "evaluations" or free.n_evaluations <= 2
            none = _maximize(replace(optimizer, budget=Budget(seconds=1e-9)), objective, space, start)
            assert none.stopped_by == "seconds"
            assert none.value == objective.at(space.project(start)).value

    def test_an_interrupt_returns_the_best_so_far(self) -> None:
        """Ctrl-C after the first improvement keeps it."""
        interrupted = 0
        for optimizer, objective, space, start in self._cases():
            begun = objective.at(space.project(start)).value

            def interrupt(progress: Progress, begun: float = begun) -> None:
                if progress.value > begun:
                    raise KeyboardInterrupt

            ascent = _maximize(optimizer, objective, space, start, interrupt)
            if ascent.value > begun:
                interrupted += 1
                assert ascent.stopped_by == "interrupted"
                assert len(ascent.history) == 2
                assert ascent.value == objective.at(ascent.weights).value
        assert interrupted

    def _cases(self) -> Iterator[tuple[Any, LinearObjective, ParameterSpace, F64]]:
        for seed, metric in enumerate((AP(), nDCG() @ 5)):
            data = planted_linear(6, 8, 3, noise=0.7, seed=seed).data
            for space in self.spaces:
                objective = LinearObjective(space.prepare(data), metric)
                sample = space.sample(objective.n_features, np.random.default_rng(seed))
                for optimizer in self.optimizers:
                    for start in (space.start(objective.n_features), sample):
                        yield optimizer, objective, space, start


def _maximize(
    optimizer: Optimizer,
    objective: LinearObjective,
    space: ParameterSpace,
    start: F64,
    callback: Callback | None = None,
    journal: Journal | None = None,
) -> Ascent:
    rng = np.random.default_rng(3)
    return optimizer.maximize(objective, space, start=start, rng=rng, callback=callback, journal=journal)


def _bits(ascent: Ascent) -> tuple[Any, ...]:
    """Return all fields of an ascent except its time."""
    steps = [(step.n_lines, step.value, step.weights.tolist()) for step in ascent.history]
    spent = ascent.n_lines, ascent.n_evaluations, ascent.stopped_by
    return ascent.weights.tolist(), ascent.value, steps, spent


def _timeless(entry: Entry) -> Entry:
    return msgspec.structs.replace(entry, seconds=0.0)
