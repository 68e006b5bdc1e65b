"""The contract of a loss, as tests to inherit."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rankmax._arrays import F64
from rankmax.data.judgments import Judgments
from rankmax.losses.surrogate_loss import Surrogate

_OFFSETS = np.array([0, 4, 7, 9, 15])
_GRADES = [0, 1, 2, 0, 1, 1, 1, 2, 0, 0, 1, 0, 2, 1, 0]  # those of the second query are all equal
_STEP = 1e-5


class LossContract:
    """Tests that every loss passes; inherit in a test class whose name starts with ``Test``.

    Attributes
    ----------
    losses : sequence of Surrogate
        The loss under test, with the parameters worth testing.
    closeness : float
        How far the gradient may be from finite differences.

    Examples
    --------
    >>> from rankmax.losses import Squared
    >>> class TestSquared(LossContract):
    ...     losses = (Squared(), Squared(gain="exp2"))
    >>> TestSquared().test_the_gradient_is_that_of_the_value()
    """

    losses: Sequence[Surrogate] = ()
    closeness: float = 1e-6

    def definition(self, loss: Surrogate, scores: Sequence[float], gains: Sequence[float]) -> float | None:
        """Return the loss of one query straight from its formula; None where the contract is not to compare.

        Parameters
        ----------
        loss : Surrogate
        scores, gains : sequences of float
        """
        return None

    def test_the_value_is_that_of_the_definition(self) -> None:
        """Each query's loss is what the formula says."""
        for loss in self.losses:
            scores, gains = _scores(), loss.document_gains(_judgments())
            values, _ = loss.by_query(scores, gains, _OFFSETS)
            for q, span in enumerate(map(slice, _OFFSETS[:-1], _OFFSETS[1:])):
                expected = self.definition(loss, scores[span].tolist(), gains[span].tolist())
                assert (
                    expected is None or np.isnan(values[q]) or abs(values[q] - expected) <= 1e-9 * (1 + abs(expected))
                )

    def test_the_gradient_is_that_of_the_value(self) -> None:
        """The gradient equals finite differences."""
        for loss in self.losses:
            scores = _scores()
            _, gradient = loss.value_and_gradient(scores, _judgments())
            for document, slope in enumerate(gradient):
                step = _STEP * np.eye(scores.size)[document]
                above, below = (loss.value_and_gradient(scores + sign * step, _judgments())[0] for sign in (1, -1))
                assert abs((above - below) / (2 * _STEP) - slope) <= self.closeness

    def test_queries_of_equal_gain_are_left_out(self) -> None:
        """They have no loss and no gradient: nothing can be said about their order."""
        for loss in self.losses:
            values, gradient = loss.by_query(_scores(), loss.document_gains(_judgments()), _OFFSETS)
            assert np.isnan(values).tolist() == [False, True, False, False]
            assert not gradient[_OFFSETS[1] : _OFFSETS[2]].any()

    def test_scores_are_left_alone(self) -> None:
        """A loss changes nothing that it is given."""
        for loss in self.losses:
            scores = _scores()
            loss.value_and_gradient(scores, _judgments())
            assert np.array_equal(scores, _scores())

    def test_queries_do_not_influence_each_other(self) -> None:
        """A query's loss is the same beside other queries."""
        for loss in self.losses:
            scores, gains = _scores(), loss.document_gains(_judgments())
            values, _ = loss.by_query(scores, gains, _OFFSETS)
            moved = scores.copy()
            moved[: _OFFSETS[1]] += np.arange(_OFFSETS[1])
            assert np.array_equal(loss.by_query(moved, gains, _OFFSETS)[0][1:], values[1:], equal_nan=True)


def _judgments() -> Judgments:
    return Judgments.from_grades(_GRADES, _OFFSETS)


def _scores() -> F64:
    scores: F64 = np.random.default_rng(1).normal(size=len(_GRADES))
    return scores
