"""Conversion of judgments, systems and metrics from every form that users may give."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from numbers import Number
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from rankmax._io.files import open_binary
from rankmax.data.dataset import RankingDataset
from rankmax.data.judge_ratings import JudgeRatings
from rankmax.data.judgments import Judgments
from rankmax.data.runs import Qrels, Run
from rankmax.errors import IncompatibleError, InvalidDataError, InvalidParameterError
from rankmax.formats.interchange import as_qrels
from rankmax.formats.named_files import named_files
from rankmax.metrics.metric import Metric, NoRelevant
from rankmax.metrics.registry import parse_metric
from rankmax.models.ranking_model import RankingModel

if TYPE_CHECKING:
    from rankmax.formats.shards import Shards

_HEAD = 65536  # bytes of a file that are read to tell judgments from features

Path: TypeAlias = str | os.PathLike[str]
MetricLike: TypeAlias = str | Metric
"""A metric, or its name, such as "nDCG@10"."""


@dataclass(frozen=True)
class Judged:
    """Judgments for the evaluation of systems.

    Attributes
    ----------
    name : str
        Name for messages: the file, or "the judgments".
    content : Qrels, JudgeRatings, RankingDataset, Judgments or Shards
        Qrels and grades by several judges judge runs; the others judge models and scores.
    """

    name: str
    content: Qrels | JudgeRatings | RankingDataset | Judgments | Shards

    @classmethod
    def of(cls, source: Any, systems: Mapping[str, Any], *, on_backend: bool = False) -> Judged:
        """Return judgments from any form that a user may give.

        Parameters
        ----------
        source : Judged, Qrels, RankingDataset, Judgments, Shards, path, mapping or data frame
        systems : mapping of str to object
            The systems to judge, which tell what a file of unclear content holds.
        on_backend : bool
            Whether a data file is to be read by a backend.
        """
        from rankmax.formats.shards import Shards

        if isinstance(source, Judged):
            return source
        if isinstance(source, str | os.PathLike):
            of_data = any(is_model(system) or is_array(system) for system in systems.values())
            return cls.read(source, has_features=of_data or is_data_file(source), on_backend=on_backend)
        if isinstance(source, JudgeRatings | RankingDataset | Judgments | Shards):
            return cls("the judgments", source)
        if is_array(source):
            raise InvalidDataError(
                "the first argument is an array; expected judgments first and then systems: "
                "evaluate(data, scores, metrics)"
            )
        return cls("the judgments", as_qrels(source))

    @classmethod
    def read(cls, path: Path, *, has_features: bool, on_backend: bool = False) -> Judged:
        """Read a file of judgments.

        Parameters
        ----------
        path : path or URL
        has_features : bool
            Whether it is a data file, or a folder of shards, rather than qrels.
        on_backend : bool
            Whether a data file is to be read by a backend.
        """
        name = os.fspath(path)
        if not has_features:
            return cls(name, as_qrels(path))
        from rankmax.formats.registry import read_dataset
        from rankmax.formats.shards import Shards, is_sharded

        there = on_backend or is_sharded(name) or "://" in name
        return cls(name, Shards.at(name) if there else read_dataset(name))


def as_metrics(metrics: MetricLike | Sequence[MetricLike], no_relevant: str = "zero") -> tuple[Metric, ...]:
    """Return one metric or several, given as objects or by their names.

    Parameters
    ----------
    metrics : str, Metric, or sequence of these
    no_relevant : {"zero", "one", "skip"}, default "zero"
        Value of queries without relevant documents.

    Examples
    --------
    >>> [metric.name for metric in as_metrics(["AP", "nDCG@10"])]
    ['AP', 'nDCG@10']
    """
    listed: Any = metrics if isinstance(metrics, Sequence | Set) and not isinstance(metrics, str) else [metrics]
    parsed = tuple(map(as_metric, listed))
    if not parsed:
        raise InvalidParameterError("no metrics are given; name at least one, such as 'nDCG@10'")
    if no_relevant == "zero":
        return parsed
    return tuple(replace(metric, no_relevant=one_of("no_relevant", NoRelevant, no_relevant)) for metric in parsed)


def as_metric(metric: Any) -> Metric:
    """Return a metric that is given as an object, by its name, or as an object of ir-measures.

    Parameters
    ----------
    metric : Metric, class of a metric that needs no parameters, str, or measure of ir-measures

    Examples
    --------
    >>> as_metric("MAP").name
    'AP'
    >>> as_metric(len)
    Traceback (most recent call last):
    rankmax.errors.InvalidParameterError: the metric is <built-in function len>; expected a name such as 'nDCG@10', ...
    """
    if isinstance(metric, Metric):
        return metric
    if isinstance(metric, type) and issubclass(metric, Metric):
        return parse_metric(metric.symbol)
    if isinstance(metric, str) or type(metric).__module__.startswith("ir_measures"):
        return parse_metric(str(metric))
    raise InvalidParameterError(
        f"the metric is {metric!r}; expected a name such as 'nDCG@10', a metric of rankmax.metrics, or a function of "
        "ranked grades wrapped in rankmax.metrics.from_function"
    )


def one_of(parameter: str, kind: Any, value: Any) -> Any:
    """Return a member of an enumeration by its name.

    Parameters
    ----------
    parameter : str
        Name of the argument, for messages.
    kind : Enum
    value : str or member
    """
    try:
        return kind(value)
    except ValueError:
        allowed = ", ".join(repr(member.value) for member in kind)
        raise InvalidParameterError(f"{parameter} is {value!r}; expected one of {allowed}") from None


def as_systems(systems: Any) -> dict[str, Any]:
    """Return systems by name.

    Parameters
    ----------
    systems : one system, a list of systems, or a mapping of names to systems
        A system is a path, Run, ``{query: {document: score}}``, data frame, model, or array of scores. Files have
        their own names, as on the command line, and a Run has its tag.

    Examples
    --------
    >>> list(as_systems(["runs/bm25.run", "e5=runs/dense.run"]))
    ['bm25', 'e5']
    >>> list(as_systems({"q1": {"d1": 0.5}})), list(as_systems({"bm25": {"q1": {"d1": 0.5}}}))
    (['system'], ['bm25'])
    """
    if isinstance(systems, Mapping) and not _is_nested_run(systems):
        if not systems:
            raise InvalidDataError("no systems are given")
        return {str(name): system for name, system in systems.items()}
    listed = systems if isinstance(systems, list | tuple) and not _is_one_system(systems) else [systems]
    if not listed:
        raise InvalidDataError("no systems are given")
    paths = [os.fspath(system) for system in listed if isinstance(system, str | os.PathLike)]
    files = iter(named_files(paths))
    found: list[tuple[str, Any]] = []
    for number, system in enumerate(listed, 1):
        if isinstance(system, str | os.PathLike):
            file = next(files)
            found.append((file.name, file.path))
        elif isinstance(system, Run):
            found.append((system.tag, system))
        else:
            found.append((f"system {number}" if len(listed) > 1 else "system", system))
    for name, n in Counter(name for name, _ in found).items():
        if n > 1:
            raise InvalidDataError(f"{n} systems are called {name!r}; give a mapping of names to systems")
    return dict(found)


def as_dataset(data: Any) -> RankingDataset:
    """Return a data set, which may be given as the path of its file.

    Parameters
    ----------
    data : RankingDataset, path, or triple of arrays (X, y, qid)
    """
    if isinstance(data, RankingDataset):
        return data
    if isinstance(data, str | os.PathLike):
        from rankmax.formats.registry import read_dataset

        return read_dataset(data)
    if isinstance(data, tuple) and len(data) == 3:
        X, y, qid = data
        return RankingDataset.from_arrays(X, y, qid=qid)
    raise InvalidDataError(
        f"{type(data).__name__} holds no features and grades; expected a RankingDataset, the path of a data file, or a "
        "tuple (X, y, qid)"
    )


def as_model(model: Any) -> Any:
    """Return a model, which may be given as its file or as the learner that has learned it.

    Parameters
    ----------
    model : model, fitted learner, tuning, or path
    """
    if isinstance(model, str | os.PathLike):
        from rankmax.models.model_files import load_any_model

        return load_any_model(model)
    if isinstance(found := getattr(model, "model", None), RankingModel):  # of a tuning
        return found
    if not is_model(model):
        raise InvalidDataError(f"{type(model).__name__} is no model; expected a model, a fitted learner or a file")
    return getattr(model, "model_", model)


def as_linear_model(model: Any) -> Any:
    """Return a model with one weight for each feature, or refuse a model of rankmax that has none.

    Parameters
    ----------
    model : model, fitted learner, tuning, or path
    """
    from rankmax.models.linear_model import LinearModel

    loaded = as_model(model)
    if isinstance(loaded, RankingModel) and not isinstance(loaded, LinearModel):
        raise IncompatibleError(f"expected a linear model; a {type(loaded).__name__} has no single weight of a feature")
    return loaded


def is_model(system: Any) -> bool:
    """Return whether an object is a model, or a learner that has learned one.

    Parameters
    ----------
    system : object
    """
    if isinstance(system, RankingDataset):  # has scores and names of features, too
        return False
    return hasattr(system, "model_") or (hasattr(system, "scores") and hasattr(system, "feature_names"))


def is_array(system: Any) -> bool:
    """Return whether an object is an array, or a list of numbers.

    Parameters
    ----------
    system : object
    """
    if isinstance(system, list | tuple):
        return bool(system) and isinstance(system[0], Number)
    return isinstance(system, np.ndarray) or (hasattr(system, "__array__") and not hasattr(system, "columns"))


def is_data_file(path: Path) -> bool:
    r"""Return whether a file or URL holds features, rather than judgments alone.

    Parameters
    ----------
    path : path or URL
        Names that end in .npz, folders and URLs are data; else the first line tells: LETOR has ``qid:``.

    Examples
    --------
    >>> is_data_file("train.npz"), is_data_file("s3://bucket/shards")
    (True, True)
    """
    name = os.fspath(path)
    if "://" in name or name.lower().endswith(".npz") or os.path.isdir(name):
        return True
    with open_binary(name) as file:
        lines = file.read(_HEAD).splitlines()
    first = next((line for line in lines if line.strip() and not line.lstrip().startswith(b"#")), b"")
    return any(token.startswith(b"qid:") for token in first.split()[1:2])


def is_model_file(path: Path) -> bool:
    """Return whether a file looks like a model, which is a JSON object or of a library of trees.

    Parameters
    ----------
    path : path
    """
    from rankmax.models.trees.tree_files import is_tree_file

    with open_binary(path) as file:
        head = file.read(_HEAD)
    return head.lstrip().startswith(b"{") or is_tree_file(head)


def _is_nested_run(systems: Mapping[Any, Any]) -> bool:
    """Return whether a mapping is one run, {query: {document: score}}, rather than systems by name."""
    for documents in systems.values():
        if not isinstance(documents, Mapping):
            return False
        for value in documents.values():
            return not isinstance(value, Mapping)
    return False


def _is_one_system(systems: Sequence[Any]) -> bool:
    """Return whether a list is one system: numbers, or pairs of query and document with a score."""
    return bool(systems) and (isinstance(systems[0], Number) or hasattr(systems[0], "doc_id"))
