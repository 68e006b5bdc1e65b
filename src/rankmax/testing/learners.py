"""The contract of a learner, as tests to inherit."""

from __future__ import annotations

import inspect
import json
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rankmax._arrays import F64
from rankmax.data.dataset import RankingDataset
from rankmax.data.synthetic import PlantedProblem, planted_linear
from rankmax.errors import RankmaxError, TiedScoresWarning
from rankmax.learners.tied_scores import all_tied
from rankmax.models.model_files import model_from_json


class LearnerContract:
    """Tests that every learner passes; inherit in a test class whose name starts with ``Test``.

    A learner follows scikit-learn: ``fit(X, y, *, qid)`` returns the learner, ``predict(X, *, qid)`` returns one
    score per row, ``get_params`` and ``set_params`` access the arguments of its constructor. Where it has a
    `model_`, that is checked too.

    Attributes
    ----------
    learners : sequence of learners
        The learner under test, with all parameters to test; the tests fit copies.
    agreement : float
        Share of the pairs of documents with different grades that it must order correctly on new queries of a
        problem whose grades follow a linear score with a little noise.
    closeness : float
        Largest change of the scores, relative to their range, when the rows of the training data are reordered.

    Examples
    --------
    >>> from rankmax import LeastSquaresRanker
    >>> class TestMyLearner(LearnerContract):
    ...     learners = [LeastSquaresRanker()]
    >>> TestMyLearner().test_parameters_come_back()
    """

    learners: Sequence[Any] = ()
    agreement: float = 0.9
    closeness: float = 1e-6

    def test_parameters_come_back(self) -> None:
        """The parameters rebuild the learner, which stores them unchanged."""
        for learner in self.learners:
            parameters = learner.get_params()
            twin = type(learner)(**parameters)
            assert all(value is parameters[name] for name, value in twin.get_params().items())
            assert twin.set_params(**parameters) is twin
            assert twin.get_params() == parameters

    def test_unknown_parameter_is_refused(self) -> None:
        """A misspelled parameter is an error, not an attribute."""
        for learner in self._copies():
            assert _refused(lambda learner=learner: learner.set_params(no_such_parameter=1))  # type: ignore[misc]

    def test_options_are_parameters_with_the_same_defaults(self) -> None:
        """The command line shows the defaults that the class has, and normalizes only if asked to."""
        for learner in self._copies():
            parameters = dict(inspect.signature(type(learner)).parameters)
            if "normalization" in parameters:
                assert parameters["normalization"].default == "none"
            parameters |= inspect.signature(learner.fit_dataset).parameters
            for option in getattr(learner, "options", ()):
                if option.default is not None and option.name in parameters:
                    assert parameters[option.name].default == option.default, option.name

    def test_values_that_an_option_does_not_allow_are_refused(self) -> None:
        """Also where the class is used from Python."""
        X, y, qid = _arrays(_problem())
        for learner in self._copies():
            for option in getattr(learner, "options", ()):
                if option.choices and option.name in learner.get_params():
                    wrong = type(learner)(**{**learner.get_params(), option.name: "no such choice"})
                    assert _refused(lambda wrong=wrong: wrong.fit(X, y, qid=qid))  # type: ignore[misc]

    def test_predicting_before_fitting_is_refused(self) -> None:
        """An unfitted learner cannot predict."""
        for learner in self._copies():
            assert _refused(lambda learner=learner: learner.predict([[1.0]], qid=[1]))  # type: ignore[misc]

    def test_fit_returns_the_learner_and_leaves_parameters_and_data_alone(self) -> None:
        """Fitting does not change its arguments."""
        for learner in self._copies():
            parameters = learner.get_params()
            X, y, qid = _arrays(_problem())
            given = X.copy(), y.copy(), qid.copy()
            assert learner.fit(X, y, qid=qid) is learner
            assert learner.get_params() == parameters
            assert all(np.array_equal(*pair) for pair in zip((X, y, qid), given, strict=True))

    def test_learns_a_planted_problem(self) -> None:
        """Most pairs of held-out documents are ordered by their grades."""
        train, test = _problem().data.select(np.arange(20)), _problem().data.select(np.arange(20, 30))
        for learner in self._copies():
            learner.fit(*_matrix(train), qid=_qid(train))
            scores = learner.predict(test.features, qid=_qid(test))
            assert _agreement(scores, test) >= self.agreement

    def test_fitting_twice_gives_the_same_bits(self) -> None:
        """The same data, parameters and seed lead to the same scores, whatever was fitted before."""
        X, y, qid = _arrays(_problem())
        for learner in self._copies():
            first = learner.fit(X, y, qid=qid).predict(X, qid=qid)
            learner.fit(X[:, :2], y, qid=qid)
            assert np.array_equal(learner.fit(X, y, qid=qid).predict(X, qid=qid), first)

    def test_scores_follow_the_rows(self) -> None:
        """Rows in another order get the same scores, but for the rounding of sums over a query's rows."""
        X, y, qid = _arrays(_problem())
        order = np.random.default_rng(5).permutation(len(X))
        for learner in self._copies():
            scores = learner.fit(X, y, qid=qid).predict(X, qid=qid)
            moved = learner.predict(X[order], qid=qid[order])
            assert np.abs(moved - scores[order]).max() <= 1e-12 * np.abs(scores).max()

    def test_names_of_queries_do_not_matter(self) -> None:
        """A query id is only a name."""
        X, y, qid = _arrays(_problem())
        for learner in self._copies():
            scores = learner.fit(X, y, qid=qid).predict(X, qid=qid)
            renamed = np.array([f"query {q}" for q in qid])
            again = learner.fit(X, y, qid=renamed).predict(X, qid=renamed)
            assert np.array_equal(again, scores)

    def test_order_of_queries_hardly_matters(self) -> None:
        """Training data in another order changes rounding only."""
        X, y, qid = _arrays(_problem())
        for learner in self._copies():
            scores = learner.fit(X, y, qid=qid).predict(X, qid=qid)
            again = learner.fit(X[::-1], y[::-1], qid=qid[::-1]).predict(X, qid=qid)
            assert np.abs(again - scores).max() <= self.closeness * np.ptp(scores)

    def test_difficult_data_gives_finite_scores(self) -> None:
        """Constant and repeated features, a single query, and queries without relevant documents."""
        X, y, qid = _arrays(_problem())
        awkward = np.column_stack([np.ones(len(X)), X[:, 0], X[:, 0], X])
        nothing_relevant = np.where(qid == qid[0], 0.0, y)
        for learner in self._copies():
            for grades, queries in ((y, qid), (y, np.zeros_like(qid)), (nothing_relevant, qid)):
                scores = learner.fit(awkward, grades, qid=queries).predict(awkward, qid=queries)
                assert scores.shape == grades.shape
                assert np.isfinite(scores).all()

    def test_ranking_by_ties_alone_is_never_silent(self) -> None:
        """Where all documents of a query score the same, training raised an error of rankmax or warned."""
        X, y, qid = _arrays(_problem())
        constant = X[np.unique(qid, return_index=True)[1]][qid]  # within each query
        order = np.argsort(qid, kind="stable")
        offsets = np.append(0, np.cumsum(np.unique(qid, return_counts=True)[1]))
        for learner in self._copies():
            for features in (X, constant, np.zeros_like(X)):
                with warnings.catch_warnings(record=True) as said:
                    warnings.simplefilter("always")
                    try:
                        scores = learner.fit(features, y, qid=qid).predict(features, qid=qid)
                    except RankmaxError:
                        continue
                warned = any(issubclass(warning.category, TiedScoresWarning) for warning in said)
                assert warned or not all_tied(scores[order], offsets)

    def test_bad_data_is_refused(self) -> None:
        """NaN features, negative grades and lengths that differ raise an error of rankmax."""
        X, y, qid = _arrays(_problem())
        with_nan = np.where(np.arange(X.size).reshape(X.shape) == 7, np.nan, X)
        for learner in self._copies():
            for given in ((with_nan, y, qid), (X, y - 5, qid), (X, y[:-1], qid), (X, y, qid[:-1])):
                assert _refused(lambda learner=learner, given=given: learner.fit(*given[:2], qid=given[2]))  # type: ignore[misc]

    def test_model_scores_as_the_learner_and_survives_json(self) -> None:
        """The model alone predicts what the learner predicts, by feature name, before and after saving."""
        data = _problem().data
        mirrored = data.select_features(data.feature_names[::-1])
        for learner in self._copies():
            learner.fit(*_matrix(data), qid=_qid(data))
            if not hasattr(learner, "model_"):
                continue
            scores = learner.predict(data.features, qid=_qid(data))
            content = learner.model_.to_json()
            json.loads(content)
            for model in (learner.model_, model_from_json(content)):
                assert np.array_equal(model.scores(data), scores)
                assert np.array_equal(model.scores(mirrored), scores)

    def _copies(self) -> Iterator[Any]:
        for learner in self.learners:
            yield type(learner)(**learner.get_params())


def _problem() -> PlantedProblem:
    return planted_linear(30, 20, 5, noise=0.05, seed=11)


def _qid(data: RankingDataset) -> ArrayLike:
    return data.judgments.query_of_document


def _matrix(data: RankingDataset) -> tuple[Any, F64]:
    return data.features, data.grades


def _arrays(problem: PlantedProblem) -> tuple[Any, F64, Any]:
    data = problem.data
    return np.array(data.features), data.grades, np.array(_qid(data))


def _agreement(scores: F64, data: RankingDataset) -> float:
    """Return the share of pairs of one query, with different grades, that the scores order as the grades do."""
    right = pairs = 0
    for first, stop in zip(data.query_offsets[:-1], data.query_offsets[1:], strict=True):
        better = data.grades[first:stop, None] > data.grades[None, first:stop]
        right += int((better & (scores[first:stop, None] > scores[None, first:stop])).sum())
        pairs += int(better.sum())
    return right / pairs


def _refused(action: Callable[[], object]) -> bool:
    try:
        action()
    except RankmaxError:
        return True
    return False
