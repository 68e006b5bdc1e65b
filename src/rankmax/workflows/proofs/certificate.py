"""Certificates: files with a proof of an upper bound on a metric over all weights, which others can check."""

from __future__ import annotations

import base64
import zlib
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import msgspec
import numpy as np

from rankmax._arrays import F64, readonly
from rankmax._result_views import Block, Facts, ResultView
from rankmax._version import __version__
from rankmax.errors import InvalidDataError
from rankmax.metrics.metric import Metric
from rankmax.metrics.registry import parse_metric
from rankmax.models.json_file import JsonFile
from rankmax.preprocessing.feature_normalization import Normalization

_LARGEST = 1 << 30  # bytes of uncompressed cuts

Bounds = tuple[tuple[float, float], ...]
"""The lowest and the highest weight of each feature."""


_REASONS = {
    "proven": "the proof is complete",
    "seconds": "the time limit; more seconds narrow the gap",
    "cells": "the number of cells",
    "precision": "precision: cells became too small to be cut, as many documents tie at nearly the same weights; "
    "features with a few decimals do better as integers, not normalized",
    "interrupted": "Ctrl-C",
}


@dataclass(frozen=True, eq=False, repr=False)
class Certificate(ResultView, JsonFile):
    """A proof that no weights exceed a bound, with all that is needed to check it against the data.

    The file is JSON. Its `cuts` are the bytes of :class:`~rankmax.optimizers.proof.Proof`, compressed by
    zlib and written in base 64; docs/explanation/certainty.md explains them. It shows itself as facts, also in a
    notebook.

    Attributes
    ----------
    metric : Metric
    features : tuple of str
    normalization : Normalization
        Normalization of the features within each query, before weighting.
    space : str
        Name of the space of weights: "simplex", "euclidean" or "box".
    weights : array, shape (n_features,)
        The best weights found, up to a positive factor.
    value : float
        Mean of the metric at these weights.
    bound : float
        Upper bound: no weights of the space have a higher mean.
    stopped_by : str
        Why the search ended; see :class:`~rankmax.optimizers.proof.Proof`.
    data_hash : str
        Hash of the data that the proof is for.
    cuts : bytes
    bounds : tuple of pairs of float, optional
        For a box: the lowest and the highest weight of each feature.
    rankmax_version : str

    Examples
    --------
    >>> from rankmax.metrics import RR
    >>> leaf = bytes([254])
    >>> one = Certificate(
    ...     RR(), ("bm25",), Normalization.named("none"), "simplex", np.ones(1), 0.5, 0.5, "proven", "blake2b:0", leaf
    ... )
    >>> again = Certificate.from_json(one.to_json())
    >>> again.gap, again.is_maximum, again.cuts == leaf
    (0.0, True, True)
    """

    schema: ClassVar[str] = "rankmax/certificate/1"
    noun: ClassVar[str] = "certificate"

    metric: Metric
    features: tuple[str, ...]
    normalization: Normalization
    space: str
    weights: F64
    value: float
    bound: float
    stopped_by: str
    data_hash: str
    cuts: bytes
    bounds: Bounds | None = None
    rankmax_version: str = __version__

    @property
    def gap(self) -> float:
        """Difference between the bound and the best value found."""
        return self.bound - self.value

    @property
    def is_maximum(self) -> bool:
        """Whether the weights are proven to be the best."""
        return self.gap == 0.0

    @property
    def facts(self) -> dict[str, str]:
        """The best weights, and what is proven of all others, in words."""
        return {
            "metric": self.metric.name,
            "best value": f"{self.value:.6f}",
            **{f"  {name}": f"{w:.6f}" for name, w in zip(self.features, self.weights, strict=True)},
            "proven": f"no weights exceed {self.bound:.6f} on these queries (gap {self.gap:.6f})",
            "stopped by": _REASONS[self.stopped_by],
        }

    @property
    def blocks(self) -> list[Block]:
        """The facts that are shown."""
        return [Facts(self.facts)]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, which can be written as JSON; without the cuts, which :meth:`save` writes."""
        names = self.features
        return {
            "metric": self.metric.name,
            "normalization": self.normalization.name,
            "space": self.space,
            "bounds": None if self.bounds is None else dict(zip(names, self.bounds, strict=True)),
            "weights": dict(zip(names, self.weights.tolist(), strict=True)),
            "value": self.value,
            "bound": self.bound,
            "gap": self.gap,
            "stopped_by": self.stopped_by,
        }

    def _document(self) -> _Document:
        return _Document(
            schema=self.schema,
            rankmax_version=self.rankmax_version,
            metric=self.metric.name,
            normalization=self.normalization.to_dict(),
            space=self.space,
            weights=dict(zip(self.features, self.weights.tolist(), strict=True)),
            value=self.value,
            bound=self.bound,
            stopped_by=self.stopped_by,
            data_hash=self.data_hash,
            cuts=base64.b64encode(zlib.compress(self.cuts, 9)).decode(),
            bounds=None if self.bounds is None else dict(zip(self.features, self.bounds, strict=True)),
        )

    @classmethod
    def _decoded(cls, content: bytes) -> Self:
        document = msgspec.json.decode(content, type=_Document)
        return cls(
            metric=parse_metric(document.metric),
            features=tuple(document.weights),
            normalization=Normalization.from_dict(document.normalization),
            space=document.space,
            weights=readonly(np.array(list(document.weights.values()), np.float64)),
            value=document.value,
            bound=document.bound,
            stopped_by=document.stopped_by,
            data_hash=document.data_hash,
            cuts=_unpacked(document.cuts),
            bounds=_ordered(document),
            rankmax_version=document.rankmax_version,
        )


class _Document(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """Content of the file."""

    schema: str
    rankmax_version: str
    metric: str
    normalization: dict[str, str | float]
    space: str
    weights: dict[str, float]
    value: float
    bound: float
    stopped_by: str
    data_hash: str
    cuts: str
    bounds: dict[str, tuple[float, float]] | None = None


def _ordered(document: _Document) -> Bounds | None:
    if document.bounds is None:
        return None
    if document.bounds.keys() != document.weights.keys():
        raise InvalidDataError("the bounds and the weights are for different features")
    return tuple(document.bounds[name] for name in document.weights)


def _unpacked(text: str) -> bytes:
    unpacker = zlib.decompressobj()
    try:
        cuts = unpacker.decompress(base64.b64decode(text, validate=True), _LARGEST)
    except (ValueError, zlib.error) as error:
        raise InvalidDataError(f"the cuts cannot be unpacked: {error}") from None
    if not unpacker.eof:
        raise InvalidDataError("the cuts end too early, or are too many")
    return cuts
