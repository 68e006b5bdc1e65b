"""`rankmax.compare`: significance tests of systems against a baseline."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

from rankmax._result_views import Block, ResultView, Table, as_frame, axes_for, format_p
from rankmax.api.clicked import METRIC
from rankmax.api.evaluate import Evaluation, evaluate
from rankmax.api.inputs import MetricLike
from rankmax.errors import InvalidDataError, UnknownNameError
from rankmax.evaluation.comparison import BaselineComparison, Correction, compare_systems
from rankmax.evaluation.machine_judgments import compare_with_machine, values_of_all
from rankmax.evaluation.significance import Alternative, TestName

if TYPE_CHECKING:
    from matplotlib.axes import Axes

METRICS = ("AP", "nDCG@10")
"""The default metrics of a comparison."""
COLUMNS = (
    *("metric", "system", "baseline", "mean", "difference", "change_percent", "low", "high", "test", "alternative"),
    *("p_value", "corrected_p_value", "wins", "losses", "ties", "effect_size", "significant"),
)
"""The columns of :meth:`Comparison.rows`."""

_TEST_NAMES = {
    "randomization": "Fisher's paired randomization test",
    "t": "paired t test",
    "wilcoxon": "Wilcoxon signed rank test",
    "prediction-powered": "t test of the prediction-powered difference",
}


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(ResultView):
    """Comparison of systems with a baseline, the result of :func:`rankmax.compare <rankmax.api.compare.compare>`.

    In a notebook it shows itself as a table for each metric.

    Attributes
    ----------
    by_metric : dict of str to BaselineComparison
        Differences, intervals and p-values by metric.
    evaluation : Evaluation
        The values that are compared.
    baseline : str
    test : str
    alternative : str
    correction : str
    level : float
        Significance level of the corrected p-values.

    Examples
    --------
    >>> from rankmax import compare
    >>> qrels = {f"q{q}": {"d1": 1, "d2": 0} for q in range(8)}
    >>> runs = {"bm25": {q: {"d1": 1, "d2": 2} for q in qrels}, "e5": {q: {"d1": 2, "d2": 1} for q in qrels}}
    >>> compare(qrels, runs, "RR").by_metric["RR"].rows[0].test.p_value
    0.0078125
    """

    by_metric: dict[str, BaselineComparison]
    evaluation: Evaluation
    baseline: str
    test: TestName | Literal["prediction-powered"]
    alternative: Alternative
    correction: Correction
    level: float

    @property
    def means(self) -> dict[str, dict[str, float]]:
        """Mean over queries, by system and metric."""
        return self.evaluation.means

    @property
    def per_query(self) -> dict[str, dict[str, dict[str, float]]]:
        """Value of every query, by system, metric and query id."""
        return self.evaluation.per_query

    def rows(self) -> list[tuple[Any, ...]]:
        """Return a row for each metric and system, with the columns of :data:`COLUMNS`."""
        return [
            (
                *(metric, row.system, self.baseline, row.mean, row.difference, row.relative_change, *row.interval),
                *(row.test.name, row.test.alternative, row.test.p_value, row.corrected_p_value),
                *(row.wins.wins, row.wins.losses, row.wins.ties, row.effect_size),
                row.corrected_p_value < self.level,
            )
            for metric, comparison in self.by_metric.items()
            for row in comparison.rows
        ]

    def to_frame(self) -> Any:
        """Return a pandas data frame, with a row for each metric and system."""
        return as_frame(COLUMNS, self.rows())

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, which can be written as JSON: for each metric the baseline and the other systems."""
        unjudged = {
            metric: {name: asdict(row[metric]) for name, row in self.evaluation.unjudged.items()}
            for metric in self.by_metric
        }
        return {
            metric: asdict(comparison) | ({"unjudged": unjudged[metric]} if unjudged[metric] else {})
            for metric, comparison in self.by_metric.items()
        }

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the differences to the baseline with their intervals, and return the axes.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Axes to draw on; new ones by default.
        """
        ax = axes_for(ax)
        shown = [(metric, row) for metric, comparison in self.by_metric.items() for row in comparison.rows]
        labels = [f"{row.system}: {metric}" if len(self.by_metric) > 1 else row.system for metric, row in shown]
        for place, (_, row) in enumerate(shown):
            low, high = row.interval
            ax.errorbar(
                [row.difference],
                [place],
                xerr=[[row.difference - low], [high - row.difference]],
                fmt="o",
                markerfacecolor=None if row.corrected_p_value < self.level else "white",
                color="#0072B2",
                capsize=3,
            )
        ax.axvline(0, color="black", linewidth=0.8)
        ax.set_yticks(range(len(shown)), labels)
        ax.invert_yaxis()
        ax.set_xlabel(f"difference to {self.baseline}, {100 * (1 - self.level):g}% interval; filled: significant")
        return ax

    def tables(self) -> list[Table]:
        """Return a table of text for each metric."""
        return [_table(metric, comparison) for metric, comparison in self.by_metric.items()]

    @property
    def caption(self) -> str:
        """The test, and the meaning of its markers."""
        corrected = ", Holm-corrected" if self.correction == "holm" and len(self.evaluation.systems) > 2 else ""
        return f"{_TEST_NAMES[self.test]}, {self.alternative}{corrected}; marked: p < {self.level:g}"

    @property
    def blocks(self) -> list[Block]:
        """The tables and their caption, which are what is shown."""
        return [*self.tables(), self.caption, *self.evaluation.unjudged_blocks]


def compare(
    qrels: Any,
    systems: Any,
    metrics: MetricLike | Sequence[MetricLike] = METRICS,
    *,
    machine_qrels: Any = None,
    baseline: str | None = None,
    test: TestName = "randomization",
    alternative: Alternative = "two-sided",
    correction: Correction = "holm",
    level: float = 0.05,
    permutations: int = 100_000,
    seed: int = 0,
    **judging: Any,
) -> Comparison:
    """Test whether systems differ significantly from a baseline, by paired tests over queries.

    Parameters
    ----------
    qrels, systems, metrics
        As in :func:`rankmax.evaluate <rankmax.api.evaluate.evaluate>`; at least two systems.
    machine_qrels : path, Qrels, mapping or data frame, optional
        As in :func:`rankmax.evaluate <rankmax.api.evaluate.evaluate>`; `test` is then not used: p-values are those of
        the prediction-powered difference.
    baseline : str, optional
        Name of the system to compare with; by default the first.
    test : {"randomization", "t", "wilcoxon"}, default "randomization"
        Paired test over queries.
    alternative : {"two-sided", "greater", "less"}, default "two-sided"
        Alternative hypothesis; "greater": the systems are better than the baseline.
    correction : {"holm", "none"}, default "holm"
        Correction for multiple comparisons.
    level : float, default 0.05
        Significance level of the corrected p-values; intervals have confidence 1 - level.
    permutations : int, default 100_000
        Number of permutations of the randomization test.
    seed : int, default 0
        Random seed of the randomization test and the bootstrap.
    **judging
        judges, clicks, click_model, propensities, clip, ties, missing_queries, no_relevant, backend, memory and
        progress, as in :func:`rankmax.evaluate <rankmax.api.evaluate.evaluate>`.

    Returns
    -------
    Comparison

    Examples
    --------
    >>> qrels = {f"q{q}": {"d1": 1, "d2": 0} for q in range(8)}
    >>> runs = {"bm25": {q: {"d1": 1, "d2": 2} for q in qrels}, "e5": {q: {"d1": 2, "d2": 1} for q in qrels}}
    >>> compare(qrels, runs, "RR")
    RR
     system               mean   difference       95% interval     change        p   W/L/T       d
     ─────────────────────────────────────────────────────────────────────────────────────────────
     bm25 (baseline)   0.5000
     e5                1.0000▲      +0.5000   [+0.5000, +0.5000]   +100.0%   0.0078   8/0/0   +inf
    <BLANKLINE>
    Fisher's paired randomization test, two-sided; marked: p < 0.05
    """
    if judging.get("clicks") is not None and metrics is METRICS:
        metrics = METRIC
    evaluation = evaluate(qrels, systems, metrics, seed=seed, machine_qrels=machine_qrels, **judging)
    names = [system.name for system in evaluation.systems]
    if len(names) < 2:
        raise InvalidDataError(f"only {names[0]!r} is given; comparing needs at least two systems")
    chosen = names[0] if baseline is None else baseline
    if chosen not in names:
        raise UnknownNameError("system", chosen, names)
    if evaluation.machine is not None:
        by_metric = _with_machine(evaluation, chosen, alternative=alternative, correction=correction, level=level)
        return Comparison(by_metric, evaluation, chosen, "prediction-powered", alternative, correction, level)
    by_metric = {
        metric.name: compare_systems(
            {system.name: system.values.values[m] for system in evaluation.systems},
            chosen,
            test=test,
            alternative=alternative,
            correction=correction,
            level=level,
            n_permutations=permutations,
            seed=seed,
        )
        for m, metric in enumerate(evaluation.metrics)
    }
    return Comparison(by_metric, evaluation, chosen, test, alternative, correction, level)


def _with_machine(
    evaluation: Evaluation, baseline: str, *, alternative: Alternative, correction: Correction, level: float
) -> dict[str, BaselineComparison]:
    assert evaluation.machine is not None
    all_ids = evaluation.machine.query_ids
    return {
        metric.name: compare_with_machine(
            {
                one.name: values_of_all(evaluation.query_ids, one.values.values[m], all_ids)
                for one in evaluation.systems
            },
            {one.name: one.values.values[m] for one in evaluation.machine.systems},
            baseline,
            alternative=alternative,
            correction=correction,
            level=level,
        )
        for m, metric in enumerate(evaluation.metrics)
    }


def _table(metric: str, comparison: BaselineComparison) -> Table:
    interval = f"{100 * (1 - comparison.level):g}% interval"
    rows = [[f"{comparison.baseline} (baseline)", f"{comparison.baseline_mean:.4f} ", *[""] * 6]]
    for row in comparison.rows:
        low, high = row.interval
        rows.append(
            [
                row.system,
                f"{row.mean:.4f}{row.marker or ' '}",
                f"{row.difference:+.4f}",
                f"[{low:+.4f}, {high:+.4f}]",
                f"{row.relative_change:+.1f}%",
                format_p(row.corrected_p_value),
                f"{row.wins.wins}/{row.wins.losses}/{row.wins.ties}",
                "-" if math.isnan(row.effect_size) else f"{row.effect_size:+.2f}",
            ]
        )
    return Table(["system", "mean", "difference", interval, "change", "p", "W/L/T", "d"], rows, title=metric)
