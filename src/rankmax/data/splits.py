"""Splits by query, which keep all documents of a query together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain

import numpy as np

from rankmax._arrays import I64
from rankmax.data.dataset import RankingDataset
from rankmax.data.feature_matrix import stack_rows
from rankmax.data.ids import Ids
from rankmax.data.judgments import Judgments
from rankmax.data.packed_strings import pack, unpack
from rankmax.errors import IncompatibleError, InvalidParameterError


@dataclass(frozen=True, eq=False)
class QueryFold:
    """Query indices for training and testing; pass them to :meth:`RankingDataset.select`.

    Attributes
    ----------
    train, test : arrays of int64
        Query indices, ascending.
    """

    train: I64
    test: I64


@dataclass(frozen=True, eq=False)
class LetorFold:
    """The three data sets of one LETOR fold.

    Attributes
    ----------
    train, validation, test : RankingDataset
    """

    train: RankingDataset
    validation: RankingDataset
    test: RankingDataset


def split_queries(
    data: RankingDataset,
    fractions: Sequence[float],
    *,
    seed: int | np.random.Generator,
    stratified: bool = False,
) -> tuple[I64, ...]:
    """Split the queries at random into parts of given sizes.

    Parameters
    ----------
    data : RankingDataset
        Data to split; documents of a query stay together.
    fractions : sequence of float
        Share of each part; the shares sum to 1.
    seed : int or Generator
        Random seed.
    stratified : bool
        Whether to spread queries with few and with many relevant documents (grade 1 or more) evenly over the parts.

    Returns
    -------
    tuple of arrays of int64
        Query indices of each part, ascending.

    Examples
    --------
    >>> data = RankingDataset.from_arrays(np.zeros((5, 1)), np.zeros(5), qid=range(5))
    >>> train, test = split_queries(data, [0.8, 0.2], seed=1)
    >>> len(train), len(test)
    (4, 1)
    """
    shares = np.asarray(fractions, np.float64)
    if shares.ndim != 1 or not (shares > 0).all() or not np.isclose(shares.sum(), 1.0):
        raise InvalidParameterError(f"fractions are {list(fractions)}; expected positive numbers that sum to 1")
    bounds = np.rint(np.cumsum(shares) * data.n_queries).astype(np.int64)
    sizes = np.diff(bounds, prepend=0)
    if (sizes < 1).any():
        raise InvalidParameterError(f"{data.n_queries} queries are too few for the fractions {list(fractions)}")
    return _deal(data, sizes, np.random.default_rng(seed), stratified=stratified)


def k_folds(
    data: RankingDataset | int, n_folds: int, *, seed: int | np.random.Generator, stratified: bool | I64 = False
) -> tuple[QueryFold, ...]:
    """Split the queries at random into folds for cross-validation; each query is tested in exactly one.

    Parameters
    ----------
    data : RankingDataset or int
        The data, or the number of queries, which cannot be stratified.
    n_folds : int
        Number of folds, from 2 to the number of queries; the folds' sizes differ by at most one query.
    seed : int or Generator
        Random seed.
    stratified : bool or array of int64, shape (n_queries,)
        Whether to spread queries with few and with many relevant documents (grade 1 or more) evenly over the folds; or
        the group of each query, to spread each group evenly.

    Examples
    --------
    >>> data = RankingDataset.from_arrays(np.zeros((5, 1)), np.zeros(5), qid=range(5))
    >>> [len(fold.test) for fold in k_folds(data, 2, seed=1)]
    [3, 2]
    """
    n_queries = data if isinstance(data, int) else data.n_queries
    if not 2 <= n_folds <= n_queries:
        raise InvalidParameterError(f"n_folds is {n_folds}; expected 2 to the number of queries, {n_queries}")
    sizes = np.full(n_folds, n_queries // n_folds)
    sizes[: n_queries % n_folds] += 1
    parts = _deal(data, sizes, np.random.default_rng(seed), stratified=stratified)
    everything = np.arange(n_queries)
    return tuple(QueryFold(train=np.delete(everything, part), test=part) for part in parts)


def letor_folds(parts: Sequence[RankingDataset]) -> Iterator[LetorFold]:
    """Yield the five LETOR folds of five parts, one at a time.

    Fold i trains on the parts i, i+1, i+2, validates on i+3 and tests on i+4, counting cyclically.

    Parameters
    ----------
    parts : sequence of five RankingDatasets
        The parts S1, ..., S5.

    Examples
    --------
    >>> parts = [RankingDataset.from_arrays([[0.0]], [0], qid=[f"S{i}"]) for i in range(1, 6)]
    >>> first = next(letor_folds(parts))
    >>> first.train.query_ids, first.validation.query_ids, first.test.query_ids
    (('S1', 'S2', 'S3'), ('S4',), ('S5',))

    References
    ----------
    Qin, Liu, Xu & Li 2010, LETOR: A benchmark collection for research on learning to rank, table 4.
    """
    if len(parts) != 5:
        raise InvalidParameterError(f"LETOR's folds are made of 5 parts, S1 to S5; {len(parts)} given")
    return (
        LetorFold(
            train=concatenate([parts[(i + k) % 5] for k in range(3)]),
            validation=parts[(i + 3) % 5],
            test=parts[(i + 4) % 5],
        )
        for i in range(5)
    )


def concatenate(datasets: Sequence[RankingDataset]) -> RankingDataset:
    """Join data sets with the same features and different queries, in the given order.

    Parameters
    ----------
    datasets : sequence of RankingDatasets
        Data sets to join. Features are matched by name, in the order of the first data set. Document ids are kept if
        all have them. The result is sparse if all are, and float64 if any is.

    Examples
    --------
    >>> first = RankingDataset.from_arrays([[0.1]], [1], qid=["a"])
    >>> second = RankingDataset.from_arrays([[0.2], [0.3]], [0, 2], qid=["b", "b"])
    >>> both = concatenate([first, second])
    >>> both.query_ids, both.grades
    (('a', 'b'), array([1., 0., 2.]))
    """
    if not datasets:
        raise InvalidParameterError("there is nothing to concatenate; give at least one data set")
    names = datasets[0].feature_names
    for position, data in enumerate(datasets):
        different = sorted(set(names) ^ set(data.feature_names))
        if different:
            raise IncompatibleError(
                f"data sets 0 and {position} have different features: {', '.join(different[:10])} only in one; "
                "keep the features they share with select_features"
            )
    aligned = [data.select_features(names) for data in datasets]
    features = stack_rows([data.features for data in aligned])
    return RankingDataset(features, names, _join_judgments([data.judgments for data in aligned]))


def _join_judgments(parts: list[Judgments]) -> Judgments:
    return Judgments.from_grades(
        np.concatenate([part.grades for part in parts]),
        _join_offsets([part.query_offsets for part in parts]),
        query_ids=tuple(chain.from_iterable(part.query_ids for part in parts)),
        document_ids=_join_ids([part.document_ids for part in parts]),
        unretrieved_grades=np.concatenate([part.levels[part.unretrieved_levels] for part in parts]),
        unretrieved_offsets=_join_offsets([part.unretrieved_offsets for part in parts]),
    )


def _join_offsets(parts: list[I64]) -> I64:
    shifts = accumulate((int(part[-1]) for part in parts), initial=0)
    return np.concatenate([[0], *(part[1:] + shift for part, shift in zip(parts, shifts, strict=False))])


def _join_ids(parts: list[Ids | None]) -> Ids | None:
    present = [pack(part) for part in parts if part is not None]
    if len(present) < len(parts):
        return None
    return unpack(np.concatenate([p for p, _ in present]), np.concatenate([lengths for _, lengths in present]))


def _deal(
    data: RankingDataset | int, sizes: I64, rng: np.random.Generator, *, stratified: bool | I64
) -> tuple[I64, ...]:
    """Return the sorted queries of each part.

    The queries are put in a row, shuffled, or by number of relevant documents with ties shuffled. Part p takes
    `sizes[p]` positions spread evenly along the row: its j-th at a random point of [j, j + 1) / sizes[p].
    """
    order = rng.permutation(data if isinstance(data, int) else data.n_queries)
    if not isinstance(stratified, bool):
        order = order[np.argsort(stratified[order], kind="stable")]
    elif stratified:
        if isinstance(data, int):
            raise InvalidParameterError("a number of queries cannot be stratified; give the data instead")
        n_relevant = data.judgments.count(data.judgments.levels >= 1)
        order = order[np.argsort(n_relevant[order], kind="stable")]
    places = np.concatenate([(np.arange(size) + rng.random(size)) / size for size in sizes])
    part = np.repeat(np.arange(sizes.size), sizes)[np.argsort(places)]
    return tuple(np.sort(order[part == p]) for p in range(sizes.size))
