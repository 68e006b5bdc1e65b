"""Base of all models: ranking of a data set's documents, and fusion of runs."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from rankmax._arrays import F64, readonly
from rankmax._result_views import Block, Facts, ResultView, Table, frame_of_columns
from rankmax.data.dataset import RankingDataset
from rankmax.data.ids import Ids
from rankmax.data.judging import join_runs
from rankmax.data.query_documents import check_ids
from rankmax.data.runs import Qrels, Run
from rankmax.errors import IncompatibleError, InvalidDataError
from rankmax.models.json_file import JsonFile
from rankmax.models.provenance import Provenance, TrainingRecord
from rankmax.preprocessing.feature_normalization import Normalization
from rankmax.preprocessing.run_normalization import ZERO_SCORE, RetrievedNormalization

MOST_SHOWN = 20
"""The number of weights that are shown, unless all are asked for."""


class RankingModel(ResultView, JsonFile):
    """Base of models, which are files, score documents and rank.

    A model shows itself as facts and a table of weights, also in a notebook.

    Attributes
    ----------
    feature_names : tuple of str
        Names by which features are found.
    normalization : Normalization
        Applied within each query.
    """

    feature_names: tuple[str, ...]
    normalization: Normalization
    metric: str | None
    provenance: Provenance
    training: TrainingRecord | None = None

    @abstractmethod
    def weight_columns(self) -> dict[str, F64]:
        """Return the columns of weights, each with an entry for every feature."""

    @property
    def blocks(self) -> list[Block]:
        """The model's origin, and its weights of largest magnitude."""
        columns = self.weight_columns()
        largest = np.max(np.abs(list(columns.values())), axis=0)
        order = np.argsort(-largest, kind="stable")[:MOST_SHOWN].tolist()
        rows = [[self.feature_names[j], *(f"{column[j]:.6g}" for column in columns.values())] for j in order]
        n_hidden = len(self.feature_names) - len(rows)
        hidden = [f"{n_hidden} features with smaller weights are not shown"] if n_hidden else []
        return [Facts(self._facts()), Table(["feature", *columns], rows), *hidden]

    def _facts(self) -> dict[str, str]:
        trained = self.training
        facts = {
            "model": type(self).__name__,
            "metric": self.metric,
            "normalization": self.normalization.name,
            "learner": self.provenance.learner,
            "training": None if trained is None else trained.value,
            "cross-validated": None if trained is None else trained.cross_validated_value,
            "validation": None if trained is None else trained.validation_value,
        }
        texts = {name: f"{fact:.4f}" if isinstance(fact, float) else fact for name, fact in facts.items()}
        return {name: text for name, text in texts.items() if text is not None}

    def _set_arrays(self, shapes: Mapping[str, tuple[int, ...]]) -> None:
        """Make attributes read-only arrays of finite numbers of these shapes."""
        for name, shape in shapes.items():
            array = np.array(getattr(self, name), np.float64)
            if array.shape != shape or not np.isfinite(array).all():
                raise InvalidDataError(f"{name} must be finite numbers of shape {shape}, not {array.shape}")
            object.__setattr__(self, name, readonly(array))

    def to_frame(self) -> Any:
        """Return the weights as a pandas data frame, with a row for each feature."""
        return frame_of_columns({"feature": list(self.feature_names), **self.weight_columns()})

    def rank(self, data: Any, *, topics: Any = None, tag: str = "rankmax") -> Run:
        """Rank the documents of a data set, or fuse runs.

        Parameters
        ----------
        data : RankingDataset, path of a data file, mapping of str to run, or sequence of paths of runs
            A mapping has a run for each system that the model weighs: a path, Run, ``{query: {document: score}}``
            or data frame. Runs that are given as paths alone are known by the names of their files.
        topics : path or mapping of str to str, optional
            For a model whose weights depend on the query: a table of the queries, or the value of each.
        tag : str
            Name of the system in the run.

        Examples
        --------
        >>> from rankmax import LinearModel
        >>> runs = {"bm25": {"q1": {"d1": 9.0, "d2": 7.0}}, "e5": {"q1": {"d2": 4.0}}}
        >>> LinearModel([1.0, 2.0], ("bm25", "e5")).rank(runs).to_dict()
        {'q1': {'d2': 15.0, 'd1': 9.0}}
        """
        values = self.values_of(topics)
        if isinstance(data, str | os.PathLike):
            from rankmax.formats.registry import read_dataset

            data = read_dataset(data)
        if isinstance(data, RankingDataset):
            return run_of(data, self.scores_for(data, values), tag=tag)
        return fuse_runs(self, _runs(data), values=values, tag=tag)

    @abstractmethod
    def scores(self, data: RankingDataset) -> F64:
        """Return the score of each document.

        Parameters
        ----------
        data : RankingDataset
        """

    def scores_for(self, data: RankingDataset, values: Mapping[str, Any] | None = None) -> F64:
        """Return the score of each document, also where weights depend on the query.

        Parameters
        ----------
        data : RankingDataset
        values : mapping, optional
            For weights that depend on the query: what they depend on, by query. A model with the same weights
            for every query refuses it.
        """
        if values is not None:
            raise IncompatibleError("the model has the same weights for every query: leave the topics out")
        return self.scores(data)

    def values_of(self, topics: Any) -> Mapping[str, Any] | None:
        """Return what weights depend on, by query, for :meth:`scores_for`.

        Parameters
        ----------
        topics : path or mapping of str to str, or None
        """
        return None if topics is None else {}


def run_of(data: RankingDataset, scores: F64, *, tag: str = "rankmax") -> Run:
    """Return the run that ranks the data's documents by `scores`.

    Parameters
    ----------
    data : RankingDataset
        Documents without an id are named after their query and their place in it.
    scores : array, shape (n_documents,)
    tag : str
        Name of the system.

    Examples
    --------
    >>> import numpy as np
    >>> data = RankingDataset.from_arrays([[0.2], [0.8], [0.5]], [0, 1, 0], qid=["q1", "q1", "q2"])
    >>> run_of(data, data.scores([1.0])).to_dict()
    {'q1': {'q1-1': 0.2, 'q1-2': 0.8}, 'q2': {'q2-1': 0.5}}
    """
    ids = data.document_ids
    if ids is None:
        counts = data.judgments.documents_by_query.tolist()
        ids = Ids.from_strings(
            f"{query}-{place}" for query, n in zip(data.query_ids, counts, strict=True) for place in range(1, n + 1)
        )
    check_ids("query id", data.query_ids)
    check_ids("document id", ids)
    check_ids("tag", [tag])
    return Run(data.query_ids, data.query_offsets, ids, scores, tag)


def require_runs(model: RankingModel, names: Collection[str]) -> list[str]:
    """Raise where a model weighs a system that is not among some runs; return the runs that it does not know.

    Parameters
    ----------
    model : LinearModel, ExpectedGainModel or VaryingModel
    names : collection of str
        Of the runs.

    Examples
    --------
    >>> from rankmax import LinearModel
    >>> require_runs(LinearModel([1.0, 2.0], ("bm25", "e5")), ["bm25", "e5", "splade"])
    ['splade']
    """
    missing = [name for name in model.feature_names if name not in names]
    if missing:
        raise IncompatibleError(
            f"the model weighs {', '.join(model.feature_names)}, and there is no run {missing[0]!r} among "
            f"{', '.join(names)}; runs are known by the names of their files, unless a name is given: {missing[0]}=FILE"
        )
    return [name for name in names if name not in model.feature_names]


def fuse_runs(
    model: RankingModel, runs: Mapping[str, Run], *, values: Mapping[str, Any] | None = None, tag: str = "rankmax"
) -> Run:
    """Return the run that a model of several systems makes of their runs.

    Parameters
    ----------
    model : LinearModel, ExpectedGainModel or VaryingModel
        As `rankmax tune` writes it: its features are the names of the runs.
    runs : mapping of str to Run
        Those that the model does not know are left out.
    values : mapping of str to str, optional
        As in :meth:`RankingModel.scores_for`.
    tag : str
        Name of the fused system.

    Examples
    --------
    >>> from rankmax import LinearModel
    >>> from rankmax.preprocessing import ReciprocalRank
    >>> runs = {"bm25": Run.from_dict({"q1": {"d1": 9.0, "d2": 7.0}}), "e5": Run.from_dict({"q1": {"d2": 0.5}})}
    >>> fuse_runs(LinearModel([1.0, 2.0], ("bm25", "e5"), ReciprocalRank(k=0)), runs).to_dict()
    {'q1': {'d2': 2.5, 'd1': 1.0}}
    """
    require_runs(model, runs)
    runs = {name: runs[name] for name in model.feature_names}  # others must not add candidates
    found = {query for run in runs.values() for query in run.query_ids}
    queries = sorted(found, key=lambda query: (len(query), query))  # however the runs are ordered; 9 before 10
    for name, run in runs.items():
        if not run.n_queries:
            raise InvalidDataError(f"run {name!r} has no queries; every system that the model weighs needs some")
    never_zero = {
        name: replace(run, scores=readonly(np.where(run.scores == 0, ZERO_SCORE, run.scores)))
        for name, run in runs.items()
    }
    data = join_runs(never_zero, Qrels.from_dict({query: {} for query in queries}), missing="zero")
    if not isinstance(model.normalization, RetrievedNormalization):  # to which 0 is a number like any other
        scores = np.asarray(data.features)
        data = replace(data, features=np.where(scores == ZERO_SCORE, 0.0, scores))
    return run_of(data, model.scores_for(data, values), tag=tag)


def _runs(source: Mapping[str, Any] | Sequence[str | os.PathLike[str]]) -> dict[str, Run]:
    """Return runs by name; mappings have names, paths their files'."""
    from rankmax.formats.interchange import as_run
    from rankmax.formats.named_files import named_files

    if isinstance(source, Mapping):
        return {str(name): as_run(run) for name, run in source.items()}
    if isinstance(source, Sequence) and all(isinstance(path, str | os.PathLike) for path in source):
        return {name: as_run(path) for name, path in named_files([os.fspath(path) for path in source])}
    raise InvalidDataError(
        f"cannot rank {type(source).__name__}; expected a RankingDataset, the path of a data file, a mapping of "
        "names to runs, or a list of paths of runs"
    )
