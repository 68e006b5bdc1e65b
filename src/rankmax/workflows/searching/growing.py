"""Growing a query term by term, its weights set by direct maximisation or by maximum entropy."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass

import numpy as np

from rankmax.arrays import F64, I64
from rankmax.data.dataset import RankingDataset
from rankmax.errors import InvalidDataError, InvalidParameterError
from rankmax.figures import BLUE, ORANGE, figure_file
from rankmax.learners.maximum_entropy import MaximumEntropyRanker
from rankmax.lines.objective import LinearObjective
from rankmax.metrics.base import Metric
from rankmax.metrics.binary import BinaryMetric
from rankmax.metrics.parse import parse
from rankmax.optimizers.powell import Powell
from rankmax.spaces import Euclidean


@dataclass(frozen=True, eq=False)
class Growth:
    """The weights that one way of setting them found for 1, 2, 3, ... terms.

    Attributes
    ----------
    weights : tuple of arrays of float64
        By number of terms.
    values : array of float64, shape (n_terms,)
        The metric they give.

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
        """Numbers of terms with which it ranks worse than with one less, although the last could have weight 0."""
        return np.flatnonzero(np.diff(self.values) < 0) + 2

    @property
    def best_size(self) -> int:
        """The least number of terms with the best value."""
        return int(np.argmax(self.values)) + 1


@dataclass(frozen=True, eq=False)
class GrownQuery:
    """A query grown in two ways over the same terms.

    Attributes
    ----------
    terms : tuple of str
        In the order in which they were added.
    metric : Metric
    weight_search : Growth
        Weights that maximise the metric; its values never fall.
    maximum_entropy : Growth
        Weights that maximise the likelihood of the judgments; where its values fall, the two disagree.
    """

    terms: tuple[str, ...]
    metric: Metric
    weight_search: Growth
    maximum_entropy: Growth


def grow_query(data: RankingDataset, *, max_terms: int = 20, metric: str | Metric = "AP") -> GrownQuery:
    r"""Begin with the best query of one term, and add terms in the order of the data.

    With each term added, weights are set anew in two ways. The weight search keeps the first weight at 1, starts from
    the last weights with a 0 for the new term, and searches the whole line of one weight after the other, until a
    cycle gains nothing; so what it reaches with one term more is never less. Maximum entropy maximises the likelihood
    :math:`\prod_i p(y_i \mid x_i)` instead, and may lose ("metric divergence").

    Parameters
    ----------
    data : RankingDataset
        A topic's documents; its features are the values of candidate terms, the most informative first, as
        :func:`~rankmax.retrieval.terms.candidate_terms` and :func:`~rankmax.retrieval.terms.okapi_dataset` give them.
    max_terms : int
    metric : str or Metric

    Examples
    --------
    >>> from rankmax.data.synthetic import planted_linear
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
        raise InvalidParameterError(f"max_terms is {max_terms!r}; expected a whole number from 1")
    if data.n_features == 0:
        raise InvalidDataError("there are no candidate terms: the data has no features")
    chosen = parse(metric) if isinstance(metric, str) else metric
    first = int(np.argmax(LinearObjective(data, chosen).values(np.eye(data.n_features))))
    others = [name for j, name in enumerate(data.feature_names) if j != first]
    terms = (data.feature_names[first], *others)[:max_terms]
    sizes = [data.select_features(terms[:size]) for size in range(1, len(terms) + 1)]
    return GrownQuery(terms, chosen, _search_weights(sizes, chosen), _maximise_likelihood(sizes, chosen))


def growth_plot(grown: GrownQuery, path: str | os.PathLike[str]) -> None:
    """Draw the metric by number of terms for both ways of setting weights, with rings where it fell.

    Parameters
    ----------
    grown : GrownQuery
    path : path
        Where to write; its suffix, .png or .svg, is the format.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from rankmax.data.synthetic import planted_linear
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
        for label, growth, colour, style in (
            ("weight search", grown.weight_search, BLUE, "-"),
            ("maximum entropy", grown.maximum_entropy, ORANGE, "--"),
        ):
            axes.plot(sizes, growth.values, style, color=colour, marker=".", label=label)
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
            rng=np.random.default_rng(0),  # Powell draws nothing
        )
        weights.append(ascent.weights)
        values.append(ascent.value)
    return Growth(tuple(weights), np.array(values))


def _maximise_likelihood(sizes: list[RankingDataset], metric: Metric) -> Growth:
    relevant_from = metric.rel if isinstance(metric, BinaryMetric) else None
    weights, values = [], []
    for data in sizes:
        learner = MaximumEntropyRanker(C=math.inf, relevant_from=relevant_from, metric=metric).fit_dataset(data)
        weights.append(learner.coef_)
        values.append(learner.value_)
    return Growth(tuple(weights), np.array(values))
