"""Query expansion term by term, with weights set by direct maximization or by maximum entropy."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass

import numpy as np

from rankmax._arrays import F64, I64
from rankmax._io.figures import BLUE, ORANGE, figure_file
from rankmax.data.dataset import RankingDataset
from rankmax.errors import InvalidDataError, InvalidParameterError
from rankmax.learners.pointwise.maximum_entropy import MaximumEntropyRanker
from rankmax.line_search.linear_objective import LinearObjective
from rankmax.metrics.binary import BinaryMetric
from rankmax.metrics.metric import Metric
from rankmax.metrics.registry import parse_metric
from rankmax.optimizers.powell import Powell
from rankmax.spaces import Euclidean


@dataclass(frozen=True, eq=False)
class Growth:
    """Weights found by one method for 1, 2, 3, ... terms.

    Attributes
    ----------
    weights : tuple of arrays of float64
        Weights for each number of terms.
    values : array of float64, shape (n_terms,)
        Metric for each number of terms.

    Examples
    --------
    >>> growth = Growth((), np.array([0.5, 0.8, 0.7, 0.9, 0.9]))
    >>> growth.dips, growth.best_size
    (array([3]), 4)
    """

    weights: tuple[F64, ...]
    values: F64

    @property
    def dips(self) -> I64:
        """Numbers of terms with a lower metric than with one term fewer, although the last could have weight 0."""
        return np.flatnonzero(np.diff(self.values) < 0) + 2

    @property
    def best_size(self) -> int:
        """Smallest number of terms with the best value."""
        return int(np.argmax(self.values)) + 1


@dataclass(frozen=True, eq=False)
class GrownQuery:
    """A query grown by two methods over the same terms.

    Attributes
    ----------
    terms : tuple of str
        Terms in the order in which they were added.
    metric : Metric
    weight_search : Growth
        Weights that maximize the metric; its values never fall.
    maximum_entropy : Growth
        Weights that maximize the likelihood of the judgments; where its values fall, the two disagree.
    """

    terms: tuple[str, ...]
    metric: Metric
    weight_search: Growth
    maximum_entropy: Growth


def grow_query(data: RankingDataset, *, max_terms: int = 20, metric: str | Metric = "AP") -> GrownQuery:
    r"""Grow a query from its best single term, adding terms in the order of the data.

    With each added term, weights are set by two methods. The weight search keeps the first weight at 1, starts from
    the last weights with 0 for the new term, and does a line search over one weight after the other, until a cycle
    gains nothing; so the metric never falls when a term is added. Maximum entropy maximizes the likelihood
    :math:`\prod_i p(y_i \mid x_i)` instead, and the metric may fall ("metric divergence").

    Parameters
    ----------
    data : RankingDataset
        Documents of one topic; the features are the values of candidate terms, the most informative first, as
        :func:`~rankmax.retrieval.features.term_selection.candidate_terms` and
        :func:`~rankmax.retrieval.features.term_selection.okapi_dataset` give them.
    max_terms : int
    metric : str or Metric

    Examples
    --------
    >>> from rankmax.data import planted_linear
    >>> data = planted_linear(1, 60, 8, noise=0.3, seed=2).data
    >>> grown = grow_query(data, max_terms=4)
    >>> grown.terms, grown.weight_search.values.round(2), grown.maximum_entropy.values.round(2)
    (('f8', 'f1', 'f2', 'f3'), array([0.65, 0.65, 0.66, 0.67]), array([0.65, 0.63, 0.67, 0.62]))
    >>> grown.weight_search.dips, grown.maximum_entropy.dips
    (array([], dtype=int64), array([2, 4]))

    References
    ----------
    Morgan, Greiff & Henderson 2004, sections 2 and 4.
    """
    if isinstance(max_terms, bool) or not isinstance(max_terms, int | np.integer) or max_terms < 1:
        raise InvalidParameterError(f"max_terms is {max_terms!r}; expected a positive integer")
    if data.n_features == 0:
        raise InvalidDataError("there are no candidate terms: the data has no features")
    chosen = parse_metric(metric) if isinstance(metric, str) else metric
    first = int(np.argmax(LinearObjective(data, chosen).values(np.eye(data.n_features))))
    others = [name for j, name in enumerate(data.feature_names) if j != first]
    terms = (data.feature_names[first], *others)[:max_terms]
    sizes = [data.select_features(terms[:size]) for size in range(1, len(terms) + 1)]
    return GrownQuery(terms, chosen, _search_weights(sizes, chosen), _maximize_likelihood(sizes, chosen))


def growth_plot(grown: GrownQuery, path: str | os.PathLike[str]) -> None:
    """Draw the metric by number of terms for both methods, with rings where it fell.

    Parameters
    ----------
    grown : GrownQuery
    path : path
        File to write; its suffix, .png or .svg, selects the format.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from rankmax.data import planted_linear
    >>> grown = grow_query(planted_linear(1, 60, 8, noise=0.3, seed=3).data, max_terms=4)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     growth_plot(grown, f"{folder}/growth.svg")
    ...     Path(folder, "growth.svg").read_bytes()[:5]
    b'<?xml'

    References
    ----------
    Morgan, Greiff & Henderson 2004, figures 1 and 3.
    """
    with figure_file(path, "drawing how a query grows") as figure:
        from matplotlib.ticker import MaxNLocator

        axes = figure.add_subplot()
        sizes = np.arange(1, len(grown.terms) + 1)
        for label, growth, color, style in (
            ("weight search", grown.weight_search, BLUE, "-"),
            ("maximum entropy", grown.maximum_entropy, ORANGE, "--"),
        ):
            axes.plot(sizes, growth.values, style, color=color, marker=".", label=label)
        dips = grown.maximum_entropy.dips
        if dips.size:
            fallen = grown.maximum_entropy.values[dips - 1]
            axes.plot(dips, fallen, "o", markersize=11, fillstyle="none", color="black", label="fell")
        axes.set_xlabel("terms")
        axes.set_ylabel(grown.metric.name)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.spines[["top", "right"]].set_visible(False)
        axes.legend(frameon=False, loc="lower right")


def _search_weights(sizes: list[RankingDataset], metric: Metric) -> Growth:
    weights: list[F64] = [np.ones(1)]
    values = [LinearObjective(sizes[0], metric).at(weights[0]).value]
    for data in sizes[1:]:
        ascent = Powell(np.eye(data.n_features)[1:]).maximize(
            LinearObjective(data, metric),
            Euclidean(),
            start=np.append(weights[-1], 0.0),
            rng=np.random.default_rng(0),  # Powell's method uses no random numbers
        )
        weights.append(ascent.weights)
        values.append(ascent.value)
    return Growth(tuple(weights), np.array(values))


def _maximize_likelihood(sizes: list[RankingDataset], metric: Metric) -> Growth:
    relevant_from = metric.rel if isinstance(metric, BinaryMetric) else None
    weights, values = [], []
    for data in sizes:
        learner = MaximumEntropyRanker(C=math.inf, relevant_from=relevant_from, metric=metric).fit_dataset(data)
        weights.append(learner.coef_)
        values.append(learner.value_)
    return Growth(tuple(weights), np.array(values))
