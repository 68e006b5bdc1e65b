"""The contract of a metric, as tests to inherit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import FrozenInstanceError, replace
from itertools import pairwise

import numpy as np

from rankmax._arrays import F64
from rankmax.data.judgments import Judgments
from rankmax.metrics.metric import CascadeMetric, CascadeTables, Metric, MetricTables, NoRelevant, TabularMetric
from rankmax.metrics.registry import parse_metric

_CLOSE = 1e-9


class MetricContract:
    """Tests that every metric passes; inherit in a test class whose name starts with ``Test``.

    Attributes
    ----------
    metrics : sequence of Metric
        The metric under test, with all parameters to test.
    grades : sequence of float
        Grades of the documents that the tests rank.
    parses : bool
        Whether the name leads back to the metric through :func:`rankmax.metrics.registry`.
    ideal_is_maximal : bool
        Whether ranking by descending grade reaches the largest value.

    Examples
    --------
    >>> from rankmax.metrics import AP
    >>> class TestMyMetric(MetricContract):
    ...     metrics = [AP(), AP(rel=2) @ 5]
    >>> TestMyMetric().test_name_leads_back_to_the_metric()
    """

    metrics: Sequence[Metric] = ()
    grades: Sequence[float] = (-1, 0, 1, 2, 3)
    parses: bool = True
    ideal_is_maximal: bool = True

    def definition(self, metric: Metric, ranked: list[float], judged: list[float]) -> float | None:
        """Return the value of one query with a relevant document, computed naively; None skips the comparison.

        Parameters
        ----------
        metric : Metric
        ranked : list of float
            Grades from best to worst score, NaN where not judged.
        judged : list of float
            Grades of all judged documents, ranked or not.
        """
        return None

    def test_name_leads_back_to_the_metric(self) -> None:
        """A registered metric is what its name parses to."""
        for metric in self.metrics if self.parses else ():
            assert parse_metric(metric.name) == metric

    def test_is_a_value(self) -> None:
        """Equal parameters make equal metrics, and none of them can change."""
        for metric in self.metrics:
            assert replace(metric) == metric
            assert hash(replace(metric)) == hash(metric)
            assert (metric @ 7).cutoff == 7 if metric.cutoff_rule != "never" else metric.cutoff is None
            try:
                metric.cutoff = 3  # type: ignore[misc]
            except FrozenInstanceError:
                continue
            raise AssertionError(f"{metric} can be changed; make its class a frozen dataclass")

    def test_value_depends_on_the_ranking_alone(self) -> None:
        """Scores that give the same ranking have the same value."""
        for metric, scores, judgments in self._cases():
            ranks_only = np.argsort(np.argsort(scores)).astype(np.float64)
            _same(metric.per_query(scores, judgments), metric.per_query(ranks_only, judgments), metric)

    def test_order_of_the_data_does_not_matter(self) -> None:
        """Without ties, documents may be in any order."""
        for metric, scores, judgments in self._cases():
            rng = np.random.default_rng(3)
            order = np.lexsort((rng.random(scores.size), judgments.query_of_document))
            shuffled = replace(judgments, document_levels=judgments.document_levels[order], document_ids=None)
            _same(metric.per_query(scores[order], shuffled), metric.per_query(scores, judgments), metric)

    def test_queries_are_independent(self) -> None:
        """A query's value does not depend on other queries."""
        for metric, scores, judgments in self._cases():
            order = np.random.default_rng(4).permutation(judgments.n_queries)[:-1]
            documents = np.concatenate(
                [np.arange(*judgments.query_offsets[[query, query + 1]]) for query in order]
            ).astype(np.int64)
            chosen = metric.per_query(scores[documents], judgments.select(order))
            _same(chosen, metric.per_query(scores, judgments)[order], metric)

    def test_values_lie_in_the_declared_range(self) -> None:
        """No value leaves `value_range`."""
        for metric, scores, judgments in self._cases():
            values = metric.per_query(scores, judgments)
            low, high = metric.value_range
            values = values[metric.has_relevant(judgments)]
            assert ((values >= low - _CLOSE) & (values <= high + _CLOSE)).all(), f"{metric}: {values}"

    def test_ideal_ranking_is_maximal(self) -> None:
        """No ranking beats the one by descending grade."""
        for metric, scores, judgments in self._cases() if self.ideal_is_maximal else ():
            best = metric.per_query(np.nan_to_num(judgments.grades), judgments)
            values = metric.per_query(scores, judgments)
            compared = ~np.isnan(values)
            assert (values[compared] <= best[compared] + _CLOSE).all(), f"{metric}: {values} above {best}"

    def test_queries_without_relevant_documents(self) -> None:
        """They count as `no_relevant` says, and the others are not affected."""
        for metric, scores, judgments in self._cases():
            without = ~metric.has_relevant(judgments)
            usual = metric.per_query(scores, judgments)
            for rule in NoRelevant:
                values = replace(metric, no_relevant=rule).per_query(scores, judgments)
                expected = np.full(int(without.sum()), rule.value_of_query)
                assert np.array_equal(values[without], expected, equal_nan=True), f"{metric} with {rule}"
                _same(values[~without], usual[~without], metric)

    def test_no_queries_no_values(self) -> None:
        """An empty set of queries gives an empty array."""
        nothing = Judgments.from_grades([], [0])
        for metric in self.metrics:
            assert metric.per_query(np.empty(0), nothing).shape == (0,)

    def test_tables_mean_what_their_formula_says(self) -> None:
        """Summing the tables entry by entry gives the metric's value."""
        for metric, scores, judgments in self._cases():
            if isinstance(metric, TabularMetric):
                tables = metric.tables(judgments)
                _check_shapes(metric, tables, judgments)
                summed = [_sum_tables(tables, q, levels) for q, levels in enumerate(_rank(scores, judgments))]
            elif isinstance(metric, CascadeMetric):
                stops = metric.cascade(judgments)
                summed = [_sum_cascade(stops, q, levels) for q, levels in enumerate(_rank(scores, judgments))]
            else:
                continue
            _same(np.array(summed), metric.per_query(scores, judgments), metric)

    def test_agrees_with_the_definition(self) -> None:
        """The value equals the definition's, wherever a query has a relevant document."""
        for metric, scores, judgments in self._cases():
            values = metric.per_query(scores, judgments)
            ideal_offsets, ideal = judgments.ideal
            ranked = _rank(scores, judgments)
            for query in np.flatnonzero(metric.has_relevant(judgments)):
                judged = ideal[ideal_offsets[query] : ideal_offsets[query + 1]]
                expected = self.definition(
                    metric, judgments.levels[ranked[query]].tolist(), judgments.levels[judged].tolist()
                )
                if expected is not None:
                    assert abs(values[query] - expected) <= _CLOSE, (
                        f"{metric}: {values[query]} for {judgments.levels[ranked[query]]}, expected {expected}"
                    )

    def _cases(self) -> Iterator[tuple[Metric, F64, Judgments]]:
        """Yield every metric with distinct scores and judgments of many kinds."""
        assert self.metrics, "list the metrics to test: metrics = [...]"
        for seed in range(3):
            rng = np.random.default_rng(seed)
            judgments = _random_judgments(rng, self.grades)
            scores = rng.permutation(judgments.n_documents).astype(np.float64) - judgments.n_documents / 2
            for metric in self.metrics:
                yield metric, scores, judgments


def _random_judgments(rng: np.random.Generator, grades: Sequence[float]) -> Judgments:
    """Return queries of 0 to 25 documents: some not judged, some not retrieved, some without a relevant one."""
    lengths = np.array([0, 1, 2, 3, 25, *rng.integers(1, 25, size=12)])
    drawn = rng.choice(np.asarray(grades, np.float64), size=int(lengths.sum()))
    query = np.repeat(np.arange(lengths.size), lengths)
    drawn[query % 5 == 3] = min(grades)
    drawn[query % 5 == 2] = max(grades)
    drawn[(rng.random(drawn.size) < 0.2) & (query % 2 == 0)] = np.nan
    missing = rng.integers(0, 4, size=lengths.size) * (np.arange(lengths.size) % 3 == 1)
    return Judgments.from_grades(
        drawn,
        np.concatenate([[0], np.cumsum(lengths)]),
        unretrieved_grades=rng.choice(np.asarray(grades, np.float64), size=int(missing.sum())),
        unretrieved_offsets=np.concatenate([[0], np.cumsum(missing)]),
    )


def _rank(scores: F64, judgments: Judgments) -> list[list[int]]:
    """Return each query's levels, best score first."""
    bounds = judgments.query_offsets.tolist()
    return [
        [int(judgments.document_levels[i]) for i in sorted(range(start, stop), key=lambda i: -scores[i])]
        for start, stop in pairwise(bounds)
    ]


def _sum_tables(tables: MetricTables, query: int, levels: list[int]) -> float:
    total, relevant_above = 0.0, 0
    for rank, level in enumerate(levels[: tables.cutoff[query]]):
        prefix = tables.prefix[min(relevant_above, tables.prefix.size - 1)]
        total += tables.gain[level] * tables.discount[rank] * prefix
        relevant_above += tables.gain[level] > 0
    return float(tables.offset[query] + tables.norm[query] * total)


def _sum_cascade(tables: CascadeTables, query: int, levels: list[int]) -> float:
    total, still_reading = 0.0, 1.0
    for rank, level in enumerate(levels[: tables.cutoff[query]]):
        total += still_reading * tables.stop[level] * tables.discount[rank]
        still_reading *= 1 - tables.stop[level]
    return float(tables.offset[query] + tables.norm[query] * total)


def _check_shapes(metric: Metric, tables: MetricTables, judgments: Judgments) -> None:
    by_query = (judgments.n_queries,)
    assert tables.gain.shape == (judgments.n_levels,), f"{metric}: gain is by level"
    assert tables.norm.shape == tables.offset.shape == tables.cutoff.shape == by_query, f"{metric}: by query"
    assert tables.discount.size >= tables.cutoff.max(initial=0), f"{metric}: discount ends above a cutoff"
    assert tables.prefix.size > 0, f"{metric}: prefix is empty"


def _same(values: F64, others: F64, metric: Metric) -> None:
    assert np.allclose(values, others, rtol=0, atol=_CLOSE, equal_nan=True), f"{metric}: {values} and {others}"
