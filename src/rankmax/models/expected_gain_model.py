"""Nonlinear model: the expected gain of a document under a logistic model of its grade."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar, Self

import msgspec
import numpy as np

from rankmax._arrays import F64, readonly
from rankmax.data.dataset import RankingDataset
from rankmax.errors import InvalidDataError
from rankmax.models.provenance import Provenance, TrainingRecord
from rankmax.models.ranking_model import RankingModel
from rankmax.preprocessing.binning import features_by_name
from rankmax.preprocessing.feature_normalization import Normalization, Unchanged


@dataclass(frozen=True, eq=False, repr=False)
class ExpectedGainModel(RankingModel):
    r"""Scores documents by their expected gain under a multiclass logistic model of the grade.

    .. math:: h(x) = \sum_j P(r = j \mid x) \, G_j, \qquad
              P(r = j \mid x) = \frac{\exp(w_j^T x + b_j)}{\sum_l \exp(w_l^T x + b_l)}

    Attributes
    ----------
    grades : array of float64, shape (n_levels,)
        Grades that have a probability, ascending: those of the training data.
    gains : array of float64, shape (n_levels,)
        Gain G of each grade.
    weights : array of float64, shape (n_levels, n_features)
        One row per grade. Adding the same vector to every row changes nothing.
    intercepts : array of float64, shape (n_levels,)
    feature_names : tuple of str
        Features are found by name, whatever their order in the data.
    normalization : Normalization
        Applied within each query before weighting, as in training.
    metric : str or None
        Name of the metric it was trained for.
    provenance : Provenance
        Origin of the model.
    training : TrainingRecord or None
        Record of the search that found the weights, if there was one.

    Examples
    --------
    >>> model = ExpectedGainModel([0, 1, 2], [0, 1, 3], [[0.0], [1.0], [1.5]], [0.0, 0.0, -1.0], ("bm25",))
    >>> data = RankingDataset.from_arrays([[0.0], [2.0]], [0, 1], qid=[7, 7], feature_names=["bm25"])
    >>> model.probabilities(data).round(3)
    array([[0.422, 0.422, 0.155],
           [0.063, 0.468, 0.468]])
    >>> model.scores(data).round(3)
    array([0.888, 1.873])
    >>> ExpectedGainModel.from_json(model.to_json()).gains
    array([0., 1., 3.])

    References
    ----------
    Yang, Ravikumar & Lease 2010, eq. 12 and section 5.2.
    """

    schema: ClassVar[str] = "rankmax/expected-gain-model/1"

    grades: F64
    gains: F64
    weights: F64
    intercepts: F64
    feature_names: tuple[str, ...]
    normalization: Normalization = field(default_factory=Unchanged)
    metric: str | None = None
    provenance: Provenance = field(default_factory=Provenance)
    training: TrainingRecord | None = None

    def __post_init__(self) -> None:
        names = tuple(self.feature_names)
        n_levels = np.size(self.grades)
        for name, shape in (
            ("grades", (n_levels,)),
            ("gains", (n_levels,)),
            ("weights", (n_levels, len(names))),
            ("intercepts", (n_levels,)),
        ):
            array = np.array(getattr(self, name), np.float64)
            if array.shape != shape:
                raise InvalidDataError(
                    f"{name} have shape {array.shape}; expected {shape} for {n_levels} grades and {len(names)} features"
                )
            if not np.isfinite(array).all():
                raise InvalidDataError(f"{name} must be finite numbers")
            object.__setattr__(self, name, readonly(array))
        if n_levels < 2 or (np.diff(self.grades) <= 0).any():
            raise InvalidDataError(f"grades are {self.grades.tolist()}; expected two or more, ascending")
        if len(set(names)) != len(names):
            raise InvalidDataError("a feature name occurs twice")
        object.__setattr__(self, "feature_names", names)

    def weight_columns(self) -> dict[str, F64]:
        """Return the weights in the log-odds of each grade against the lowest."""
        odds = self.weights - self.weights[0]
        return {f"grade {grade:g}": row for grade, row in zip(self.grades[1:], odds[1:], strict=True)}

    def probabilities(self, data: RankingDataset) -> F64:
        """Return the probability of each grade for each document, shape (n_documents, n_levels).

        Parameters
        ----------
        data : RankingDataset
            Must have every feature with a nonzero weight, under its name; others are ignored. For an indicator such as
            ``bm25>12.5`` the underlying feature suffices.
        """
        used = np.flatnonzero(self.weights.any(axis=0))
        view = self.normalization.apply(features_by_name(data, [self.feature_names[j] for j in used]))
        logits = np.stack([view.scores(row[used]) for row in self.weights], axis=1) + self.intercepts
        likelihoods = np.exp(logits - logits.max(axis=1, keepdims=True))
        shares: F64 = likelihoods / likelihoods.sum(axis=1, keepdims=True)
        return shares

    def scores(self, data: RankingDataset) -> F64:
        """Return the expected gain of each document.

        Parameters
        ----------
        data : RankingDataset
            Data with the features that :meth:`probabilities` needs.
        """
        return self.expected_gains(self.probabilities(data))

    def expected_gains(self, probabilities: F64) -> F64:
        """Return the mean gain of each document, summed by level so that the number of threads changes no bit.

        Parameters
        ----------
        probabilities : array of float64, shape (n_documents, n_levels)
        """
        means = np.zeros(len(probabilities))
        for gain, share in zip(self.gains, probabilities.T, strict=True):
            means += gain * share
        return means

    def grade_features(self, data: RankingDataset) -> RankingDataset:
        """Return the probabilities as features of the same documents, for learning or combination with others.

        Parameters
        ----------
        data : RankingDataset
            Data with the features that :meth:`probabilities` needs.
        """
        names = tuple(f"P(grade={grade:g})" for grade in self.grades)
        return replace(data, features=np.asfortranarray(self.probabilities(data)), feature_names=names)

    def _document(self) -> _Document:
        return _Document(
            schema=self.schema,
            metric=self.metric,
            normalization=self.normalization.to_dict(),
            levels=[
                _Level(*level)
                for level in zip(self.grades.tolist(), self.gains.tolist(), self.intercepts.tolist(), strict=True)
            ],
            features=[
                _Feature(name, weights)
                for name, weights in zip(self.feature_names, self.weights.T.tolist(), strict=True)
            ],
            provenance=self.provenance,
            training=self.training,
        )

    @classmethod
    def _decoded(cls, content: bytes) -> Self:
        document = msgspec.json.decode(content, type=_Document)
        n_levels = len(document.levels)
        if any(len(feature.weights) != n_levels for feature in document.features):
            raise InvalidDataError(f"a feature does not have {n_levels} weights, one for each level")
        return cls(
            np.array([level.grade for level in document.levels]),
            np.array([level.gain for level in document.levels]),
            np.array([feature.weights for feature in document.features]).reshape(len(document.features), n_levels).T,
            np.array([level.intercept for level in document.levels]),
            tuple(feature.name for feature in document.features),
            Normalization.from_dict(document.normalization),
            document.metric,
            document.provenance,
            document.training,
        )


class _Level(msgspec.Struct, forbid_unknown_fields=True):
    grade: float
    gain: float
    intercept: float


class _Feature(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    weights: list[float]


class _Document(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """The JSON document on disk."""

    schema: str
    metric: str | None
    normalization: dict[str, str | float]
    levels: list[_Level]
    features: list[_Feature]
    provenance: Provenance
    training: TrainingRecord | None = None
