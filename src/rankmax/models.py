"""What a learner returns: weights with all that is needed to use them again, as JSON, never pickle."""

from __future__ import annotations

import hashlib
import os
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import msgspec
import numpy as np
from numpy.typing import NDArray

from rankmax._version import __version__
from rankmax.arrays import F64, readonly
from rankmax.data.binning import features_by_name
from rankmax.data.dataset import RankingDataset
from rankmax.data.normalise import Normalisation, Unchanged
from rankmax.data.packing import pack
from rankmax.errors import DataFormatError, InvalidDataError, RankmaxError
from rankmax.files import atomic_writer, read_bytes

Parameter = bool | int | float | str | list[float | str] | None
"""What a learner's parameter may be, in a model's provenance."""


class Provenance(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where a model comes from.

    Attributes
    ----------
    rankmax_version : str
    learner : str or None
        Name of the learner's class.
    parameters : dict
        The learner's parameters.
    seed : int or None
    data_hash : str or None
        :func:`data_hash` of the training data.
    created : str or None
        ISO 8601 time; left out where equal runs shall give equal files.
    """

    rankmax_version: str = __version__
    learner: str | None = None
    parameters: dict[str, Parameter] = {}
    seed: int | None = None
    data_hash: str | None = None
    created: str | None = None


class MarginRecord(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How near to the best possible a structural SVM's weights are known to be.

    Attributes
    ----------
    loss : str
    C : float
        As given, or as chosen by the validation queries.
    objective : float
        What was minimised.
    gap : float
        By at most so much could other weights be better.
    n_iterations : int
        Searches for the most violated constraints.
    n_constraints : int
        In the working set at the end.
    n_skipped_queries : int
        Queries of the training data that say nothing about the order of their documents.
    """

    loss: str
    C: float
    objective: float
    gap: float
    n_iterations: int
    n_constraints: int
    n_skipped_queries: int


class TrainingRecord(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a model's weights were found.

    Attributes
    ----------
    value : float
        The metric on the training queries.
    validation_value : float or None
        The metric on the validation queries, where the weights were chosen by them.
    n_ascents, n_lines : int
        Ascents, and lines searched by all of them.
    stopped_by : str
        "converged", or what ended it early: "seconds", "interrupted", "iterations" or "precision".
    curve : tuple of pairs (n_lines, value)
        Of the ascent that found the weights, from its start to the weights: lines searched, and the metric on the
        queries it climbed on. Empty for bags.
    bag_values : tuple of float
        The metric on each bag's own sample of queries, for weights that are an average over bags.
    margin : MarginRecord or None
        For weights that a structural SVM found.
    """

    value: float
    validation_value: float | None = None
    n_ascents: int = 1
    n_lines: int = 0
    stopped_by: str = "converged"
    curve: tuple[tuple[int, float], ...] = ()
    bag_values: tuple[float, ...] = ()
    margin: MarginRecord | None = None


class StoredModel(ABC):
    """A model with a file format: JSON that names its schema, read and written in one way for all kinds."""

    schema: ClassVar[str]

    @abstractmethod
    def _document(self) -> msgspec.Struct:
        """Return the file as it stands on disk."""

    @classmethod
    @abstractmethod
    def _decoded(cls, content: bytes) -> Self:
        """Build a model from JSON of its schema."""

    def to_json(self) -> bytes:
        """Return the model as JSON, indented for reading."""
        return msgspec.json.format(msgspec.json.encode(self._document()), indent=2) + b"\n"

    @classmethod
    def from_json(cls, content: bytes, *, source: str | os.PathLike[str] = "<model>") -> Self:
        """Build a model from JSON.

        Parameters
        ----------
        content : bytes
        source : path
            Named in errors.
        """
        check_schema(content, (cls.schema,), source)
        try:
            return cls._decoded(content)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, RankmaxError) as error:
            raise DataFormatError(source, f"no model of rankmax: {error}") from None

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model as a JSON file, which appears complete or not at all."""
        with atomic_writer(path) as file:
            file.write(self.to_json())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a model from a JSON file."""
        return cls.from_json(read_bytes(path), source=path)


@dataclass(frozen=True, eq=False)
class LinearModel(StoredModel):
    """Scores documents by a weighted sum of their normalised features.

    Attributes
    ----------
    weights : array of float64, shape (n_features,)
    feature_names : tuple of str
        Features are found by name, wherever they stand in the data.
    normalisation : Normalisation
        Applied within each query before weighting, as in training.
    metric : str or None
        Name of the metric it was trained for.
    provenance : Provenance
    training : TrainingRecord or None
        How the weights were found, where a search found them.

    Examples
    --------
    >>> model = LinearModel(np.array([1.0, 0.5]), ("bm25", "clicks"), metric="nDCG@10")
    >>> data = RankingDataset.from_arrays(
    ...     [[2.0, 1.0], [4.0, 3.0]], [0, 1], qid=[7, 7], feature_names=["clicks", "bm25"]
    ... )
    >>> model.scores(data)
    array([2., 5.])
    >>> LinearModel.from_json(model.to_json()).metric
    'nDCG@10'
    """

    schema: ClassVar[str] = "rankmax/linear-model/1"

    weights: F64
    feature_names: tuple[str, ...]
    normalisation: Normalisation = field(default_factory=Unchanged)
    metric: str | None = None
    provenance: Provenance = field(default_factory=Provenance)
    training: TrainingRecord | None = None

    def __post_init__(self) -> None:
        weights = np.array(self.weights, np.float64)
        names = tuple(self.feature_names)
        if weights.shape != (len(names),):
            raise InvalidDataError(f"weights have shape {weights.shape} for {len(names)} feature names")
        if len(set(names)) != len(names):
            raise InvalidDataError("a feature name occurs twice")
        if not np.isfinite(weights).all():
            bad = int(np.flatnonzero(~np.isfinite(weights))[0])
            raise InvalidDataError(f"the weight of {names[bad]!r} is {weights[bad]}; weights are finite numbers")
        object.__setattr__(self, "weights", readonly(weights))
        object.__setattr__(self, "feature_names", names)

    def scores(self, data: RankingDataset) -> F64:
        """Return the score of each document.

        Parameters
        ----------
        data : RankingDataset
            Must have every feature whose weight is not 0, under its name; others are ignored. For an indicator such as
            ``bm25>12.5`` the feature that it is of suffices.
        """
        used = np.flatnonzero(self.weights)
        view = features_by_name(data, [self.feature_names[j] for j in used])
        return self.normalisation.apply(view).scores(self.weights[used])

    def _document(self) -> _Document:
        return _Document(
            schema=self.schema,
            metric=self.metric,
            normalisation=self.normalisation.to_dict(),
            features=[
                _Feature(name, weight) for name, weight in zip(self.feature_names, self.weights.tolist(), strict=True)
            ],
            provenance=self.provenance,
            training=self.training,
        )

    @classmethod
    def _decoded(cls, content: bytes) -> Self:
        document = msgspec.json.decode(content, type=_Document)
        return cls(
            np.array([feature.weight for feature in document.features]),
            tuple(feature.name for feature in document.features),
            Normalisation.from_dict(document.normalisation),
            document.metric,
            document.provenance,
            document.training,
        )


class _Header(msgspec.Struct):
    schema: str


class _Feature(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    weight: float


class _Document(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """The file as it stands on disk."""

    schema: str
    metric: str | None
    normalisation: dict[str, str | float]
    features: list[_Feature]
    provenance: Provenance
    training: TrainingRecord | None = None


def data_hash(data: RankingDataset) -> str:
    """Return a hash of a data set's content: features, names, grades, queries and document ids.

    Equal content has equal hashes on every machine, in any file format that keeps all of it.

    Parameters
    ----------
    data : RankingDataset

    Examples
    --------
    >>> data_hash(RankingDataset.from_arrays([[0.5], [0.1]], [1, 0], qid=[7, 7]))
    'blake2b:...'
    """
    digest = hashlib.blake2b(digest_size=16)

    def add(label: str, array: NDArray[Any]) -> None:
        little = array.astype(array.dtype.newbyteorder("<"), copy=False)
        digest.update(f"{label} {little.dtype.str} {little.shape}\n".encode())
        digest.update(np.ascontiguousarray(little).data)

    if isinstance(data.features, np.ndarray):
        add("features", data.features.T)
    else:
        add("sparse values", data.features.data)
        add("sparse rows", data.features.indices.astype(np.int64))
        add("sparse offsets", data.features.indptr.astype(np.int64))
    judgments = data.judgments
    add("grades", data.grades)
    add("query offsets", judgments.query_offsets)
    add("unretrieved grades", judgments.levels[judgments.unretrieved_levels])
    add("unretrieved offsets", judgments.unretrieved_offsets)
    for label, strings in (
        ("feature names", data.feature_names),
        ("query ids", data.query_ids),
        ("document ids", data.document_ids or ()),
    ):
        packed, lengths = pack(strings)
        add(label, packed)
        add(f"{label} lengths", lengths)
    return f"blake2b:{digest.hexdigest()}"


def check_schema(content: bytes, known: Sequence[str], source: str | os.PathLike[str]) -> str:
    """Return the schema that a model file names, or raise unless it is among those known.

    Parameters
    ----------
    content : bytes
        JSON.
    known : sequence of str
        Schemas, each a kind of model and a version, such as "rankmax/linear-model/1".
    source : path
        Named in errors.

    Examples
    --------
    >>> check_schema(b'{"schema": "rankmax/tree/1"}', ["rankmax/linear-model/1"], "model.json")
    Traceback (most recent call last):
    rankmax.errors.DataFormatError: model.json: schema is 'rankmax/tree/1', expected 'rankmax/linear-model/1'
    """
    try:
        schema = msgspec.json.decode(content, type=_Header).schema
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise DataFormatError(source, f"no model of rankmax: {error}") from None
    if schema in known:
        return schema
    kind, _, version = schema.rpartition("/")
    if version.isascii() and version.isdigit() and kind in {name.rpartition("/")[0] for name in known}:
        raise DataFormatError(
            source,
            f"schema {schema!r} is of another version than rankmax {__version__} reads "
            f"({' or '.join(known)}); upgrade rankmax to use a newer model",
        )
    raise DataFormatError(source, f"schema is {schema!r}, expected {' or '.join(map(repr, known))}")
