"""What holds for every surrogate, against its definition and finite differences."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import check_grad

from oracles import losses as oracle
from rankmax.data.judgments import Judgments
from rankmax.errors import InvalidDataError, InvalidParameterError, UnknownNameError
from rankmax.losses.cross_entropy import CrossEntropy, ProportionalCrossEntropy
from rankmax.losses.pairwise_logistic import PairwiseLogistic
from rankmax.losses.plackett_luce import PlackettLuce
from rankmax.losses.rank_cosine import Cosine
from rankmax.losses.smooth_ndcg import SmoothNDCG
from rankmax.losses.squared import Squared
from rankmax.losses.surrogate_loss import Surrogate

LOSSES: list[tuple[Surrogate, oracle.QueryLoss]] = [
    (CrossEntropy(alpha=0.5), oracle.cross_entropy(0.5)),
    (CrossEntropy(alpha=3.0, gain="exp2"), oracle.cross_entropy(3.0)),
    (ProportionalCrossEntropy(), oracle.proportional_cross_entropy),
    (ProportionalCrossEntropy(gain="exp2"), oracle.proportional_cross_entropy),
    (PairwiseLogistic(), oracle.pairwise_logistic(weighted=False)),
    (PairwiseLogistic(gain="exp2", weighted=True), oracle.pairwise_logistic(weighted=True)),
    (PlackettLuce(), oracle.plackett_luce),
    (SmoothNDCG(smoothing=20.0, cutoff=3), oracle.smooth_ndcg(20.0, 3)),
    (SmoothNDCG(smoothing=100.0, cutoff=None, gain="linear"), oracle.smooth_ndcg(100.0, 99)),
    (Cosine(), oracle.cosine),
    (Squared(gain="exp2"), oracle.squared),
]
every_loss = pytest.mark.parametrize("loss", [loss for loss, _ in LOSSES], ids=str)
every_shift_free_loss = pytest.mark.parametrize(
    "loss", [loss for loss, _ in LOSSES if not isinstance(loss, Cosine | Squared)], ids=str
)

QUERY_LENGTHS = [3, 1, 0, 4, 2, 6]  # the last is sure to count
OFFSETS = np.cumsum([0, *QUERY_LENGTHS])
LAST_GRADES = [0, 1, 2, 0, 1, 0]


@st.composite
def problems(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    n = int(OFFSETS[-1])
    scores = draw(arrays(np.float64, n, elements=st.floats(-20, 20)))
    grades = draw(arrays(np.float64, n - 6, elements=st.sampled_from([np.nan, 0.0, 1.0, 2.0])))
    return scores, np.append(grades, LAST_GRADES)


@pytest.mark.parametrize(("loss", "definition"), LOSSES, ids=[str(loss) for loss, _ in LOSSES])
@given(problem=problems())
def test_equals_its_definition(
    loss: Surrogate, definition: oracle.QueryLoss, problem: tuple[np.ndarray, np.ndarray]
) -> None:
    scores, grades = problem
    known = np.nan_to_num(grades)  # documents that nobody judged have gain 0
    gains = known if loss.gain == "linear" else 2**known - 1
    value, _ = loss.value_and_gradient(scores, Judgments.from_grades(grades, OFFSETS))
    expected = oracle.mean_loss(definition, scores.tolist(), gains.tolist(), OFFSETS.tolist())
    assert value == pytest.approx(expected, rel=1e-9, abs=1e-12)


@every_loss
@given(problem=problems())
def test_the_gradient_equals_finite_differences(loss: Surrogate, problem: tuple[np.ndarray, np.ndarray]) -> None:
    scores, grades = problem
    judgments = Judgments.from_grades(grades, OFFSETS)
    _, gradient = loss.value_and_gradient(scores, judgments)
    numerical = oracle.numerical_gradient(lambda s: loss.value_and_gradient(s, judgments)[0], scores)
    smooth = np.ones(scores.size, np.bool_)
    if isinstance(loss, SmoothNDCG):  # has kinks where two documents change places
        query = judgments.query_of_document
        near = np.abs(scores[:, None] - scores) < 1e-4
        smooth = (near & (query[:, None] == query)).sum(axis=1) == 1
    if isinstance(loss, Cosine):  # has none at 0, and bends the more the nearer
        smooth = np.sqrt(np.bincount(judgments.query_of_document, scores**2))[judgments.query_of_document] > 1e-2
    np.testing.assert_allclose(gradient[smooth], numerical[smooth], atol=1e-6, rtol=1e-5)


@every_loss
@given(problem=problems())
def test_scipy_finds_the_gradient_right(loss: Surrogate, problem: tuple[np.ndarray, np.ndarray]) -> None:
    scores, grades = problem[0] + np.linspace(0, 1, problem[0].size), problem[1]
    judgments = Judgments.from_grades(grades, OFFSETS)
    error = check_grad(
        lambda s: loss.value_and_gradient(s, judgments)[0],
        lambda s: loss.value_and_gradient(s, judgments)[1],
        scores,
        direction="random",
        rng=np.random.default_rng(1),
    )
    assert error < 1e-3


@every_loss
@given(first=problems(), other=arrays(np.float64, int(OFFSETS[-1]), elements=st.floats(-20, 20)), share=st.floats(0, 1))
def test_a_convex_loss_lies_below_its_chords(
    loss: Surrogate, first: tuple[np.ndarray, np.ndarray], other: np.ndarray, share: float
) -> None:
    judgments = Judgments.from_grades(first[1], OFFSETS)
    between, here, there = (
        loss.value_and_gradient(scores, judgments)[0]
        for scores in ((1 - share) * first[0] + share * other, first[0], other)
    )
    if loss.convex:
        assert between <= (1 - share) * here + share * there + 1e-9


@every_shift_free_loss
@given(problem=problems(), shift=arrays(np.float64, len(QUERY_LENGTHS), elements=st.floats(-50, 50)))
def test_a_constant_added_to_a_query_changes_nothing(
    loss: Surrogate, problem: tuple[np.ndarray, np.ndarray], shift: np.ndarray
) -> None:
    scores, grades = problem[0] + np.linspace(0, 1, problem[0].size), problem[1]  # a tie may be a kink
    judgments = Judgments.from_grades(grades, OFFSETS)
    value, gradient = loss.value_and_gradient(scores, judgments)
    shifted_value, shifted_gradient = loss.value_and_gradient(scores + np.repeat(shift, QUERY_LENGTHS), judgments)
    assert shifted_value == pytest.approx(value, abs=1e-10)
    np.testing.assert_allclose(shifted_gradient, gradient, atol=1e-10)
    np.testing.assert_allclose(np.add.reduceat(gradient, [0, 3, 4, 8, 10]), 0, atol=1e-12)


@every_loss
@given(
    scores=arrays(np.float64, 6, elements=st.floats(allow_nan=False, allow_infinity=False)),
    data=st.data(),
)
def test_any_finite_scores_have_a_loss_and_a_finite_gradient(
    loss: Surrogate, scores: np.ndarray, data: st.DataObject
) -> None:
    if isinstance(loss, Squared):
        scores = scores / 4  # its gradient is twice the distance
    grades = data.draw(st.permutations([0.0, 0.0, 1.0, 2.0, 7.0, np.nan]))
    value, gradient = loss.value_and_gradient(scores, Judgments.from_grades(grades, [0, 6]))
    assert value >= 0  # infinity where scores differ by more than a float64 can hold
    assert np.isfinite(gradient).all()


@every_loss
def test_queries_whose_gains_are_equal_are_left_out(loss: Surrogate) -> None:
    alone = loss.value_and_gradient(np.array([0.3, 0.1]), Judgments.from_grades([0, 1], [0, 2]))
    scores = np.array([5.0, 0.3, 0.1, 1.0, 2.0, 3.0, 4.0])
    value, gradient = loss.value_and_gradient(
        scores, Judgments.from_grades([1, 0, 1, 2, 2, 0, np.nan], [0, 1, 3, 5, 7])
    )
    assert value == alone[0]
    assert gradient.tolist() == [0, *alone[1].tolist(), 0, 0, 0, 0]


@every_loss
def test_better_scores_lose_less(loss: Surrogate) -> None:
    judgments = Judgments.from_grades([0, 1, 2], [0, 3])
    right, level, wrong = (
        loss.value_and_gradient(np.array(scores), judgments)[0]
        for scores in ([-0.5, 0.0, 0.5], [0.0, 0.0, 0.0], [0.5, 0.0, -0.5])
    )
    assert right < level < wrong


@every_loss
def test_mistakes_are_named(loss: Surrogate) -> None:
    judgments = Judgments.from_grades([0, 1], [0, 2])
    with pytest.raises(InvalidDataError, match=r"scores have shape \(3,\); expected \(2,\)"):
        loss.value_and_gradient(np.zeros(3), judgments)
    with pytest.raises(InvalidDataError, match=r"scores\[1\] is NaN"):
        loss.value_and_gradient(np.array([0.0, np.nan]), judgments)
    with pytest.raises(InvalidDataError, match=r"scores\[1\] is inf; a loss needs finite scores"):
        loss.value_and_gradient(np.array([0.0, np.inf]), judgments)
    with pytest.raises(InvalidDataError, match="no document is judged"):
        loss.value_and_gradient(np.zeros(2), Judgments.from_grades([np.nan, np.nan], [0, 2]))
    with pytest.raises(InvalidDataError, match="no query has documents of different gain"):
        loss.value_and_gradient(np.zeros(2), Judgments.from_grades([1, 1], [0, 2]))
    with pytest.raises(UnknownNameError, match="unknown gain of"):
        type(loss)(gain="cubic")
    with pytest.raises(InvalidParameterError, match="nonnegative numbers"):
        type(loss)(gain=(0, -1))


def test_equal_parameters_make_equal_losses() -> None:
    assert CrossEntropy(alpha=np.float64(2), gain=np.array([0, 1])) == CrossEntropy(alpha=2.0, gain=(0, 1))  # type: ignore[arg-type]


@every_loss
@given(problem=problems())
def test_a_whole_weight_stands_for_that_many_equal_queries(
    loss: Surrogate, problem: tuple[np.ndarray, np.ndarray]
) -> None:
    scores, grades = problem
    judgments = Judgments.from_grades(grades, OFFSETS)
    counts = np.array([2, 0, 1, 0, 3, 1])
    repeated = judgments.select(np.repeat(np.arange(counts.size), counts))
    documents = np.concatenate([np.arange(OFFSETS[q], OFFSETS[q + 1]) for q in np.repeat(np.arange(6), counts)])
    value, gradient = loss.value_and_gradient(scores, judgments, query_weights=counts.astype(float))
    expected, by_copy = loss.value_and_gradient(scores[documents], repeated)
    assert value == pytest.approx(expected, rel=1e-9, abs=1e-12)
    total = np.zeros_like(scores)
    np.add.at(total, documents, by_copy)
    np.testing.assert_allclose(gradient, total, atol=1e-12)
