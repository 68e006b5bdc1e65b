"""The result of a tuning: rows of held-out values, a verdict, and models to write."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec
import numpy as np

from rankmax._arrays import F64
from rankmax.data.content_hash import data_hash
from rankmax.errors import UnknownNameError
from rankmax.fusion.candidates import LearnedWeights, WeightedFusion, weighted_sum
from rankmax.fusion.constraint import Constraint
from rankmax.fusion.decision import Verdict
from rankmax.fusion.linear_query_weights import QueryWeights, QueryWeightsFusion
from rankmax.fusion.signals import Signals
from rankmax.fusion.varying_weights import OTHERS, QueryColumn, VaryingFusion
from rankmax.fusion.weight_search import WeightSearch
from rankmax.metrics.metric import Metric
from rankmax.models import LinearModel, Provenance, TrainingRecord
from rankmax.models.query_weights_model import QueryWeightsModel
from rankmax.models.varying_model import VaryingModel
from rankmax.workflows.tuning.current import CURRENT, CurrentFusion


@dataclass(frozen=True, eq=False)
class Row:
    """A fusion method on held-out queries, compared with the current one.

    Attributes
    ----------
    name : str
        Family of candidates.
    label : str
        The candidate of that family selected on all queries.
    fusion : WeightedFusion
        That candidate, fitted to all queries.
    values : array, shape (n_metrics, n_queries)
        Held-out metrics per query, averaged over the repeats of cross-validation.
    interval : pair of float
        95% bootstrap interval of the first metric's mean.
    gain : float
        Mean of the first metric minus the current fusion's.
    gain_interval : pair of float
        95% bootstrap interval of the gain.
    is_current : bool
    """

    name: str
    label: str
    fusion: WeightedFusion
    values: F64
    interval: tuple[float, float]
    gain: float
    gain_interval: tuple[float, float]
    is_current: bool

    @property
    def mean(self) -> float:
        """Mean of the first metric."""
        return float(self.values[0].mean())

    @property
    def marker(self) -> str:
        """▲ where the interval of the gain is above 0, ▼ where it is below."""
        return "▲" if self.gain_interval[0] > 0 else "▼" if self.gain_interval[1] < 0 else ""


@dataclass(frozen=True, eq=False)
class SystemTuning:
    """Result of a tuning.

    Attributes
    ----------
    metrics : tuple of Metric
        The first is maximized.
    signals : Signals
    rows : tuple of Row
        The pick, the current fusion, and all other families.
    current : CurrentFusion
    learned : LearnedWeights
        The pick where its weights are learned, else the best candidate with learned weights.
    selected : dict of str to dict of str to int
        How often the folds of cross-validation selected each candidate, by family.
    verdict : Verdict
    n_folds, n_repeats, seed : int
    constraint : Constraint or None
    by : QueryColumn or QueryWeights or None
        Property of queries, or query features, that weights may depend on.
    varying : VaryingFusion or QueryWeightsFusion or None
        Query-dependent weights, learned from all queries, where they were requested.
    varying_verdict : Verdict or None
        Verdict on these against fixed weights.
    varying_values : array, shape (n_metrics, n_queries), or None
        Their held-out metrics.
    """

    metrics: tuple[Metric, ...]
    signals: Signals
    rows: tuple[Row, ...]
    current: CurrentFusion
    learned: LearnedWeights
    selected: dict[str, dict[str, int]]
    verdict: Verdict
    n_folds: int
    n_repeats: int
    seed: int
    constraint: Constraint | None = None
    by: QueryColumn | QueryWeights | None = None
    varying: VaryingFusion | QueryWeightsFusion | None = None
    varying_verdict: Verdict | None = None
    varying_values: F64 | None = None

    @property
    def metric(self) -> Metric:
        """The metric to maximize."""
        return self.metrics[0]

    @property
    def second_metric(self) -> int:
        """Index of the metric to trade off against the first: the constrained one, or the second."""
        constrained = 0 if self.constraint is None else self.metrics.index(self.constraint.metric)
        return constrained or 1

    @property
    def search(self) -> WeightSearch:
        """The weight search under the normalization of the learned weights."""
        return self.learned.search

    @property
    def pick(self) -> Row:
        """Row of the best candidate."""
        return self.rows[0]

    @property
    def current_row(self) -> Row:
        """Row of the current fusion."""
        return self.rows[1]

    @property
    def recommended_row(self) -> Row:
        """Row of the pick, or of the current fusion where it satisfies the constraint and is expected to do as well."""
        change = self.verdict.change or not self.keeps(self.current_row.fusion.values)
        return self.pick if change else self.current_row

    @property
    def recommended(self) -> WeightedFusion:
        """The recommended fusion, fitted to all queries."""
        return self.recommended_row.fusion

    def keeps(self, values: F64) -> bool:
        """Return whether a fusion satisfies the constraint on all queries.

        Parameters
        ----------
        values : array, shape (n_metrics, n_queries)
            Metrics of the fusion.
        """
        if self.constraint is None:
            return True
        second = self.metrics.index(self.constraint.metric)
        return bool(self.constraint.is_met_by(values[second].mean()))

    @property
    def learned_fusion(self) -> WeightedFusion:
        """The fusion with learned weights, whether it is the pick or not."""
        rows = (self.pick, *self.rows)
        return next(row.fusion for row in rows if row.label == self.learned.label)

    def row(self, name: str) -> Row:
        """Return a row by name, ignoring case; "current" is the current fusion, whatever its name.

        Parameters
        ----------
        name : str
        """
        if name.casefold() == CURRENT:
            return self.current_row
        exactly = [row for row in self.rows if row.name == name]
        for row in exactly or [row for row in self.rows if row.name.casefold() == name.casefold()]:
            return row
        raise UnknownNameError("row", name, [row.name for row in self.rows])

    def model(self, fusion: WeightedFusion | None = None, *, weights: F64 | None = None) -> LinearModel:
        """Return the recommended fusion, or another, as a model.

        Parameters
        ----------
        fusion : WeightedFusion, optional
        weights : array, shape (n_systems,), optional
            Weights to use instead of the fusion's own, such as round ones.
        """
        chosen = fusion or self.recommended
        row = next((row for row in self.rows if row.fusion is chosen), self.pick)
        weights = chosen.weights if weights is None else weights
        ranked = weighted_sum(self.signals.data, chosen.normalization, weights, [self.metric])
        value = float(ranked.values.mean())  # over all candidates; the row of one system alone is over its own list
        return LinearModel(
            weights,
            self.signals.names,
            chosen.normalization,
            self.metric.name,
            Provenance(
                learner="tune",
                parameters={
                    "folds": self.n_folds,
                    "repeats": self.n_repeats,
                    "candidate": row.label,
                    "depth": self.signals.depth,
                },
                seed=self.seed,
                data_hash=data_hash(self.signals.data),
            ),
            TrainingRecord(value=value, validation_value=row.mean),
        )

    def varying_model(self) -> VaryingModel | QueryWeightsModel | None:
        """Return a model with the query-dependent weights, where they were requested.

        Queries of an unknown group get the weights of small groups, or else the fixed ones.
        """
        if isinstance(self.by, QueryWeights) and isinstance(self.varying, QueryWeightsFusion):
            return self._query_weights_model(self.by, self.varying)
        if not isinstance(self.varying, VaryingFusion) or not isinstance(self.by, QueryColumn):
            return None
        by_label = self.varying.weights_by_label
        numbers = None if self.by.numbers is None else (float(self.by.numbers.min()), float(self.by.numbers.max()))
        fixed = self.model(self.learned_fusion)
        return VaryingModel(
            self.by.name,
            numbers,
            () if numbers else tuple(by_label),
            np.array(list(by_label.values())) * (2 if numbers else 1),  # those at both numbers together sum to 1
            by_label.get(OTHERS, fixed.weights),
            fixed.feature_names,
            self.varying.normalization,
            fixed.metric,
            fixed.provenance,
        )

    def _query_weights_model(self, by: QueryWeights, fusion: QueryWeightsFusion) -> QueryWeightsModel:
        fixed = self.model(self.learned_fusion)
        parameters = {**fixed.provenance.parameters, "penalty": fusion.penalty}
        return QueryWeightsModel(
            tuple(by.features),
            fusion.means,
            fusion.deviations,
            fusion.weights,
            fusion.variation,
            fixed.feature_names,
            fusion.normalization,
            fixed.metric,
            msgspec.structs.replace(fixed.provenance, parameters=parameters),
        )
