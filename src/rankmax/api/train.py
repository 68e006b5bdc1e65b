"""`rankmax.train`: learn weights from data."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from numbers import Number
from typing import TYPE_CHECKING, Any

from rankmax.api.clicked import judged_by_clicks
from rankmax.api.inputs import MetricLike, as_dataset, as_metric
from rankmax.api.progress import Progress
from rankmax.errors import IncompatibleError, InvalidParameterError, OverfittingWarning, UnknownNameError
from rankmax.evaluation.click_estimates import CLIP
from rankmax.formats.interchange import as_qrels
from rankmax.formats.shards import Shards, is_sharded
from rankmax.learners.registry import DIRECT, LEARNERS, option_names
from rankmax.metrics.metric import Metric
from rankmax.workflows.training.judged_training_data import graded_by, graded_by_people_and_machine
from rankmax.workflows.training.model_training import TrainingRun, run_training, with_backend
from rankmax.workflows.training.training_job import TrainingJob

if TYPE_CHECKING:
    from rankmax.backends.backend import Backend
    from rankmax.backends.binned_shards import BinnedShards
    from rankmax.data.dataset import RankingDataset
    from rankmax.learners.direct.training_progress import TrainingCallback

_SEVERAL = ("alpha", "epsilon")  # options of which learners take several values


def train(
    data: Any,
    metric: MetricLike = "nDCG@10",
    *,
    qrels: Any = None,
    machine_qrels: Any = None,
    clicks: Any = None,
    click_model: str = "auto",
    propensities: Any = "estimated",
    clip: float = CLIP,
    validation: Any = None,
    learner: str = DIRECT,
    normalize: str = "none",
    bins: int | None = None,
    folds: int | None = None,
    backend: Backend | str | None = None,
    memory: str | None = None,
    callback: TrainingCallback | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> Any:
    """Learn a model from queries whose documents have features and grades.

    Parameters
    ----------
    data : RankingDataset, path of a data file, tuple (X, y, qid), or folder of shards
        Training queries, whose documents have features and grades.
    metric : str or Metric, default "nDCG@10"
        The metric to maximize.
    qrels : path, Qrels, mapping or data frame, optional
        Judgments that replace the grades of the data, whose documents need ids.
    machine_qrels : path, Qrels, mapping or data frame, optional
        Judgments by a machine, such as a language model, of the queries of `qrels` and of further ones; for the
        learner "direct". What is maximized is the prediction-powered estimate, which a wrong machine does not bias.
    clicks : path or ClickLog, optional
        Clicks to judge by, with None for `qrels`; the metric is DCG.
    click_model, propensities, clip
        As in :func:`rankmax.evaluate <rankmax.api.evaluate.evaluate>`.
    validation : RankingDataset, path of a data file, or tuple (X, y, qid), optional
        Validation queries, by which the model is selected.
    learner : str
        "direct" (the metric itself, by exact line searches), "additive" (a curve per feature), "structural-svm",
        "expected-gain", "surrogate", "ranking-svm", "classification-svm", "maximum-entropy" or "least-squares".
    normalize : str, default "none"
        Normalization of the features within each query, also when the model is used.
    bins : int, optional
        Replace each feature, after normalization, by binary indicators of this many thresholds.
    folds : int, optional
        Folds of the cross-validation that says what to expect of new queries: its value is in the model's record, and
        an :class:`~rankmax.errors.OverfittingWarning` says if the training value is far higher. 0 for none; by default
        5 for small data, which takes about a second, otherwise none.
    backend : Backend or str, optional
        Backend that reads and processes shards: "local", "dask:local" or "dask://host:port".
    memory : str, optional
        Memory limit of the local backend for shards, such as "4GB".
    callback : callable, optional
        Receives the progress of direct maximization.
    progress : Progress, optional
        Receives notes on clicks and machine judgments.
    **options
        Options of the learner: space, n_bags, shrinkage, smoothing, n_restarts, seed, n_jobs, time_limit and
        checkpoint for direct maximization; n_knots, smoothness, monotone, n_products and others for curves; C, loss,
        alpha, epsilon, ridge and others for other learners.

    Returns
    -------
    LinearModel, ExpectedGainModel or AdditiveModel
        It ranks (:meth:`~rankmax.models.ranking_model.RankingModel.rank`), scores, and is saved as JSON.

    Examples
    --------
    >>> from rankmax.data import planted_linear
    >>> model = train(planted_linear(30, 10, 3, seed=1).data, "AP", n_restarts=1)
    >>> model.training.value > 0.99
    True
    """
    if isinstance(metric, list | tuple | set):
        raise InvalidParameterError(f"metric is {metric!r}; a model is trained for one metric, such as 'nDCG@10'")
    if not isinstance(learner, str):
        raise InvalidParameterError(
            f"learner is a {type(learner).__name__}; expected a name such as 'direct'. A learner is trained by its own "
            "fit(X, y, qid=...)"
        )
    wanted = as_metric(metric)
    data = judged_data(
        data,
        (wanted,),
        learner,
        qrels=qrels,
        machine_qrels=machine_qrels,
        clicks=clicks,
        click_model=click_model,
        propensities=propensities,
        clip=clip,
        backend=backend,
        memory=memory,
        progress=progress,
    )
    job = training_job(learner, wanted, normalize if bins is None else "none", options)
    run = run_job(
        job,
        data,
        (wanted,),
        n_folds=folds,
        validation=validation,
        bins=bins,
        bins_normalize=normalize,
        backend=backend,
        memory=memory,
        callback=callback,
    )
    for overfitting in run.overfitting():
        warnings.warn(overfitting, OverfittingWarning, stacklevel=2)
    return run.ranker.model_


def judged_data(
    data: Any,
    metrics: Sequence[Metric],
    learner: str,
    *,
    qrels: Any = None,
    machine_qrels: Any = None,
    clicks: Any = None,
    click_model: str = "auto",
    propensities: Any = "estimated",
    clip: float = CLIP,
    backend: Backend | str | None = None,
    memory: str | None = None,
    progress: Progress | None = None,
) -> Any:
    """Return training data with the judgments that are given beside it, or as it is.

    Parameters
    ----------
    data : RankingDataset, path of a data file, tuple (X, y, qid), or folder of shards
    metrics : sequence of Metric
        The first is maximized.
    learner : str
    qrels, machine_qrels, clicks, click_model, propensities, clip, backend, memory, progress
        As in :func:`train`.
    """
    if qrels is None and machine_qrels is None and clicks is None:
        return data
    if clicks is not None and (qrels is not None or machine_qrels is not None):
        raise IncompatibleError("give either judgments or clicks, not both")
    if machine_qrels is not None and qrels is None:
        raise IncompatibleError("machine judgments are corrected by human ones: give the qrels by people as well")
    if machine_qrels is not None and learner != DIRECT:
        raise IncompatibleError(f"machine judgments are for the learner {DIRECT}, not for {learner}")
    if needs_backend(data, backend, memory):
        raise IncompatibleError("shards have grades of their own; qrels, machine judgments and clicks are for a file")
    dataset, told = as_dataset(data), progress or Progress()
    if clicks is not None:
        found = judged_by_clicks(
            clicks, metrics, click_model=click_model, propensities=propensities, clip=clip, progress=told
        )
        return graded_by(dataset, found.qrels)
    if machine_qrels is None:
        return graded_by(dataset, as_qrels(qrels))
    mixed, note = graded_by_people_and_machine(dataset, as_qrels(qrels), as_qrels(machine_qrels), metrics[0])
    told.note(note)
    return mixed


def training_job(learner: str, metric: Metric, normalize: str, options: Mapping[str, Any]) -> TrainingJob:
    """Return a training job, or raise an error for options that the learner does not have.

    Parameters
    ----------
    learner : str
    metric : Metric
    normalize : str
    options : mapping of str to object
        Options of the learner; None stands for the default.
    """
    own = option_names(learner)
    given = {name: value for name, value in options.items() if value is not None}
    for name in given:
        if name not in own:
            others = [other for other in LEARNERS if name in option_names(other)]
            if not others:
                raise UnknownNameError(f"option of the learner {learner}", name, own)
            raise InvalidParameterError(f"{name} is not for the learner {learner}; it is for {', '.join(others)}")
    several = {name: (given[name],) for name in _SEVERAL if isinstance(given.get(name), Number)}
    return TrainingJob(learner, metric, normalize, {**given, **several})


def run_job(
    job: TrainingJob,
    data: Any,
    metrics: Sequence[Metric],
    *,
    validation: Any = None,
    bins: int | None = None,
    bins_normalize: str = "none",
    backend: Backend | str | None = None,
    memory: str | None = None,
    **asked: Any,
) -> TrainingRun:
    """Run a training job, in this process or on a backend.

    Parameters
    ----------
    job : TrainingJob
    data, validation, backend, memory
        As in :func:`train`.
    metrics : sequence of Metric
        Metrics to evaluate; without any, the model is only trained.
    bins : int, optional
        Thresholds of each feature, whose indicators are learned from.
    bins_normalize : str, default "none"
        Normalization before binning.
    **asked
        n_folds, save, callback and tick, as in :func:`~rankmax.workflows.training.model_training.run_training`.
    """
    judge = None if validation is None else as_dataset(validation)
    if needs_backend(data, backend, memory):
        from rankmax.backends.registry import backend_named

        shards = data if isinstance(data, Shards) else Shards.at(data)
        opened: AbstractContextManager[Backend] = (
            backend_named(backend or "local", memory=memory)
            if backend is None or isinstance(backend, str)
            else nullcontext(backend)
        )
        with opened as reader:
            job = with_backend(job, reader)  # raises where the learner has none, before the shards are read
            if bins is not None:
                shards = _binned_shards(shards, reader, bins, bins_normalize)
                judge = judge and shards.binning.apply(judge)
            return run_training(job, shards, metrics, backend=reader, validation=judge, **asked)
    training = as_dataset(data)
    apply = _binning(training, bins, bins_normalize)
    return run_training(job, apply(training), metrics, validation=None if judge is None else apply(judge), **asked)


def needs_backend(data: Any, backend: Backend | str | None, memory: str | None) -> bool:
    """Return whether data is processed by a backend rather than in this process.

    Parameters
    ----------
    data : object
    backend : Backend, str or None
    memory : str or None
    """
    if isinstance(data, Shards) or backend not in (None, "local") or memory is not None:
        return True
    return isinstance(data, str | os.PathLike) and (is_sharded(data) or "://" in os.fspath(data))


def _binning(data: RankingDataset, bins: int | None, normalize: str) -> Callable[[RankingDataset], RankingDataset]:
    if bins is None:
        return lambda same: same
    from rankmax.preprocessing.binning import Binning

    return Binning.fit(data, n_thresholds=bins, normalization=normalize).apply


def _binned_shards(shards: Shards, backend: Backend, bins: int, normalize: str) -> BinnedShards:
    from rankmax.backends.binned_shards import BinnedShards
    from rankmax.backends.distributed_dataset import DistributedDataset

    return BinnedShards.fit(shards, DistributedDataset(backend, shards), n_thresholds=bins, normalization=normalize)
