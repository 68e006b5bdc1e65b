"""A data set prepared for many interactive evaluations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cached_property, lru_cache

import numpy as np

from rankmax._arrays import F64, readonly
from rankmax.data.content_hash import data_hash
from rankmax.data.dataset import RankingDataset
from rankmax.errors import IncompatibleError, InvalidParameterError, RankmaxError, some_of
from rankmax.evaluation.bootstrap import bootstrap_interval
from rankmax.evaluation.comparison import BaselineComparison, compare_systems, significance_marker
from rankmax.evaluation.differences import WinCounts, count_wins, paired_differences
from rankmax.evaluation.significance import paired_tests
from rankmax.metrics.evaluator import Evaluator
from rankmax.metrics.metric import Metric
from rankmax.models import LinearModel
from rankmax.models.model import Model
from rankmax.preprocessing.feature_normalization import Normalization

_REFERENCE = "the reference"

# More would take too long while a slider is dragged:
_MOST_DRAWS = 1 << 25  # queries drawn for an interval
_MOST_FLIPS = 8 * 10**7  # signs drawn for a test


@dataclass(frozen=True, slots=True)
class Reading:
    """Metric of a model, and its difference to a reference.

    Attributes
    ----------
    value, reference_value : float
        Means of the metric over queries.
    interval : tuple of float
        Bootstrap interval of the mean, as `rankmax evaluate` reports it.
    difference : float
        Mean of the differences to the reference, over the queries that count for both.
    difference_interval : tuple of float
        Bootstrap interval of the mean difference, as `rankmax compare` reports it.
    p_value : float
        Of Fisher's paired randomization test of the difference, as `rankmax compare` reports it.
    marker : str
        ▲ or ▼ where the difference is significant, otherwise empty.
    wins : WinCounts
    n_queries : int
        Number of queries that count.
    """

    value: float
    reference_value: float
    interval: tuple[float, float]
    difference: float
    difference_interval: tuple[float, float]
    p_value: float
    marker: str
    wins: WinCounts
    n_queries: int


@dataclass(frozen=True)
class _Asked:
    """A model and a metric; models of equal content compare equal."""

    model: Model = field(compare=False)
    metric: Metric
    content: tuple[object, ...] = ()


class Workbench:
    """Evaluates models on one data set, and caches intermediate results that evaluations share.

    Up to 3,355 queries, intervals come from 10,000 resamples, as on the command line, and up to 800 queries p-values
    from 100,000 permutations; with more queries, from fewer.

    Parameters
    ----------
    data : RankingDataset

    Examples
    --------
    >>> from rankmax.data import planted_linear
    >>> from rankmax.metrics import AP
    >>> bench = Workbench(planted_linear(30, 10, 3, seed=1).data)
    >>> uniform, first = (LinearModel(w, ("f1", "f2", "f3")) for w in ([1.0, 1.0, 1.0], [1.0, 0.0, 0.0]))
    >>> reading = bench.read(uniform, first, AP())
    >>> reading.interval[0] < reading.value < reading.interval[1], reading.wins.wins > reading.wins.losses
    (True, True)
    """

    def __init__(self, data: RankingDataset) -> None:
        self.data = data
        self._n_resamples = min(10_000, max(100, _MOST_DRAWS // max(1, data.n_queries)))
        self._n_permutations = min(100_000, max(1_000, _MOST_FLIPS // max(1, data.n_queries)))
        self._place = {name: j for j, name in enumerate(data.feature_names)}
        self.normalized = lru_cache(maxsize=3)(self._normalized)
        self._evaluator = lru_cache(maxsize=8)(self._build_evaluator)
        self._recent = lru_cache(maxsize=8)(self._evaluate)  # a reference is evaluated again and again

    @cached_property
    def content_hash(self) -> str:
        """Hash of the data, which models have of their training data."""
        return data_hash(self.data)

    def values(self, model: Model, metric: Metric) -> F64:
        """Return the metric of each query under a model; NaN where a query is left out.

        Parameters
        ----------
        model : Model
        metric : Metric
        """
        if not isinstance(model, LinearModel):
            return self._evaluate(_Asked(model, metric))
        return self._recent(_Asked(model, metric, (model.weights.tobytes(), model.feature_names, model.normalization)))

    def mean(self, model: Model, metric: Metric) -> float:
        """Return the mean of the metric over the queries that count.

        Parameters
        ----------
        model : Model
        metric : Metric
        """
        return float(np.nanmean(self.values(model, metric)))

    def read(self, model: Model, reference: Model, metric: Metric) -> Reading:
        """Return the metric of a model in comparison with a reference.

        Parameters
        ----------
        model, reference : Model
        metric : Metric
        """
        ours, theirs = self.values(model, metric), self.values(reference, metric)
        differences = paired_differences(ours, theirs)
        low, high = bootstrap_interval(np.stack([ours, differences]), n_resamples=self._n_resamples)
        difference = float(np.nanmean(differences))
        test = paired_tests("randomization", differences[np.newaxis], "two-sided", n_permutations=self._n_permutations)[
            0
        ]
        return Reading(
            value=float(np.nanmean(ours)),
            reference_value=float(np.nanmean(theirs)),
            interval=(float(low[0]), float(high[0])),
            difference=difference,
            difference_interval=(float(low[1]), float(high[1])),
            p_value=test.p_value,
            marker=significance_marker("randomization", test.p_value, difference),
            wins=count_wins(differences),
            n_queries=int(np.count_nonzero(~np.isnan(ours))),
        )

    def compare(self, models: Mapping[str, Model], reference: Model, metric: Metric) -> BaselineComparison:
        """Return a comparison of models with a reference, as `rankmax compare` reports it.

        Parameters
        ----------
        models : mapping of str to Model
        reference : Model
        metric : Metric
        """
        values = {}
        for name, model in models.items():
            try:
                values[name] = self.values(model, metric)
            except RankmaxError as error:
                raise IncompatibleError(f"{name}: {error}") from None
        return compare_systems({_REFERENCE: self.values(reference, metric), **values}, _REFERENCE)

    def scores(self, model: Model) -> F64:
        """Return ``model.scores(data)``, bit for bit, without normalizing the data again.

        Parameters
        ----------
        model : Model
        """
        if not isinstance(model, LinearModel):
            return model.scores(self.data)
        if model.normalization.with_weights(model.weights) is not model.normalization:  # cannot be kept
            return model.scores(self.data)
        used = np.flatnonzero(model.weights)
        places = [self._place.get(model.feature_names[j], -1) for j in used]
        if places != sorted(places) or -1 in places:  # another order changes the bits; indicators are not cached
            return model.scores(self.data)
        weights = np.zeros(self.data.n_features)
        weights[places] = model.weights[used]
        return self.normalized(model.normalization).scores(weights)

    def _evaluate(self, asked: _Asked) -> F64:
        values: F64 = self._evaluator(asked.metric)(self.scores(asked.model))[0]
        return readonly(values)

    def _normalized(self, normalization: Normalization) -> RankingDataset:
        return normalization.apply(self.data)

    def _build_evaluator(self, metric: Metric) -> Evaluator:
        return Evaluator([metric], self.data.judgments)


def select_queries(data: RankingDataset, patterns: Sequence[str]) -> RankingDataset:
    """Return the data of the queries whose ids match a pattern; all data without patterns.

    Parameters
    ----------
    data : RankingDataset
    patterns : sequence of str
        Query ids, in which * matches any characters and ? matches one.

    Examples
    --------
    >>> data = RankingDataset.from_arrays([[1.0], [0.2], [0.4]], [1, 0, 2], qid=["17", "18", "20"])
    >>> select_queries(data, ["1*"]).query_ids
    ('17', '18')
    """
    if not patterns:
        return data
    exact = set(patterns)
    wild = [pattern for pattern in patterns if any(sign in pattern for sign in "*?[")]
    chosen = [
        number
        for number, query in enumerate(data.query_ids)
        if query in exact or any(fnmatchcase(query, pattern) for pattern in wild)
    ]
    if not chosen:
        raise InvalidParameterError(
            f"no query matches {', '.join(patterns)}; the data has {data.n_queries} queries, such as "
            f"{some_of(data.query_ids)} (* matches anything)"
        )
    return data.select(np.array(chosen))
