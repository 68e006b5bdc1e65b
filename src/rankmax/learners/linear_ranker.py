"""Linear models learned by maximising the metric itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Self

import numpy as np

from rankmax.arrays import F64
from rankmax.data.dataset import RankingDataset
from rankmax.data.normalise import Normalisation
from rankmax.errors import InvalidParameterError
from rankmax.learners.base import LinearLearner
from rankmax.lines.objective import LinearObjective
from rankmax.losses.cross_entropy import CrossEntropy, ProportionalCrossEntropy
from rankmax.losses.linear import fit_linear
from rankmax.metrics.base import Metric
from rankmax.metrics.parse import parse
from rankmax.models import LinearModel, Parameter, Provenance, data_hash
from rankmax.optimizers.base import Ascent, Callback, Optimizer
from rankmax.optimizers.coordinate_ascent import CoordinateAscent
from rankmax.spaces import ParameterSpace, space_named


class LinearRanker(LinearLearner):
    r"""Find the weights w that maximise a metric over the training queries, ranking by w^T x.

    Climbs by exact line searches from several starts, and keeps the best: first the minimum of a smooth surrogate
    (ListNet's cross entropy with two kinds of targets, whichever gives the higher metric), which is usually near a high
    peak, then uniform weights, then samples of the space.

    Parameters
    ----------
    metric : str or Metric
        What to maximise; any tabular metric, or ERR.
    space : str or ParameterSpace
        "euclidean", "simplex" (nonnegative weights) or "augmented-simplex".
    n_restarts : int
        Number of starts.
    optimizer : Optimizer, optional
        :class:`~rankmax.optimizers.coordinate_ascent.CoordinateAscent` when left out.
    normalisation : str or Normalisation
        Applied within each query before fitting, and again when predicting.
    seed : int
        Of the sampled starts.

    Attributes
    ----------
    coef_ : array of float64, shape (n_features,)
    model_ : LinearModel
    ascents_ : list of Ascent
        One from each start, with its history.
    value_ : float
        The metric on the training queries.

    Examples
    --------
    >>> from rankmax.data.synthetic import planted_linear
    >>> problem = planted_linear(30, 10, 3, seed=1)
    >>> ranker = LinearRanker("AP", n_restarts=2).fit_dataset(problem.data)
    >>> ranker.value_ > 0.99
    True

    References
    ----------
    Metzler & Croft 2007, section 4; Morgan, Greiff & Henderson 2004, section 3.
    """

    def __init__(
        self,
        metric: str | Metric = "nDCG@10",
        space: str | ParameterSpace = "euclidean",
        n_restarts: int = 10,
        optimizer: Optimizer | None = None,
        normalisation: str | Normalisation = "none",
        seed: int = 0,
    ) -> None:
        self.metric = metric
        self.space = space
        self.n_restarts = n_restarts
        self.optimizer = optimizer
        self.normalisation = normalisation
        self.seed = seed

    def fit_dataset(self, data: RankingDataset, *, callback: Callback | None = None) -> Self:
        """Learn from a data set.

        Parameters
        ----------
        data : RankingDataset
        callback : callable, optional
            Called with an ascent's progress after each of its improvements.
        """
        if self.n_restarts < 1:
            raise InvalidParameterError(f"n_restarts is {self.n_restarts}; at least one start is needed")
        metric = parse(self.metric) if isinstance(self.metric, str) else self.metric
        space = space_named(self.space)
        normalisation = Normalisation.named(self.normalisation)
        normalised = normalisation.apply(data)
        objective = LinearObjective(space.prepare(normalised), metric)
        optimizer = self.optimizer or CoordinateAscent()
        rng = np.random.default_rng(self.seed)
        self.ascents_: list[Ascent] = []
        for start in self._starts(normalised, objective, space, rng):
            self.ascents_.append(optimizer.maximize(objective, space, start=start, rng=rng, callback=callback))
            if self.ascents_[-1].stopped_by == "interrupted":
                break
        best = max(self.ascents_, key=lambda ascent: ascent.value)
        self.model_ = LinearModel(
            space.restore(best.weights),
            data.feature_names,
            normalisation,
            metric.name,
            Provenance(
                learner=type(self).__name__,
                parameters=self._described_parameters(),
                seed=self.seed,
                data_hash=data_hash(data),
            ),
        )
        self.value_ = best.value
        return self

    def _starts(
        self, data: RankingDataset, objective: LinearObjective, space: ParameterSpace, rng: np.random.Generator
    ) -> Iterator[F64]:
        fits = (fit_linear(loss, data).weights for loss in (CrossEntropy(), ProportionalCrossEntropy()))
        yield max((space.project(space.embed(w)) for w in fits), key=lambda w: objective.at(w).value)
        if self.n_restarts > 1:
            yield space.start(objective.n_features)
        for _ in range(self.n_restarts - 2):
            yield space.sample(objective.n_features, rng)

    def _described_parameters(self) -> dict[str, Parameter]:
        named = {
            "metric": self.metric if isinstance(self.metric, str) else self.metric.name,
            "space": space_named(self.space).name,
            "optimizer": None if self.optimizer is None else repr(self.optimizer),
            "normalisation": Normalisation.named(self.normalisation).name,
        }
        return {**self.get_params(), **named}
