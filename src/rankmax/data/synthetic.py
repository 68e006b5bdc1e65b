"""Synthetic data: a problem with known best weights, and data with the shape of web-search data at any size."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from rankmax._arrays import F32, F64
from rankmax.data.dataset import RankingDataset, default_feature_names
from rankmax.data.judgments import Judgments
from rankmax.errors import InvalidParameterError

MSLR_FEATURES = 136
MSLR_GRADE_SHARES = (0.52, 0.32, 0.13, 0.02, 0.01)

_RELEVANT_SHARE = 0.4  # planted problems: the best 40% have grade 1 or more, the best 16% grade 2 or more, ...
_RICHNESS = np.float32(0.6)  # variation of the share of good documents between queries
_GOLDEN = 0.6180339887498949


@dataclass(frozen=True, eq=False)
class PlantedProblem:
    """A ranking problem together with the weights that generated it.

    Attributes
    ----------
    data : RankingDataset
    weights : array of float64, shape (n_features,)
        Unit vector of weights. Without noise, ranking by them is ideal.
    """

    data: RankingDataset
    weights: F64


def planted_linear(
    n_queries: int,
    n_documents: int,
    n_features: int,
    *,
    noise: float = 0.0,
    seed: int | np.random.Generator,
    n_grades: int = 3,
) -> PlantedProblem:
    r"""Generate a problem whose grades follow a hidden linear score.

    Features are standard normal, weights :math:`w` a random direction. Within each query, documents are sorted by
    :math:`w^T x + noise \cdot \epsilon`, and the best :math:`\lceil 0.4^g n \rceil` get grade g or more.

    Parameters
    ----------
    n_queries, n_documents, n_features : int
        Sizes; `n_documents` is per query.
    noise : float
        Standard deviation of the noise; that of the score is 1.
    seed : int or Generator
        Random seed.
    n_grades : int
        Number of different grades, including 0.

    Examples
    --------
    >>> problem = planted_linear(2, 4, 3, seed=7)
    >>> scores = problem.data.scores(problem.weights)
    >>> best_first = np.argsort(-scores[:4])
    >>> problem.data.grades[:4][best_first]
    array([2., 1., 0., 0.])
    """
    _require_positive(n_queries=n_queries, n_documents=n_documents, n_features=n_features, n_grades=n_grades)
    if not (np.isfinite(noise) and noise >= 0):
        raise InvalidParameterError(f"noise is {noise}; expected a nonnegative standard deviation")
    rng = np.random.default_rng(seed)
    weights = rng.standard_normal(n_features)
    weights /= np.linalg.norm(weights)
    features = np.asfortranarray(rng.standard_normal((n_queries * n_documents, n_features)))
    offsets = np.arange(n_queries + 1) * n_documents
    names = default_feature_names(n_features)
    ungraded = RankingDataset(features, names, Judgments.from_grades(np.zeros(len(features)), offsets))
    utility = ungraded.scores(weights) + noise * rng.standard_normal(len(features))
    best_first = np.argsort(-utility.reshape(n_queries, n_documents), axis=1, kind="stable")
    grade_by_rank = np.zeros(n_documents)
    for grade in range(1, n_grades):
        grade_by_rank[: int(np.ceil(_RELEVANT_SHARE**grade * n_documents))] = grade
    grades = np.empty((n_queries, n_documents))
    np.put_along_axis(grades, best_first, np.broadcast_to(grade_by_rank, grades.shape), axis=1)
    judgments = Judgments.from_grades(grades.ravel(), offsets, query_ids=_query_ids(0, n_queries))
    return PlantedProblem(RankingDataset(features, names, judgments), weights)


def mslr_like(n_queries: int, *, seed: int | np.random.Generator) -> RankingDataset:
    """Generate data with the shape of Microsoft's web-search sets MSLR-WEB10K and WEB30K, in one float32 array.

    It has 136 features, about 120 documents per query (from a handful to hundreds), and grades 0 to 4 in about 52, 32,
    13, 2 and 1 percent of the documents. Features are counts with many ties, heavy-tailed numbers, shares and negative
    log-likelihoods; many are zero for most documents, their scale differs by query, and they predict the grade
    to different degrees, some not at all.

    Parameters
    ----------
    n_queries : int
        Number of queries.
    seed : int or Generator
        Random seed. Each query has a random stream of its own, so the first queries of a larger problem are the same.

    Examples
    --------
    >>> data = mslr_like(10, seed=1)
    >>> data.n_queries, data.n_features, data.features.dtype
    (10, 136, dtype('float32'))

    References
    ----------
    Qin & Liu 2013, Introducing LETOR 4.0 datasets (the MSLR-WEB sets and their feature list).
    """
    _require_positive(n_queries=n_queries)
    return _generate(_entropy(seed), 0, n_queries)


def mslr_like_chunks(
    n_queries: int, *, seed: int | np.random.Generator, chunk_queries: int = 1000
) -> Iterator[RankingDataset]:
    """Yield the data of :func:`mslr_like` some queries at a time, in memory that does not grow with the total.

    Parameters
    ----------
    n_queries : int
        Number of queries.
    seed : int or Generator
        Random seed.
    chunk_queries : int
        Number of queries in each data set but the last; the data is the same, bit for bit, for every choice.

    Examples
    --------
    >>> [chunk.n_queries for chunk in mslr_like_chunks(10, seed=1, chunk_queries=4)]
    [4, 4, 2]
    """
    _require_positive(n_queries=n_queries, chunk_queries=chunk_queries)
    entropy = _entropy(seed)
    firsts = range(0, n_queries, chunk_queries)
    return (_generate(entropy, first, min(first + chunk_queries, n_queries)) for first in firsts)


def _generate(entropy: int, first_query: int, stop_query: int) -> RankingDataset:
    streams = [_stream(entropy, query) for query in range(first_query, stop_query)]
    sizes = np.array([_query_size(stream) for stream in streams], np.int64)
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    features = np.empty((offsets[-1], MSLR_FEATURES), np.float32, order="F")
    grades = np.empty(offsets[-1])
    shape = _FeatureShape.of_mslr()
    for q, stream in enumerate(streams):
        span = slice(offsets[q], offsets[q + 1])
        grades[span] = _query_grades(stream, int(sizes[q]))
        features.T[:, span] = shape.draw(stream, grades[span].astype(np.float32))
    ids = _query_ids(first_query, stop_query)
    judgments = Judgments.from_grades(grades, offsets, query_ids=ids)
    return RankingDataset(features, default_feature_names(MSLR_FEATURES), judgments)


def _stream(entropy: int, query: int) -> np.random.Generator:
    return np.random.Generator(np.random.SFC64(np.random.SeedSequence(entropy, spawn_key=(query,))))


def _query_size(rng: np.random.Generator) -> int:
    """Draw a number of documents: bell-shaped with a long right tail, from 1 to 721, 120 on average."""
    bell = rng.random(3).mean()
    tail = rng.random()
    return 1 + int(150 * bell + 16.6 * tail / (1.03 - tail))


def _query_grades(rng: np.random.Generator, n_documents: int) -> F64:
    """Draw grades whose shares differ by query and equal MSLR's on average.

    A uniform quality plus a query's offset, reflected back into [0, 1], is uniform again over all queries because
    the offset is symmetric.
    """
    quality = rng.random(n_documents) + _RICHNESS * (rng.random() - 0.5)
    quality = 1.0 - np.abs(1.0 - np.abs(quality))
    return np.searchsorted(np.cumsum(MSLR_GRADE_SHARES[:-1]), quality, side="right").astype(np.float64)


@dataclass(frozen=True, eq=False)
class _FeatureShape:
    """Parameters that turn a uniform number and a grade into the value of each feature.

    It uses only additions, multiplications, divisions and roundings, whose results do not depend on the processor or
    the array length.
    Arrays have shape (n_features, 1): a query's draw is feature-major.
    """

    signal: F32
    """Share of the grade in the value."""
    threshold: F32
    """Threshold below which the feature is zero."""

    @classmethod
    def of_mslr(cls) -> _FeatureShape:
        # Multiples of the golden ratio, modulo 1, spread the parameters evenly, whatever the seed of the data.
        j = np.arange(1, MSLR_FEATURES + 1)[:, None]
        u, v = (j * _GOLDEN) % 1, (j * _GOLDEN * _GOLDEN * 7) % 1
        return cls(
            signal=np.maximum(0.0, 0.4 * u - 0.1).astype(np.float32),
            threshold=np.where(v < 0.4, 0.0, 0.9 * v).astype(np.float32),
        )

    def draw(self, rng: np.random.Generator, grades: F32) -> F32:
        """Return the features of one query, shape (n_features, n_documents)."""
        scale = 0.25 + 1.5 * rng.random((MSLR_FEATURES, 1), dtype=np.float32)
        z = rng.random((MSLR_FEATURES, grades.size), dtype=np.float32)
        z *= 1 - self.signal
        z += self.signal * (grades / np.float32(4))
        z -= self.threshold
        np.maximum(z, 0, out=z)
        z /= 1 - self.threshold
        counts, tails, shares, likelihoods = z[0::4], z[1::4], z[2::4], z[3::4]
        np.divide(counts, np.float32(1.03) - counts, out=counts)
        counts *= 5 * scale[0::4]
        np.floor(counts, out=counts)
        np.divide(tails, np.float32(1.01) - tails, out=tails)
        tails *= scale[1::4]
        shares *= 64
        np.floor(shares, out=shares)
        shares /= 64
        likelihoods *= 20 * scale[3::4]
        likelihoods -= 20 * scale[3::4]
        return z


def _entropy(seed: int | np.random.Generator) -> int:
    return int(np.random.default_rng(seed).integers(2**63))


def _query_ids(first: int, stop: int) -> list[str]:
    return [str(query + 1) for query in range(first, stop)]


def _require_positive(**counts: int) -> None:
    for name, count in counts.items():
        if count < 1:
            raise InvalidParameterError(f"{name} is {count}; expected a positive whole number")
