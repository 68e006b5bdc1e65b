"""`rankmax.evaluate`: metrics of systems, with confidence intervals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from rankmax._result_views import Block, ResultView, Table, as_frame, axes_for
from rankmax.api.clicked import METRIC, judged_by_clicks
from rankmax.api.inputs import Judged, MetricLike, as_metrics, as_systems, one_of
from rankmax.api.progress import Progress
from rankmax.api.scored_systems import System, score_systems
from rankmax.data.runs import Qrels
from rankmax.errors import IncompatibleError, InvalidParameterError
from rankmax.evaluation.machine_judgments import favor_messages, machine_favors, values_of_all
from rankmax.evaluation.prediction_powered import PredictionPowered, prediction_powered
from rankmax.evaluation.unjudged_bounds import Unjudged
from rankmax.formats.judge_tables import Opinion, judged_by
from rankmax.metrics.metric import Metric
from rankmax.metrics.ties import TiePolicy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rankmax.backends.backend import Backend

METRICS = ("AP", "nDCG@10", "P@10", "RR")
"""The default metrics of an evaluation."""
_ABOUT_UNJUDGED = (
    "not judged: share of the top documents (the metric's cutoff, or 10) without a judgment, which count as not "
    "relevant; and the metric's bounds over all judgments of them"
)


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
    machine : Evaluation or None
        The same systems by machine judgments, if they were given. Means and intervals are then
        :func:`prediction-powered <rankmax.evaluation.prediction_powered.prediction_powered>`; values of single
        queries are by human judgments.

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
    machine: Evaluation | None = None

    @property
    def query_ids(self) -> tuple[str, ...]:
        """Ids of the judged queries."""
        return self.systems[0].values.query_ids

    @cached_property
    def means(self) -> dict[str, dict[str, float]]:
        """Mean over queries, by system and metric; NaN where no query counts."""
        if self.machine is not None:
            return {name: {m: one.mean for m, one in row.items()} for name, row in self.with_machine.items()}
        return {
            system.name: dict(zip(self._metric_names, system.values.means.tolist(), strict=True))
            for system in self.systems
        }

    @cached_property
    def intervals(self) -> dict[str, dict[str, tuple[float, float]]]:
        """Confidence interval of the mean, by system and metric: a bootstrap interval, or a prediction-powered one."""
        if self.machine is not None:
            return {name: {m: one.interval for m, one in row.items()} for name, row in self.with_machine.items()}
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
    def with_machine(self) -> dict[str, dict[str, PredictionPowered]]:
        """Prediction-powered estimates by system and metric; empty without machine judgments."""
        if self.machine is None:
            return {}
        found = {}
        for system, by_machine in zip(self.systems, self.machine.systems, strict=True):
            human = values_of_all(self.query_ids, system.values.values, self.machine.query_ids)
            found[system.name] = {
                name: prediction_powered(h, m, confidence=self.confidence)
                for name, h, m in zip(self._metric_names, human, by_machine.values.values, strict=True)
            }
        return found

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
        if self.machine is not None:
            return self._table_with_machine(interval)
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

    def _table_with_machine(self, interval: str) -> Table:
        found = next(iter(next(iter(self.with_machine.values())).values()))
        rows = [
            [
                *(name, metric, f"{one.mean:.4f}", f"[{one.interval[0]:.4f}, {one.interval[1]:.4f}]"),
                *(f"{one.human_mean:.4f}", f"{one.machine_mean:.4f}", f"+{one.worth:.0f}"),
            ]
            for name, by_metric in self.with_machine.items()
            for metric, one in by_metric.items()
        ]
        people, machine = f"people ({found.n_human})", f"machine ({found.n_human + found.n_machine})"
        return Table(["system", "metric", "mean", interval, people, machine, "worth"], rows)

    @property
    def unjudged(self) -> dict[str, dict[str, Unjudged]]:
        """Share of unjudged documents at the top, and the bounds that they leave, by system and metric.

        Empty where they are not known: with clicks, machine judgments or expected grades.
        """
        return {
            system.name: dict(zip(self._metric_names, system.unjudged, strict=True))
            for system in self.systems
            if system.unjudged and self.machine is None
        }

    @property
    def unjudged_blocks(self) -> list[Block]:
        """A table of the unjudged documents, and what it shows; empty where all documents are judged."""
        if not any(one.share for row in self.unjudged.values() for one in row.values()):
            return []
        rows = [[name, *map(str, row.values())] for name, row in self.unjudged.items()]
        return [Table(["not judged", *self._metric_names], rows), _ABOUT_UNJUDGED]

    @property
    def caption(self) -> str:
        """What the columns of :meth:`table` mean, where this needs a word."""
        if self.machine is None:
            return ""
        return (
            "mean: of human judgments, with machine judgments corrected by them; people, machine: of each alone "
            "(queries); worth: human-judged queries that the machine judgments are worth"
        )

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
        """The tables, and what their columns mean where this needs a word."""
        return [self.table(), *([self.caption] if self.caption else []), *self.unjudged_blocks]

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
        for metric, unjudged in self.unjudged.get(system.name, {}).items():
            described["metrics"][metric]["unjudged"] = asdict(unjudged)
        for metric, one in self.with_machine.get(system.name, {}).items():
            described["metrics"][metric] |= {
                "human_mean": one.human_mean,
                "machine_mean": one.machine_mean,
                "machine_weight": one.machine_weight,
                "worth": one.worth,
                "machine_queries": one.n_human + one.n_machine,
            }
        if per_query:
            described["per_query"] = {
                query: dict(zip(self._metric_names, row, strict=True))
                for query, row in zip(self.query_ids, system.values.values.T.tolist(), strict=True)
            }
        return described


def evaluate(
    qrels: Any,
    systems: Any,
    metrics: MetricLike | Sequence[MetricLike] = METRICS,
    *,
    machine_qrels: Any = None,
    judges: Opinion | None = None,
    clicks: Any = None,
    click_model: str = "auto",
    propensities: Any = "estimated",
    clip: float = 0.01,
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
    qrels : path, Qrels, JudgeRatings, mapping, data frame, or RankingDataset
        Qrels, as a file, a Qrels object, ``{query: {document: grade}}`` or a data frame (see
        :func:`~rankmax.formats.interchange.as_qrels`), judge runs; so do grades of several judges. A data set with
        features, as an object, a data file or a folder of shards, judges models and scores.
    systems : one system, a list of systems, or a mapping of names to systems
        Runs: path, Run, ``{query: {document: score}}`` or data frame (see
        :func:`~rankmax.formats.interchange.as_run`). On a data set: a model, a fitted
        learner, a model file, a file of scores, or an array with a score for each document.
    metrics : str, Metric, or sequence of these, default ("AP", "nDCG@10", "P@10", "RR")
        Metrics in the spelling of ir-measures or trec_eval; see :func:`~rankmax.metrics.registry.parse_metric`.
    machine_qrels : path, Qrels, mapping or data frame, optional
        Qrels by a machine, such as a language model, for the queries of `qrels` and further ones. Means are then
        those of human judgments, estimated more precisely with the machine's; see
        :func:`~rankmax.evaluation.prediction_powered.prediction_powered`.
    judges : {"median", "mean", "expected"}, optional
        For grades of several judges: the median or mean grade of each document, or the mean value over
        :meth:`random judges <rankmax.data.judge_ratings.JudgeRatings.draws>` of each document. By default the median
        for a file, and "expected" for :class:`~rankmax.data.judge_ratings.JudgeRatings`.
    clicks : path or ClickLog, optional
        Clicks to judge by, with None for `qrels`: an estimate of DCG by inverse propensities
        (:func:`~rankmax.evaluation.click_estimates.click_gains`). The default metric is then DCG@10.
    click_model : {"auto", "position", "cascade"}, default "auto"
        How users look at results: at each position with a probability of its own, or from the top until they stop,
        for which it has to be known which clicks are of one search. With "auto" it is the cascade if the clicks fit it
        significantly better, and neither propensities nor a clip are given.
    propensities : {"estimated", "randomized", "1/rank^ETA"}, path or array, default "estimated"
        How likely users look at each position: estimated from the clicks by the model; by click-through rates, if the
        results were shuffled; or given. For a cascade "estimated", or the probability of going on after a click at each
        position, by users who otherwise always go on.
    clip : float, default 0.01
        Least propensity.
    ties : {"trec-eval", "document-order", "pessimistic"}, optional
        Order of documents with equal scores; by default "trec-eval" for runs and "document-order" on a data set.
    missing_queries : {"zero", "skip"}, default "zero"
        Judged queries that are missing from a run count as 0 (trec_eval -c), or are left out.
    no_relevant : {"zero", "one", "skip"}, default "zero"
        Queries without relevant documents count as 0 or 1, or are left out.
    confidence : float, default 0.95
        Confidence level of the intervals.
    seed : int, default 0
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
    parsed = as_metrics(METRIC if clicks is not None and metrics is METRICS else metrics, no_relevant)
    told = progress or Progress()
    if clicks is not None:
        if qrels is not None or judges is not None or machine_qrels is not None:
            raise IncompatibleError("give either judgments or clicks, not both")
        found = judged_by_clicks(
            clicks, parsed, click_model=click_model, propensities=propensities, clip=clip, progress=told
        )
        qrels = Judged("the clicks", found.qrels)
    if judges is not None and not isinstance(qrels, Judged):
        qrels = judged_by(qrels, judges)
    by_people = Judged.of(qrels, named, on_backend=backend not in (None, "local") or memory is not None)

    def evaluated(judged: Judged, told: Progress) -> tuple[System, ...]:
        found = score_systems(
            judged,
            named,
            parsed,
            ties=None if ties is None else one_of("ties", TiePolicy, ties),
            skip_missing_queries=missing_queries == "skip",
            backend=backend,
            memory=memory,
            progress=told,
        )
        # the highest gain of a click is no grade that a judge could give
        return tuple(found if clicks is None else (replace(one, unjudged=()) for one in found))

    if machine_qrels is None:
        return Evaluation(parsed, evaluated(by_people, told), confidence, seed)
    by_machine = Judged.of(machine_qrels, named)
    if not (isinstance(by_people.content, Qrels) and isinstance(by_machine.content, Qrels)):
        raise IncompatibleError("machine judgments are qrels, beside qrels by people; they do not go with a data file")
    # queries that people did not judge are no remark: the machine did
    human = Evaluation(parsed, evaluated(by_people, Progress()), confidence, seed)
    result = replace(human, machine=Evaluation(parsed, evaluated(by_machine, told), confidence, seed))
    if len(result.systems) > 1:
        note_favors(result, told)
    return result


def note_favors(evaluation: Evaluation, progress: Progress) -> None:
    """Note the systems that the machine rates significantly better or worse, beside the others, than people do.

    Parameters
    ----------
    evaluation : Evaluation
        With machine judgments.
    progress : Progress
    """
    assert evaluation.machine is not None
    for m, metric in enumerate(evaluation.metrics):
        human = {
            system.name: values_of_all(evaluation.query_ids, system.values.values[m], evaluation.machine.query_ids)
            for system in evaluation.systems
        }
        machine = {system.name: system.values.values[m] for system in evaluation.machine.systems}
        for message in favor_messages(machine_favors(human, machine), metric.name):
            progress.note(message)
