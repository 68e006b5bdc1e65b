"""The contract of an optimizer, as tests to inherit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from rankmax.arrays import F64
from rankmax.data.synthetic import planted_linear
from rankmax.lines.objective import LinearObjective
from rankmax.metrics import AP, nDCG
from rankmax.optimizers.base import Ascent, Budget, Optimizer, Progress
from rankmax.spaces import AugmentedSimplex, Euclidean, ParameterSpace, Simplex


class OptimizerContract:
    """Tests that every optimizer passes; inherit in a test class whose name starts with ``Test``.

    An optimizer is a frozen dataclass with a field `budget`.

    Attributes
    ----------
    optimizers : sequence of Optimizer
        The optimizer under test, with the parameters worth testing.
    spaces : sequence of ParameterSpace
        The spaces it searches.

    Examples
    --------
    >>> from rankmax.optimizers.coordinate_ascent import CoordinateAscent
    >>> class TestMyOptimizer(OptimizerContract):
    ...     optimizers = [CoordinateAscent()]
    >>> TestMyOptimizer().test_never_ends_below_its_start()
    """

    optimizers: Sequence[Any] = ()
    spaces: Sequence[ParameterSpace] = (Euclidean(), Simplex(), AugmentedSimplex())

    def test_there_is_an_optimizer_to_test(self) -> None:
        """A contract about nothing would pass."""
        assert self.optimizers
        assert self.spaces
        assert all(isinstance(optimizer, Optimizer) for optimizer in self.optimizers)

    def test_never_ends_below_its_start(self) -> None:
        """Wherever it starts, and somewhere it ends above."""
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
        """To the last bit, so nothing is carried over from where the ascent has been."""
        for optimizer, objective, space, start in self._cases():
            ascent = _maximize(optimizer, objective, space, start)
            assert ascent.value == objective.at(ascent.weights).value

    def test_history_rises_from_the_start_to_the_result(self) -> None:
        """Values and counts of lines; the callback sees the same."""
        for optimizer, objective, space, start in self._cases():
            seen: list[Progress] = []
            ascent = _maximize(optimizer, objective, space, start, seen.append)
            assert tuple(seen) == ascent.history
            values = [progress.value for progress in ascent.history]
            assert values[0] == objective.at(space.project(start)).value
            assert values[-1] == ascent.value
            assert all(before < after for before, after in pairwise(values))
            lines = [progress.n_lines for progress in ascent.history]
            assert [*lines, ascent.n_lines] == sorted([*lines, ascent.n_lines])

    def test_same_seed_gives_the_same_bits(self) -> None:
        """Whatever was maximised before."""
        for optimizer, objective, space, start in self._cases():
            first, again = (_maximize(optimizer, objective, space, start) for _ in range(2))
            assert np.array_equal(first.weights, again.weights)
            assert (first.value, first.n_lines) == (again.value, again.n_lines)
            assert first.stopped_by == again.stopped_by

    def test_leaves_its_start_alone(self) -> None:
        """The array that was given, and whatever comes out of it."""
        for optimizer, objective, space, start in self._cases():
            given = start.copy()
            _maximize(optimizer, objective, space, start)
            assert np.array_equal(start, given)

    def test_budget_is_respected(self) -> None:
        """No line too many, and no time at all ends at the start."""
        for optimizer, objective, space, start in self._cases():
            free = _maximize(optimizer, objective, space, start)
            assert free.stopped_by == "converged"
            short = _maximize(replace(optimizer, budget=Budget(lines=2)), objective, space, start)
            assert short.n_lines <= 2
            assert short.stopped_by == "lines" or free.n_lines <= 2
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
    optimizer: Optimizer, objective: LinearObjective, space: ParameterSpace, start: F64, callback: Any = None
) -> Ascent:
    return optimizer.maximize(objective, space, start=start, rng=np.random.default_rng(3), callback=callback)
