"""Every optimizer keeps the contract, and the contract catches optimizers that do not."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import pytest

from rankmax.errors import IncompatibleError
from rankmax.optimizers.coordinate_ascent import CoordinateAscent
from rankmax.optimizers.expected_metric_ascent import ExpectedMetricAscent
from rankmax.optimizers.forward_selection import ForwardSelection
from rankmax.optimizers.grid_search import GridSearch
from rankmax.optimizers.iterated_ascent import IteratedAscent
from rankmax.optimizers.optimizer import Budget
from rankmax.optimizers.powell import Powell
from rankmax.optimizers.smoothed_ascent import SmoothedAscent
from rankmax.optimizers.steepest_ascent import SteepestAscent
from rankmax.spaces import AugmentedSimplex, Simplex
from rankmax.testing.optimizers import OptimizerContract


class TestCoordinateAscent(OptimizerContract):
    optimizers = (CoordinateAscent(), CoordinateAscent(shuffled=True), CoordinateAscent(min_entry_gain=0.05))


class TestForwardSelection(OptimizerContract):
    optimizers = (ForwardSelection(), ForwardSelection(max_features=2, min_gain=0.0))


class TestPowell(OptimizerContract):
    optimizers = (Powell(), Powell(conjugate=True))


class TestSteepestAscent(OptimizerContract):
    optimizers = (SteepestAscent(), SteepestAscent(step=0.2))


class TestSmoothedAscent(OptimizerContract):
    optimizers = (SmoothedAscent(), SmoothedAscent(widths=(0.5,), patience=2))


class TestIteratedAscent(OptimizerContract):
    optimizers = (IteratedAscent(n_escapes=1, ascent=SmoothedAscent(patience=3)),)


class TestExpectedMetricAscent(OptimizerContract):
    """All but rising: it is the expected metric that rises, as test_expected_metric_ascent.py tells."""

    optimizers = (ExpectedMetricAscent(), ExpectedMetricAscent(sigma=0.2, n_cycles=2))
    test_never_ends_below_its_start = None  # type: ignore[assignment]
    test_history_rises_from_the_start_to_the_result = None  # type: ignore[assignment]
    test_an_interrupt_returns_the_best_so_far = None  # type: ignore[assignment]


@dataclass(frozen=True)
class Wandering(CoordinateAscent):
    """Uses all that a state offers: jumps down, draws at random, and evaluates many points."""

    def ascend(self, state, rng):
        for _ in range(3):
            super().ascend(state, rng)
            points = [state.space.sample(state.objective.n_features, rng) for _ in range(4)]
            state.jump(points[np.argmax(state.values(points))])


class TestWandering(OptimizerContract):
    optimizers = (Wandering(shuffled=True),)


class TestGridSearch(OptimizerContract):
    optimizers = (GridSearch(step=0.25), GridSearch(step=1 / 7))
    spaces = (Simplex(), AugmentedSimplex())


@dataclass(frozen=True)
class Sinking(CoordinateAscent):
    """Ends at the worst of a few samples."""

    def maximize(self, objective, space, *, start, rng, callback=None, journal=None):
        ascent = super().maximize(objective, space, start=start, rng=rng, callback=callback, journal=journal)
        points = [objective.at(space.sample(objective.n_features, rng)) for _ in range(9)]
        worst = min(points, key=lambda point: point.value)
        return replace(ascent, weights=worst.weights, value=worst.value)


@dataclass(frozen=True)
class Escaping(CoordinateAscent):
    def maximize(self, objective, space, *, start, rng, callback=None, journal=None):
        ascent = super().maximize(objective, space, start=start, rng=rng, callback=callback, journal=journal)
        return replace(ascent, weights=3.0 * ascent.weights)


@dataclass(frozen=True)
class Boasting(CoordinateAscent):
    def maximize(self, objective, space, *, start, rng, callback=None, journal=None):
        ascent = super().maximize(objective, space, start=start, rng=rng, callback=callback, journal=journal)
        return replace(ascent, value=ascent.value + 1e-12)


@dataclass(frozen=True)
class Moody(CoordinateAscent):
    moods: np.random.Generator = field(default_factory=lambda: np.random.default_rng(0))

    def maximize(self, objective, space, *, start, rng, callback=None, journal=None):
        rescaled = np.asarray(start) + 0.1 * self.moods.random(len(start))
        return super().maximize(objective, space, start=rescaled, rng=rng, callback=callback, journal=journal)


@dataclass(frozen=True)
class Spendthrift(CoordinateAscent):
    def ascend(self, state, rng):
        state._budget = Budget()
        super().ascend(state, rng)


@dataclass(frozen=True)
class Careless(CoordinateAscent):
    """Changes what it was given."""

    def maximize(self, objective, space, *, start, rng, callback=None, journal=None):
        ascent = super().maximize(objective, space, start=start, rng=rng, callback=callback, journal=journal)
        start[:] = ascent.weights
        return ascent


@dataclass(frozen=True)
class Deaf(CoordinateAscent):
    def maximize(self, objective, space, *, start, rng, callback=None, journal=None):
        heard = []
        ascent = super().maximize(objective, space, start=start, rng=rng, callback=heard.append, journal=journal)
        for progress in heard if callback else ():
            try:
                callback(progress)
            except KeyboardInterrupt:
                continue
        return ascent


@dataclass(frozen=True)
class Forgetful(CoordinateAscent):
    """Keeps no journal."""

    def maximize(self, objective, space, *, start, rng, callback=None, journal=None):
        return super().maximize(objective, space, start=start, rng=rng, callback=callback)


@dataclass(frozen=True)
class Impatient(CoordinateAscent):
    """Begins somewhere else when it is resumed."""

    def ascend(self, state, rng):
        if not (state._journal and state._journal.is_replaying):
            state.jump(state.space.sample(state.objective.n_features, rng))
        super().ascend(state, rng)


@dataclass(frozen=True)
class Grasping(CoordinateAscent):
    """Goes on for as much again when it is resumed."""

    def maximize(self, objective, space, *, start, rng, callback=None, journal=None):
        lines = self.budget.lines
        more = self if lines is None or not journal or not journal.entries else replace(self, budget=Budget(2 * lines))
        return super(Grasping, more).maximize(
            objective, space, start=start, rng=rng, callback=callback, journal=journal
        )


@pytest.mark.parametrize(
    ("optimizer", "test"),
    [
        (Sinking(), "test_never_ends_below_its_start"),
        (Escaping(), "test_ends_inside_its_space"),
        (Boasting(), "test_value_is_that_of_the_weights"),
        (Boasting(), "test_history_rises_from_the_start_to_the_result"),
        (Moody(), "test_same_seed_gives_the_same_bits"),
        (Careless(), "test_leaves_its_start_alone"),
        (Spendthrift(), "test_budget_is_respected"),
        (Deaf(), "test_an_interrupt_returns_the_best_so_far"),
        (Forgetful(), "test_resumes_to_the_same_bits"),
        (Grasping(), "test_what_is_replayed_counts_for_the_budget"),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_a_wrong_optimizer_is_caught(optimizer, test):
    contract = OptimizerContract()
    contract.optimizers = [optimizer]
    with pytest.raises(AssertionError):
        getattr(contract, test)()


@pytest.mark.parametrize("test", ["test_resumes_to_the_same_bits", "test_resumes_after_an_interrupt"])
def test_an_optimizer_that_strays_from_its_journal_is_caught(test):
    contract = OptimizerContract()
    contract.optimizers = [Impatient()]
    with pytest.raises(IncompatibleError, match="the journal does not belong to this ascent"):
        getattr(contract, test)()


def test_an_empty_contract_fails():
    with pytest.raises(AssertionError):
        OptimizerContract().test_there_is_an_optimizer_to_test()
