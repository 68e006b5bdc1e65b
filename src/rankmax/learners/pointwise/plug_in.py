"""Plug-in estimator: ranks by the expected gain under any classifier of grades."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from rankmax._arrays import F64, I64
from rankmax.data.content_hash import data_hash
from rankmax.data.dataset import RankingDataset
from rankmax.data.feature_matrix import take_rows
from rankmax.data.splits import k_folds
from rankmax.errors import IncompatibleError, InvalidDataError
from rankmax.learners.learner import MetricLearner
from rankmax.learners.surrogate.scoring.grade_gains import gains_of
from rankmax.metrics.gains import Gain
from rankmax.metrics.metric import Metric
from rankmax.models import Provenance
from rankmax.models.expected_gain_model import ExpectedGainModel
from rankmax.models.provenance import Parameter
from rankmax.preprocessing.feature_normalization import Normalization, Unchanged

_CALIBRATION_FOLDS = 5
_SAME = 1e-6  # how far probabilities may be from a softmax of linear functions and still be one


@dataclass(frozen=True, eq=False)
class ClassifierModel:
    """Scores documents by their expected gain under a fitted classifier; it has no file format.

    Attributes
    ----------
    classifier : classifier
        Fitted classifier with ``predict_proba``; its classes are the indices of the grades, starting at 0.
    grades, gains : arrays of float64, shape (n_levels,)
    feature_names : tuple of str
    normalization : Normalization

    Examples
    --------
    >>> class Coin:
    ...     classes_ = np.array([0, 1])
    ...     def predict_proba(self, X):
    ...         return np.full((len(X), 2), 0.5)
    >>> model = ClassifierModel(Coin(), np.array([0.0, 2.0]), np.array([0.0, 3.0]), ("bm25",))
    >>> model.scores(RankingDataset.from_arrays([[1.0], [2.0]], [0, 1], qid=[7, 7], feature_names=["bm25"]))
    array([1.5, 1.5])
    """

    classifier: Any
    grades: F64
    gains: F64
    feature_names: tuple[str, ...]
    normalization: Normalization = field(default_factory=Unchanged)

    def probabilities(self, data: RankingDataset) -> F64:
        """Return the probability of each grade for each document, shape (n_documents, n_levels).

        Parameters
        ----------
        data : RankingDataset
            Must have every feature, under its name; others are ignored.
        """
        view = self.normalization.apply(data.select_features(self.feature_names))
        found = np.asarray(self.classifier.predict_proba(_matrix(view, np.arange(view.n_documents))), np.float64)
        shares = np.zeros((view.n_documents, self.grades.size))
        shares[:, np.asarray(self.classifier.classes_, np.int64)] = found
        return shares

    def scores(self, data: RankingDataset) -> F64:
        """Return the expected gain of each document.

        Parameters
        ----------
        data : RankingDataset
            Must have every feature, under its name; others are ignored.
        """
        scores: F64 = (self.probabilities(data) * self.gains).sum(axis=1)
        return scores

    def to_json(self) -> bytes:
        """Raise an error: another library's classifier has no JSON."""
        raise IncompatibleError(
            f"a model of {type(self.classifier).__name__} cannot be written as JSON; "
            "multinomial logistic regression can"
        )


class PlugInRanker(MetricLearner):
    r"""Estimate the probability of each grade with a classifier, and rank by the expected gain.

    .. math:: h(x) = \sum_j \hat P(r = j \mid x) \, G(j)

    With the true probabilities, no order has a higher expected value of a DCG-like metric with the gain G
    (Proposition 1). Estimated probabilities have no such guarantee, and the paper found them below ListNet.

    Parameters
    ----------
    classifier : classifier
        Classifier with scikit-learn's interface: ``fit(X, y)``, and ``predict_proba(X)`` or else ``decision_function``,
        from which Platt scaling estimates probabilities (by cross-validation over queries; needs scikit-learn). A copy
        is fitted.
    gain : str, tuple of float or Metric
        The gain G: "linear", "exp2", a table by grade, or a DCG-like metric, whose gain is taken.
    metric : str or Metric
        Metric that `score` returns. It is not used in training.
    normalization : str or Normalization
        Applied within each query before fitting, and again when predicting.
    seed : int
        Nonnegative random seed, for the folds of Platt scaling.

    Attributes
    ----------
    model_ : ExpectedGainModel or ClassifierModel
        The former, which can be written as JSON, where the probabilities are a softmax of linear functions, as those of
        multinomial logistic regression are.
    classifier_ : classifier
        The fitted classifier, whose classes are the indices of the grades, starting at 0.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from rankmax.data import planted_linear
    >>> data = planted_linear(30, 10, 3, noise=0.2, seed=1).data
    >>> ranker = PlugInRanker(LogisticRegression()).fit_dataset(data)
    >>> type(ranker.model_).__name__, ranker.model_.probabilities(data)[0].round(1)
    ('ExpectedGainModel', array([0.3, 0.4, 0.3]))

    With gradient-boosted trees: ``PlugInRanker(lightgbm.LGBMClassifier())``; with a support vector machine, calibrated:
    ``PlugInRanker(sklearn.svm.LinearSVC())``.

    References
    ----------
    Yang, Ravikumar & Lease 2010, Algorithm 1. Platt 1999, Probabilistic outputs for support vector machines.
    """

    def __init__(
        self,
        classifier: Any,
        gain: Gain | Metric = "exp2",
        metric: str | Metric = "nDCG@10",
        normalization: str | Normalization = "none",
        seed: int = 0,
    ) -> None:
        self.classifier = classifier
        self.gain = gain
        self.metric = metric
        self.normalization = normalization
        self.seed = seed

    def fit_dataset(self, data: RankingDataset) -> Self:
        """Learn from the judged documents of a data set.

        Parameters
        ----------
        data : RankingDataset
        """
        normalization = Normalization.named(self.normalization)
        judged = np.flatnonzero(~np.isnan(data.grades))
        grades, level = np.unique(data.grades[judged], return_inverse=True)
        if grades.size < 2:
            found = f"all have grade {grades[0]:g}" if grades.size else "none is judged"
            raise InvalidDataError(f"documents of two grades or more are needed to tell grades apart; {found}")
        gains = gains_of(self.gain, grades)
        normalized = normalization.apply(data)
        X = _matrix(normalized, judged)
        self.classifier_ = self._probabilistic(data, judged).fit(X, level)
        model = ClassifierModel(self.classifier_, grades, gains, data.feature_names, normalization)
        linear = _as_softmax(self.classifier_, X, grades.size)
        if linear is None:
            self.model_ = model
        else:
            provenance = Provenance(
                learner=type(self).__name__,
                parameters=self._described_parameters(),
                seed=int(self.seed),
                data_hash=data_hash(data),
            )
            self.model_ = ExpectedGainModel(
                grades, gains, *linear, data.feature_names, normalization, self._metric().name, provenance
            )
        return self

    def _probabilistic(self, data: RankingDataset, judged: I64) -> Any:
        """Return an unfitted copy of the classifier, calibrated if it has no probabilities."""
        if not hasattr(self.classifier, "fit"):
            raise IncompatibleError(f"{self.classifier!r} is no classifier: it has no method fit")
        from sklearn.base import clone

        if hasattr(self.classifier, "predict_proba"):
            return clone(self.classifier)
        if not hasattr(self.classifier, "decision_function"):
            raise IncompatibleError(
                f"{type(self.classifier).__name__} has neither predict_proba nor decision_function, "
                "so there is nothing to estimate probabilities from"
            )
        from sklearn.calibration import CalibratedClassifierCV

        query = data.judgments.query_of_document[judged]
        if data.n_queries < 2:
            raise InvalidDataError("Platt scaling needs two queries or more, to calibrate on others than it fits to")
        folds = k_folds(data, min(_CALIBRATION_FOLDS, data.n_queries), seed=int(self.seed), stratified=True)
        splits = [(np.flatnonzero(np.isin(query, f.train)), np.flatnonzero(np.isin(query, f.test))) for f in folds]
        return CalibratedClassifierCV(clone(self.classifier), method="sigmoid", cv=splits)

    def _described_parameters(self) -> dict[str, Parameter]:
        gain = self.gain if isinstance(self.gain, str) else repr(self.gain)
        named = {"classifier": repr(self.classifier), "gain": gain, "metric": self._metric().name}
        return {**super()._described_parameters(), **named}


def _matrix(data: RankingDataset, rows: I64) -> Any:
    """Return the features of the given documents in a form that classifiers accept."""
    taken = take_rows(data.features, rows)
    return np.ascontiguousarray(taken) if isinstance(taken, np.ndarray) else taken.tocsr()


def _as_softmax(classifier: Any, X: Any, n_levels: int) -> tuple[F64, F64] | None:
    """Return weights and intercepts whose softmax gives the classifier's probabilities, or None if there are none."""
    if not (hasattr(classifier, "coef_") and hasattr(classifier, "intercept_")):
        return None
    weights = np.atleast_2d(np.asarray(classifier.coef_, np.float64))
    intercepts = np.broadcast_to(np.asarray(classifier.intercept_, np.float64), len(weights)).astype(np.float64)
    if n_levels == 2 and len(weights) == 1:  # one function tells two classes apart
        weights, intercepts = np.vstack([0 * weights, weights]), np.append(0.0, intercepts)
    if weights.shape != (n_levels, X.shape[1]):
        return None
    logits = np.asarray(X @ weights.T) + intercepts
    likelihoods = np.exp(logits - logits.max(axis=1, keepdims=True))
    shares = likelihoods / likelihoods.sum(axis=1, keepdims=True)
    return (weights, intercepts) if np.abs(shares - classifier.predict_proba(X)).max() < _SAME else None
