"""`rankmax.evaluate`: metrics of systems, with confidence intervals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from rankmax._result_views import Block, ResultView, Table, as_frame, axes_for
from rankmax.api.inputs import Judged, MetricLike, as_metrics, as_systems, one_of
from rankmax.api.progress import Progress
from rankmax.api.scored_systems import System, score_systems
from rankmax.errors import InvalidParameterError
from rankmax.metrics.metric import Metric
from rankmax.metrics.ties import TiePolicy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rankmax.backends.backend import Backend

METRICS = ("AP", "nDCG@10", "P@10", "RR")
"""The default metrics of an evaluation."""


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation(ResultView):
    """Metrics of one or several systems, the result of :func:`rankmax.evaluate <rankmax.api.evaluate.evaluate>`.

    In a notebook it shows itself as a table.

    Attributes
    ----------
    metrics : tuple of Metric
    systems : tuple of System
        The values of each system by query.
    confidence : float
        Confidence level of the intervals.
    seed : int
        Random seed of the bootstrap intervals.

    Examples
    --------
    >>> from rankmax import evaluate
    >>> qrels = {"q1": {"d1": 1, "d2": 0}, "q2": {"d1": 0, "d2": 1}}
    >>> run = {"q1": {"d1": 2.0, "d2": 1.0}, "q2": {"d1": 2.0, "d2": 1.0}}
    >>> evaluate(qrels, {"bm25": run}, ["RR", "P@1"])
     bm25     mean       95% interval   queries
     ──────────────────────────────────────────
     RR     0.7500   [0.5000, 1.0000]         2
     P@1    0.5000   [0.0000, 1.0000]         2
    """

    metrics: tuple[Metric, ...]
    systems: tuple[System, ...]
    confidence: float
    seed: int

    @property
    def query_ids(self) -> tuple[str, ...]:
        """Ids of the judged queries."""
        return self.systems[0].values.query_ids

    @cached_property
    def means(self) -> dict[str, dict[str, float]]:
        """Mean over queries, by system and metric; NaN where no query counts."""
        return {
            system.name: dict(zip(self._metric_names, system.values.means.tolist(), strict=True))
            for system in self.systems
        }

    @cached_property
    def intervals(self) -> dict[str, dict[str, tuple[float, float]]]:
        """Bootstrap interval of the mean, by system and metric."""
        return {
            system.name: {
                metric: (low, high)
                for metric, (low, high) in zip(
                    self._metric_names,
                    system.values.intervals(confidence=self.confidence, seed=self.seed).tolist(),
                    strict=True,
                )
            }
            for system in self.systems
        }

    @cached_property
    def per_query(self) -> dict[str, dict[str, dict[str, float]]]:
        """Value of every query, by system, metric and query id; NaN where a query is left out."""
        return {
            system.name: {
                metric: dict(zip(self.query_ids, values, strict=True))
                for metric, values in zip(self._metric_names, system.values.values.tolist(), strict=True)
            }
            for system in self.systems
        }

    @property
    def missing_queries(self) -> dict[str, tuple[str, ...]]:
        """Judged queries that a system does not rank, by system."""
        return {system.name: system.missing_queries for system in self.systems}

    @property
    def unjudged_queries(self) -> dict[str, tuple[str, ...]]:
        """Queries without judgments, which are ignored, by system."""
        return {system.name: system.unjudged_queries for system in self.systems}

    def rows(self) -> Iterator[tuple[str, str, float, float, float, int]]:
        """Yield system, metric, mean, low and high end of the interval, and number of queries that count."""
        for system in self.systems:
            for metric, n_queries in zip(self._metric_names, system.values.n_counted.tolist(), strict=True):
                low, high = self.intervals[system.name][metric]
                yield system.name, metric, self.means[system.name][metric], low, high, n_queries

    def rows_by_query(self) -> Iterator[tuple[str, str, str, float]]:
        """Yield system, query, metric and value."""
        for system in self.systems:
            for q, query in enumerate(self.query_ids):
                for m, metric in enumerate(self._metric_names):
                    yield system.name, query, metric, float(system.values.values[m, q])

    def to_frame(self, *, per_query: bool = False) -> Any:
        """Return a pandas data frame, with a row for each system and metric.

        Parameters
        ----------
        per_query : bool
            A row for each system, query and metric instead.
        """
        if per_query:
            return as_frame(("system", "query", "metric", "value"), list(self.rows_by_query()))
        return as_frame(("system", "metric", "mean", "low", "high", "queries"), list(self.rows()))

    def to_dict(self, *, per_query: bool = True) -> dict[str, Any]:
        """Return plain data, which can be written as JSON.

        Parameters
        ----------
        per_query : bool
            Whether to include the value of every query.
        """
        return {"systems": [self._described(system, per_query) for system in self.systems]}

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the means with their intervals, and return the axes.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Axes to draw on; new ones by default.
        """
        ax = axes_for(ax)
        n = len(self.systems)
        for i, system in enumerate(self.systems):
            places = [m + (i - (n - 1) / 2) * 0.6 / n for m in range(len(self.metrics))]
            means = [self.means[system.name][metric] for metric in self._metric_names]
            ends = [self.intervals[system.name][metric] for metric in self._metric_names]
            below = [mean - low for mean, (low, _) in zip(means, ends, strict=True)]
            above = [high - mean for mean, (_, high) in zip(means, ends, strict=True)]
            ax.errorbar(places, means, yerr=[below, above], fmt="o", capsize=3, label=system.name)
        ax.set_xticks(range(len(self.metrics)), self._metric_names)
        ax.set_ylabel(f"mean and {100 * self.confidence:g}% interval")
        ax.legend(frameon=False)
        return ax

    def table(self) -> Table:
        """Return the means with intervals as a table of text."""
        interval = f"{100 * self.confidence:g}% interval"
        if len(self.systems) == 1:
            rows = [
                [metric, f"{mean:.4f}", f"[{low:.4f}, {high:.4f}]", str(n_queries)]
                for _, metric, mean, low, high, n_queries in self.rows()
            ]
            return Table([self.systems[0].name, "mean", interval, "queries"], rows)
        cells: dict[str, list[str]] = {system.name: [] for system in self.systems}
        for system, _, mean, low, high, _ in self.rows():
            cells[system].append(f"{mean:.4f} [{low:.4f}, {high:.4f}]")
        return Table([f"mean [{interval}]", *self._metric_names], [[name, *row] for name, row in cells.items()])

    def tables_by_query(self) -> list[Table]:
        """Return the value of every query as a table of text for each system."""
        return [
            Table(
                ["query", *self._metric_names],
                [
                    [query, *(f"{value:.4f}" for value in values)]
                    for query, values in zip(self.query_ids, system.values.values.T.tolist(), strict=True)
                ],
                title=system.name,
            )
            for system in self.systems
        ]

    @property
    def blocks(self) -> list[Block]:
        """The table, which is what is shown."""
        return [self.table()]

    @property
    def _metric_names(self) -> list[str]:
        return [metric.name for metric in self.metrics]

    def _described(self, system: System, per_query: bool) -> dict[str, Any]:
        described: dict[str, Any] = {
            "system": system.name,
            "path": system.path,
            "confidence": self.confidence,
            "missing_queries": system.missing_queries,
            "unjudged_queries": system.unjudged_queries,
            "metrics": {
                metric: {"mean": mean, "low": low, "high": high, "queries": n_queries}
                for name, metric, mean, low, high, n_queries in self.rows()
                if name == system.name
            },
        }
        if per_query:
            described["per_query"] = {
                query: dict(zip(self._metric_names, row, strict=True))
                for query, row in zip(self.query_ids, system.values.values.T.tolist(), strict=True)
            }
        return described


def evaluate(
    judgments: Any,
    systems: Any,
    metrics: MetricLike | Sequence[MetricLike] = METRICS,
    *,
    ties: TiePolicy | str | None = None,
    missing_queries: str = "zero",
    no_relevant: str = "zero",
    confidence: float = 0.95,
    seed: int = 0,
    backend: Backend | str | None = None,
    memory: str | None = None,
    progress: Progress | None = None,
) -> Evaluation:
    """Evaluate systems by rank metrics: means over queries, with bootstrap intervals.

    Runs get exactly trec_eval's numbers, also where documents have equal scores.

    Parameters
    ----------
    judgments : path, Qrels, mapping, data frame, or RankingDataset
        Qrels, as a file, a Qrels object, ``{query: {document: grade}}`` or a data frame (see
        :func:`~rankmax.formats.interchange.as_qrels`), judge runs. A data set with features, as an object, a data
        file or a folder of shards, judges models and scores.
    systems : one system, a list of systems, or a mapping of names to systems
        Runs: path, Run, ``{query: {document: score}}`` or data frame (see
        :func:`~rankmax.formats.interchange.as_run`). On a data set: a model, a fitted
        learner, a model file, a file of scores, or an array with a score for each document.
    metrics : str, Metric, or sequence of these
    ties : {"trec-eval", "document-order", "pessimistic"}, optional
        Order of documents with equal scores; by default "trec-eval" for runs and "document-order" on a data set.
    missing_queries : {"zero", "skip"}
        Judged queries that are missing from a run count as 0 (trec_eval -c), or are left out.
    no_relevant : {"zero", "one", "skip"}
        Queries without relevant documents count as 0 or 1, or are left out.
    confidence : float
        Confidence level of the intervals.
    seed : int
        Random seed of the bootstrap.
    backend : Backend or str, optional
        Backend that reads and processes shards: "local", "dask:local" or "dask://host:port".
    memory : str, optional
        Memory limit of the local backend for shards, such as "4GB".
    progress : Progress, optional
        Receives progress.

    Returns
    -------
    Evaluation

    Examples
    --------
    >>> qrels = {"q1": {"d1": 1, "d2": 0}, "q2": {"d1": 0, "d2": 1}}
    >>> run = {"q1": {"d1": 2.0, "d2": 1.0}, "q2": {"d1": 1.0, "d2": 1.0}}
    >>> evaluate(qrels, {"bm25": run}, "RR").means
    {'bm25': {'RR': 1.0}}
    """
    if missing_queries not in ("zero", "skip"):
        raise InvalidParameterError(f"missing_queries is {missing_queries!r}; expected 'zero' or 'skip'")
    if not 0 < confidence < 1:
        raise InvalidParameterError(f"confidence is {confidence}; expected a number between 0 and 1, such as 0.95")
    named: Mapping[str, Any] = as_systems(systems)
    parsed = as_metrics(metrics, no_relevant)
    found = score_systems(
        Judged.of(judgments, named, on_backend=backend not in (None, "local") or memory is not None),
        named,
        parsed,
        ties=None if ties is None else one_of("ties", TiePolicy, ties),
        skip_missing_queries=missing_queries == "skip",
        backend=backend,
        memory=memory,
        progress=progress or Progress(),
    )
    return Evaluation(parsed, tuple(found), confidence, seed)
