"""`rankmax.tune`: fusion weights for several systems, and their held-out gain."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankmax._result_views import Block, ResultView, as_frame, axes_for
from rankmax.api.clicked import METRIC, judged_by_clicks
from rankmax.api.export import export
from rankmax.api.inputs import MetricLike, as_metrics
from rankmax.api.progress import Progress
from rankmax.api.tuning_notes import note_queries_left_out, note_unjudged, note_warnings
from rankmax.api.tuning_signals import tuning_signals
from rankmax.api.tuning_view import tuning_blocks
from rankmax.engines.export_target import Export
from rankmax.errors import IncompatibleError, InvalidParameterError, UnknownNameError
from rankmax.formats.judge_tables import Opinion, judged_by
from rankmax.formats.named_files import split_name
from rankmax.fusion.constraint import Constraint
from rankmax.fusion.decision import Verdict
from rankmax.fusion.engine_normalizations import spoken, usual_normalizations
from rankmax.fusion.linear_query_weights import AUTO, QueryWeights
from rankmax.fusion.signals import Signals
from rankmax.fusion.varying_weights import QueryColumn
from rankmax.metrics.metric import Metric
from rankmax.models import LinearModel
from rankmax.models.query_weights_model import QueryWeightsModel
from rankmax.models.ranking_model import RankingModel
from rankmax.models.stacked_model import StackedModel
from rankmax.models.varying_model import VaryingModel
from rankmax.preprocessing.feature_normalization import Normalization
from rankmax.workflows.deployment.project_file import ProjectFile, is_project
from rankmax.workflows.tuning.confidence import WeightConfidence, weight_confidence
from rankmax.workflows.tuning.tuning import tune_systems
from rankmax.workflows.tuning.tuning_inputs import (
    column_of,
    query_weights_of,
)
from rankmax.workflows.tuning.tuning_result import SystemTuning
from rankmax.workflows.tuning.tuning_summary import summarize

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TARGETS = {
    "elasticsearch": "elasticsearch-retriever",
    "opensearch": "opensearch-hybrid",
    **{name: name for name in ("vespa", "solr", "qdrant", "milvus", "weaviate", "lancedb")},
    **{name: name for name in ("langchain", "llama-index", "haystack", "sql")},
}
"""Export target of models by search engine."""


@dataclass(frozen=True, eq=False, repr=False)
class Tuning(ResultView):
    """Fusion weights for several systems, and their held-out gain.

    This is what :func:`rankmax.tune <rankmax.api.tune.tune>` returns. Printed, it is what the command prints;
    in a notebook it shows itself as tables.

    Attributes
    ----------
    result : SystemTuning
        Held-out values of all candidates.
    engine : str or None
        The search engine that it is tuned for.
    notes : tuple of str
        Remarks on the judgments and systems, such as queries that are left out.
    notes_on_pick : tuple of str
        Remarks on the recommended fusion, such as unjudged documents at the top.
    files : tuple of str
        Files that were read; a report shows their hashes.

    Examples
    --------
    >>> from rankmax import tune
    >>> from rankmax.data import planted_linear
    >>> tuning = tune(planted_linear(20, 5, 2, noise=0.3, seed=1).data, metric="AP", repeats=1)
    >>> tuning.model.feature_names, tuning.verdict.word
    (('f1', 'f2'), 'probably better')
    """

    result: SystemTuning
    engine: str | None = None
    notes: tuple[str, ...] = ()
    notes_on_pick: tuple[str, ...] = ()
    files: tuple[str, ...] = ()

    @cached_property
    def confidence(self) -> WeightConfidence:
        """How certain the learned weights are; resampling and the proof take about as long as the table before."""
        learned = self.result.learned
        return weight_confidence(
            self.result.search,
            self.result.learned_fusion.weights,
            holds_for=spoken(learned.normalization),
            seed=self.result.seed,
        )

    @cached_property
    def summary(self) -> dict[str, Any]:
        """All results as plain data, which can be written as JSON."""
        return summarize(self.result, self.confidence)

    @property
    def verdict(self) -> Verdict:
        """Whether to replace the current fusion, and the expected gain."""
        return self.result.verdict

    @property
    def table(self) -> list[dict[str, Any]]:
        """Held-out means and gains of every fusion, the pick first."""
        rows: list[dict[str, Any]] = self.summary["rows"]
        return rows

    @property
    def meets_constraint(self) -> bool:
        """Whether the recommended fusion meets the constraint; True if there is none."""
        return "constraint" not in self.summary or bool(self.summary["constraint"]["met"])

    @property
    def model(self) -> LinearModel | StackedModel:
        """The recommended fusion; of models, with these."""
        return self.written_model()

    @property
    def varying_model(self) -> VaryingModel | QueryWeightsModel | None:
        """Weights that depend on the query, if `by` was given."""
        return self.result.varying_model()

    @property
    def has_round_weights(self) -> bool:
        """Whether there are round weights that meet the constraint."""
        return self.result.keeps(self.result.search.values(self.confidence.rounded[None])[0])

    def model_of(self, row: str | None = None, *, rounded: bool = False) -> LinearModel:
        """Return a fusion as a model.

        Parameters
        ----------
        row : str, optional
            A row of the table, such as "RRF" or "learned"; by default the recommended one.
        rounded : bool
            Whether to take round weights, if the weights are learned and round ones meet the constraint.
        """
        if not self.meets_constraint:
            raise IncompatibleError(self.unmet)
        fusion = self.result.recommended if row is None else self.result.row(row).fusion
        rounds = rounded and fusion is self.result.learned_fusion and self.has_round_weights
        return self.result.model(fusion, weights=self.confidence.rounded if rounds else None)

    def written_model(self, row: str | None = None, *, rounded: bool = False) -> LinearModel | StackedModel:
        """Return a fusion as the model to use: if models were tuned, a stack of these.

        Parameters
        ----------
        row, rounded
            As in :meth:`model_of`.
        """
        fusion, models = self.model_of(row, rounded=rounded), self.result.signals.models
        if models is None:
            return fusion
        return StackedModel(
            tuple(models[name] for name in fusion.feature_names),
            fusion.feature_names,
            fusion.weights,
            fusion.normalization,
            fusion.metric,
            fusion.provenance,
            fusion.training,
        )

    @property
    def unmet(self) -> str:
        """The message for a constraint that cannot be met."""
        constraint = self.summary["constraint"]
        return (
            f"{constraint['text']} cannot be met: of all candidates, the highest value is {constraint['highest']:.4f}"
        )

    def save(self, path: str | os.PathLike[str], *, row: str | None = None, rounded: bool = False) -> None:
        """Write the recommended fusion, or another, as a model file.

        Parameters
        ----------
        path : path
        row, rounded
            As in :meth:`model_of`.
        """
        self.written_model(row, rounded=rounded).save(path)

    def export(self, target: str | None = None, **options: Any) -> Export:
        """Return the recommended fusion as a search engine's request or configuration.

        Parameters
        ----------
        target : str, optional
            As in :func:`rankmax.export <rankmax.api.export.export>`; that of the engine it is tuned
            for, else "python", when left out.
        **options
            As in :func:`rankmax.export <rankmax.api.export.export>`.
        """
        return export(self.model, target or self.target, **options)

    @property
    def target(self) -> str:
        """The export target of the engine."""
        return TARGETS.get(self.engine or "", "python")

    def report(
        self,
        path: str | os.PathLike[str],
        *,
        command: str | None = None,
        model: LinearModel | None = None,
        model_path: str | None = None,
    ) -> None:
        """Write a report as one self-contained web page.

        Parameters
        ----------
        path : path
            Its name ends in .html.
        command : str, optional
            The command that made it, to be shown.
        model : LinearModel, optional
            The model to export; the recommended one when left out.
        model_path : str, optional
            The file that the model was written to, if it was.
        """
        if Path(path).suffix.lower() not in (".html", ".htm"):
            raise InvalidParameterError(f"{os.fspath(path)} is a web page: give a name that ends in .html")
        from rankmax.workflows.tuning.report import write_report

        write_report(
            self.result,
            self.confidence,
            path,
            command=command,
            files=self.files,
            target=self.target,
            model=model,
            model_path=model_path,
            notes=(*self.notes, *self.notes_on_pick),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, which can be written as JSON: the summary."""
        return self.summary

    def to_frame(self) -> Any:
        """Return the table as a pandas data frame, with a row for each fusion."""
        columns = ("name", "label", "is_current", "mean", "low", "high", "gain", "gain_low", "gain_high")
        rows = [
            (
                *(row["name"], row["label"], row["is_current"], row["mean"], *row["interval"]),
                *(row["gain"], *row["gain_interval"]),
            )
            for row in self.table
        ]
        return as_frame(columns, rows)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the gain of every fusion over the current one, with intervals, and return the axes.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Axes to draw on; new ones by default.
        """
        ax = axes_for(ax)
        shown = [row for row in self.table if not row["is_current"]]
        gains = [row["gain"] for row in shown]
        below = [row["gain"] - row["gain_interval"][0] for row in shown]
        above = [row["gain_interval"][1] - row["gain"] for row in shown]
        ax.errorbar(gains, range(len(shown)), xerr=[below, above], fmt="o", color="#0072B2", capsize=3)
        ax.axvline(0, color="black", linewidth=0.8)
        ax.set_yticks(range(len(shown)), [row["name"] for row in shown])
        ax.invert_yaxis()
        metric = self.summary["metrics"][0]
        ax.set_xlabel(f"held-out {metric}: gain over {self.summary['current']['label']}, 95% interval")
        return ax

    @property
    def blocks(self) -> list[Block]:
        """The tables and facts that are shown."""
        return tuning_blocks(self.summary)


def tune(
    systems: Any,
    qrels: Any = None,
    metric: MetricLike | Sequence[MetricLike] | None = None,
    *,
    models: Any = None,
    machine_qrels: Any = None,
    judges: Opinion | None = None,
    clicks: Any = None,
    click_model: str = "auto",
    propensities: Any = "estimated",
    clip: float = 0.01,
    current: str | LinearModel | StackedModel | Mapping[str, float] | None = None,
    normalize: str | Normalization | Sequence[str | Normalization] = (),
    engine: str | None = None,
    constrain: str | Constraint | None = None,
    by: str | None = None,
    topics: str | os.PathLike[str] | Mapping[str, Any] | None = None,
    terms: Any = None,
    folds: int = 5,
    repeats: int | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> Tuning:
    """Tune nonnegative weights for several systems, and report their held-out gain over the current fusion.

    Candidates are weights learned under several score normalizations, weighted RRF, equal weights and every system
    alone. All values are on held-out queries, by repeated cross-validation.

    Parameters
    ----------
    systems : list of paths, mapping of names to runs, RankingDataset, or path of a project file
        Runs, as :func:`rankmax.evaluate <rankmax.api.evaluate.evaluate>` takes them; or one
        log of features, as an object or a data file; or a project, which gives runs, qrels, metric and engine where
        these are left out.
    qrels : path, Qrels, mapping or data frame, optional
        Judgments, needed for runs; a log may have its own.
    metric : str, Metric, or sequence of these, optional
        The first is maximized; the others are reported beside it. By default nDCG@10.
    models : list of paths, or mapping of names to models, optional
        Models to weigh by their scores of a log of features: of rankmax, LightGBM, XGBoost or CatBoost. None may have
        been trained on queries of the log.
    machine_qrels : path, Qrels, mapping or data frame, optional
        Judgments by a machine, such as a language model, of the queries of `qrels` and further ones, for runs. What is
        maximized and reported is then the mean of human judgments, estimated with the machine's; see
        :func:`~rankmax.evaluation.prediction_powered.prediction_powered`.
    judges : {"median", "mean"}, optional
        For grades of several judges: the median or mean grade of each document; by default the median.
    clicks : path or ClickLog, optional
        Clicks to judge by instead of `qrels`, for runs: what is maximized is an estimate of DCG, by default DCG@10; see
        :func:`~rankmax.evaluation.click_estimates.click_gains`.
    click_model, propensities, clip
        As in :func:`rankmax.evaluate <rankmax.api.evaluate.evaluate>`.
    current : str, mapping of str to float, or LinearModel, optional
        The fusion in use today: a system, "RRF", "CombSUM", weights or a model; by default RRF for runs and CombSUM for
        a log.
    normalize : str, Normalization, or sequence of these
        Score normalization within each query; of several, the best is selected. By default all usual ones.
    engine : {"elasticsearch", "opensearch", "vespa", "solr", "qdrant", "milvus", "langchain", ...}, optional
        Restrict candidates to what this search engine supports.
    constrain : str or Constraint, optional
        Lower bound on another metric, such as "P@1>=current-0.01".
    by : str, optional
        Also learn weights that depend on this column of the topics; "auto" for weights that are linear in query
        features: statistics of the lists, and with `topics`, also of the text, and all columns of numbers.
    topics : path or mapping of str to str, optional
        Table of the queries, or the column's value for each query; with "auto", the text of each query, or a mapping
        with text and columns.
    terms : Index, path, or mapping of str to int, optional
        With "auto" and `topics`: an index, or document frequencies by word, by which the share of rare terms is found.
    folds : int, default 5
        Number of cross-validation folds.
    repeats : int, optional
        Number of cross-validation repeats; by default 5, or 1 for more than six systems.
    seed : int, default 0
        Random seed.
    progress : Progress, optional
        Receives progress.

    Returns
    -------
    Tuning

    Examples
    --------
    >>> from rankmax.data import planted_linear
    >>> data = planted_linear(40, 10, 2, noise=0.3, seed=1).data
    >>> tuning = tune(data, metric="AP", repeats=1)
    >>> tuning.model.weights.round(1), str(tuning.verdict)[:15]
    (array([0.2, 0.8]), 'Probably better')
    """
    if is_project(systems):
        project = ProjectFile(systems)
        systems, metric = project.run_paths(), metric or (project.metric if clicks is None else None)
        qrels = qrels or (project.qrels if clicks is None else None)
        engine = engine or (None if normalize else project.engine_class.tuned_as)
    if by != AUTO and (by is None) != (topics is None):
        raise InvalidParameterError("by names a column of the topics: give both, or neither")
    if terms is not None and by != AUTO:
        raise InvalidParameterError('terms are for by="auto"')
    chosen = [normalize] if isinstance(normalize, str | Normalization) else list(normalize)
    if chosen and engine is not None:
        raise InvalidParameterError("give normalize or engine, not both")
    if engine is not None and engine not in TARGETS:
        raise UnknownNameError("engine", engine, TARGETS)
    told = progress or Progress()
    notes = _Notes(told)
    metrics = as_metrics(("nDCG@10" if clicks is None else METRIC) if metric is None else metric)
    constraint = Constraint.parsed(constrain) if isinstance(constrain, str) else constrain
    wanted: list[Metric] = list(metrics)
    if constraint is not None and constraint.metric not in wanted:
        wanted.append(constraint.metric)
    if judges == "expected":
        raise IncompatibleError('tuning takes judges="mean", with which DCG has its expected value, or "median"')
    judged = qrels if judges is None else judged_by(qrels, judges)
    if clicks is not None:
        if qrels is not None or machine_qrels is not None:
            raise IncompatibleError("give either judgments or clicks, not both")
        judged = judged_by_clicks(
            clicks, wanted, click_model=click_model, propensities=propensities, clip=clip, progress=told
        ).qrels
    signals = tuning_signals(systems, judged, machine_qrels, metrics[0], models=models, progress=told)
    if clicks is not None:
        signals = replace(signals, clicked=True)
    if signals.models is not None and (by is not None or engine is not None):
        raise IncompatibleError(
            "weights of models are the same for all queries, and engines have no stacks of models: leave out "
            f"{'by' if by is not None else 'engine'}"
        )
    for remark in (*signals.warnings, *(() if signals.machine is None else [str(signals.machine)])):
        notes.note(remark)
    counted = signals.counted_by(wanted)
    note_queries_left_out(signals, counted, notes.note)
    note_warnings(counted, metrics, folds, notes.note)
    limited = [one if isinstance(one, Normalization) else Normalization.named(one) for one in chosen] or None
    with told.stage("Cross-validating", total=folds * (repeats or 5)) as stage:
        result = tune_systems(
            counted,
            wanted,
            current=_current(current),
            normalizations=limited if engine is None else list(usual_normalizations(counted, engine)),
            constraint=constraint,
            by=_by(by, topics, terms, counted, wanted),
            n_folds=folds,
            n_repeats=repeats,
            seed=seed,
            tick=stage.advance,
        )
    on_pick: list[str] = []
    note_unjudged(result, on_pick.append)
    return Tuning(
        result,
        engine,
        tuple(notes.messages),
        tuple(on_pick),
        _files(systems, qrels, machine_qrels, clicks, topics, current, *_listed(models)),
    )


def _by(
    by: str | None, topics: Any, terms: Any, signals: Signals, metrics: Sequence[Metric]
) -> QueryColumn | QueryWeights | None:
    if by == AUTO:
        return query_weights_of(signals, topics, metrics, terms)
    return None if by is None else column_of(signals, topics, by)


def _current(current: str | LinearModel | StackedModel | Mapping[str, float] | None) -> str | LinearModel | None:
    if isinstance(current, Mapping):
        return ",".join(f"{name}={float(weight)!r}" for name, weight in current.items())
    if isinstance(current, StackedModel):
        return current.fusion
    if isinstance(current, RankingModel) and not isinstance(current, LinearModel):
        raise IncompatibleError(
            f"the current fusion is a {type(current).__name__}: give a model with one set of weights, as a tuning "
            "writes it, or a system's name"
        )
    return current


def _files(systems: Any, *others: Any) -> tuple[str, ...]:
    """Return the files among the arguments."""
    listed = systems.values() if isinstance(systems, Mapping) else systems
    listed = list(listed) if not isinstance(listed, str | os.PathLike) and hasattr(listed, "__iter__") else [listed]
    paths = [os.fspath(one) for one in (*listed, *others) if isinstance(one, str | os.PathLike)]
    return tuple(path for path in paths if os.path.isfile(split_name(path)[1]))


def _listed(models: Any) -> list[Any]:
    if models is None:
        return []
    listed = list(models.values()) if isinstance(models, Mapping) else list(models)
    return [split_name(os.fspath(one))[1] if isinstance(one, str | os.PathLike) else one for one in listed]


class _Notes:
    """Keeps remarks, and passes them on."""

    def __init__(self, progress: Progress) -> None:
        self.messages: list[str] = []
        self._progress = progress

    def note(self, message: str) -> None:
        self.messages.append(message)
        self._progress.note(message)
