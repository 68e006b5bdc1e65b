r"""Query features: what is known when a query comes in, from its text and from the lists of the systems.

The list of a system is its 100 documents of highest score, :math:`s_1 \ge \dots \ge s_n`; documents without a score,
or with a score of exactly 0, are not in it. Equal scores go by id, descending, where documents have ids. All functions
are pure, and exports compute the same numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from rankmax._arrays import F64, I64
from rankmax.data.dataset import RankingDataset
from rankmax.data.query_document_pairs import in_trec_order
from rankmax.errors import IncompatibleError, InvalidDataError, counted
from rankmax.preprocessing.binning import features_by_name
from rankmax.preprocessing.run_normalization import ZERO_SCORE

LIST_LENGTH = 100
"""Number of documents of a list that statistics look at."""
TOP = 10
"""Number of documents of a list by which the agreement of lists is measured."""
MOST_LISTS = 6
"""Largest number of systems for which each list has query features of its own; of more, their means."""
QUESTION_WORDS = (
    *("what", "who", "whom", "whose", "which", "when", "where", "why", "how", "is", "are", "was", "were", "do", "does"),
    *("did", "can", "could", "will", "would", "should", "has", "have", "had"),
)
"""First words that make a query a question, as does a question mark at its end."""
TEXT = "text"
"""Key of the text among what is known of a query; other keys are columns."""

_LARGEST = 1e100  # of a column's numbers: their squares are finite

RARE_TERMS = "rare terms"
"""Column of the share of a query's terms that are rare."""

QueryRows = Mapping[str, Mapping[str, str]]
"""What is known of each query besides its lists: its text, and columns of the user."""


def query_length(text: str) -> float:
    """Return the number of words of a query.

    Parameters
    ----------
    text : str

    Examples
    --------
    >>> query_length("heat transfer in  wings")
    4.0
    """
    return float(len(text.split()))


def is_question(text: str) -> float:
    """Return 1 for a query that starts with a question word or ends in a question mark, else 0.

    Parameters
    ----------
    text : str

    Examples
    --------
    >>> is_question("What is flutter"), is_question("wing flutter"), is_question("wing flutter ?")
    (1.0, 0.0, 1.0)
    """
    words = text.lower().split()
    return float(bool(words) and (words[0] in QUESTION_WORDS or words[-1].endswith("?")))


def gap(scores: F64) -> float:
    r"""Return how far the first document is ahead of the second, :math:`(s_1 - s_2) / (s_1 - s_n)`; 0 without range.

    Parameters
    ----------
    scores : array of float64
        A list, the highest score first.

    Examples
    --------
    >>> gap(np.array([9.0, 6.0, 3.0])), gap(np.array([2.0]))
    (0.5, 0.0)
    """
    return float((scores[0] - scores[1]) / (scores[0] - scores[-1])) if scores.size and scores[0] > scores[-1] else 0.0


def entropy(scores: F64) -> float:
    r"""Return the entropy of the scores above the last, as a share of the largest possible; 1 without range.

    .. math:: -\sum_i p_i \log p_i / \log n, \qquad p_i = (s_i - s_n) / \sum_j (s_j - s_n)

    Parameters
    ----------
    scores : array of float64
        A list, the highest score first.

    Examples
    --------
    >>> round(entropy(np.array([2.0, 2.0, 1.0, 1.0])), 3), entropy(np.array([1.0, 0.0, 0.0])), entropy(np.ones(3))
    (0.5, 0.0, 1.0)
    """
    if not scores.size or scores[0] <= scores[-1]:
        return 1.0
    heights = (scores - scores[-1]) / (scores[0] - scores[-1])
    shares = heights / heights.sum()
    shares = shares[shares > 0]
    return abs(float(-(shares * np.log(shares)).sum())) / math.log(scores.size)  # abs: not -0


def deviation(scores: F64) -> float:
    """Return the standard deviation of a list's scores; 0 for an empty list.

    Parameters
    ----------
    scores : array of float64

    Examples
    --------
    >>> deviation(np.array([3.0, 1.0]))
    1.0
    """
    with np.errstate(over="ignore"):
        return float(scores.std()) if scores.size else 0.0


def overlap(lists: Sequence[I64]) -> float:
    r"""Return the mean over pairs of lists of shared documents, :math:`|A \cap B| / |A \cup B|`; 0 for empty lists.

    Parameters
    ----------
    lists : sequence of arrays of int64
        The documents of each list.

    Examples
    --------
    >>> overlap([np.array([1, 2, 3]), np.array([3, 4])])
    0.25
    """
    return _over_pairs(lists, lambda shared, first, second: shared / max(first + second - shared, 1))


def agreement(lists: Sequence[I64]) -> float:
    """Return the mean over pairs of lists of the share of the first ten documents of one among those of the other.

    Parameters
    ----------
    lists : sequence of arrays of int64
        The documents of each list, the highest score first.

    Examples
    --------
    >>> agreement([np.arange(20), np.arange(5, 25)])
    0.5
    """
    return _over_pairs([one[:TOP] for one in lists], lambda shared, first, second: shared / TOP)


_OF_TEXT: dict[str, Callable[[str], float]] = {"length": query_length, "question": is_question}
_OF_LIST: dict[str, Callable[[F64], float]] = {"gap": gap, "entropy": entropy, "deviation": deviation}
_OF_LISTS: dict[str, Callable[[Sequence[I64]], float]] = {"overlap": overlap, "agreement": agreement}
COLUMN = "column"
KINDS = (*_OF_TEXT, *_OF_LIST, *_OF_LISTS, COLUMN)
"""Kinds of query features."""


@dataclass(frozen=True)
class QueryFeature:
    """A query feature.

    Attributes
    ----------
    kind : str
        One of :data:`KINDS`.
    of : str
        The system for features of one list, where "" is the mean over all lists; the name of a column; else "".

    Examples
    --------
    >>> QueryFeature("entropy", "bm25").name, QueryFeature("length").name
    ('entropy of bm25', 'length')
    """

    kind: str
    of: str = ""

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise InvalidDataError(f"{self.kind!r} is no kind of query feature; there are {', '.join(KINDS)}")

    @property
    def name(self) -> str:
        """Name to show."""
        if self.kind == COLUMN:
            return self.of
        mean = "mean " if self.kind in _OF_LIST and not self.of else ""
        return f"{mean}{self.kind} of {self.of}" if self.of else f"{mean}{self.kind}"

    @property
    def needs_text(self) -> bool:
        """Whether it is a function of the query's text."""
        return self.kind in _OF_TEXT

    @property
    def needs_topics(self) -> bool:
        """Whether it needs more than the lists."""
        return self.needs_text or self.kind == COLUMN


def usual_features(systems: Sequence[str], rows: QueryRows | None = None) -> list[QueryFeature]:
    """Return the query features that are known for some systems, and for what else is known of the queries.

    Parameters
    ----------
    systems : sequence of str
    rows : mapping of str to mapping of str to str, optional
        Columns that are numbers for all queries are taken, if none is larger than 1e100.

    Examples
    --------
    >>> found = usual_features(["bm25", "e5"], {"q1": {"text": "wing flutter", "clicks": "7", "kind": "a"}})
    >>> print(*(feature.name for feature in found), sep=", ")
    gap of bm25, gap of e5, entropy of bm25, entropy of e5, deviation of bm25, deviation of e5, overlap, agreement,
    length, question, clicks
    """
    each = systems if len(systems) <= MOST_LISTS else [""]
    found = [QueryFeature(kind, name) for kind in _OF_LIST for name in each]
    found += [QueryFeature(kind) for kind in _OF_LISTS]
    known = list((rows or {}).values())
    if known and all(TEXT in row for row in known):
        found += [QueryFeature(kind) for kind in _OF_TEXT]
    columns = dict.fromkeys(column for row in known for column in row if column != TEXT)
    return found + [QueryFeature(COLUMN, one) for one in columns if all(_number(row.get(one)) for row in known)]


def query_feature_values(
    features: Sequence[QueryFeature], data: RankingDataset, systems: Sequence[str], rows: QueryRows | None = None
) -> F64:
    """Return the query features of a data set's queries, shape (n_queries, n_query_features).

    Parameters
    ----------
    features : sequence of QueryFeature
    data : RankingDataset
        Raw scores, one feature per system.
    systems : sequence of str
        The systems whose lists count.
    rows : mapping of str to mapping of str to str, optional
        Text and columns by query, where features need them.

    Examples
    --------
    >>> data = RankingDataset.from_arrays([[9, 1], [6, 0], [3, 2]], [0] * 3, qid=[7] * 3, feature_names=["a", "b"])
    >>> kinds = [QueryFeature("gap", "a"), QueryFeature("overlap"), QueryFeature("length")]
    >>> query_feature_values(kinds, data, ["a", "b"], {"7": {"text": "wing flutter"}}).round(2)
    array([[0.5 , 0.67, 2.  ]])
    """
    for feature in features:
        if feature.kind in _OF_LIST and feature.of and feature.of not in systems:
            raise InvalidDataError(f"{feature.name!r} is of no system; there are {', '.join(systems)}")
    needing = next((feature for feature in features if feature.needs_topics), None)
    if needing is not None:
        if rows is None:
            raise IncompatibleError(f"the model's weights depend on {needing.name!r} of the query: give --topics FILE")
        missing = [query for query in data.query_ids if query not in rows]
        if missing:
            lacking = counted(len(missing), "query", "queries")
            raise InvalidDataError(f"the topics lack {lacking}, such as {missing[0]!r}")
    view = features_by_name(data, list(systems))
    columns = [view.column(j) for j in range(len(systems))]
    if data.document_ids is not None:
        by_id = in_trec_order(data.judgments.query_of_document, data.document_ids)
        columns = [column[by_id] for column in columns]
    values = np.empty((data.n_queries, len(features)))
    for q, query in enumerate(data.query_ids):
        first, last = int(data.query_offsets[q]), int(data.query_offsets[q + 1])
        scores = [column[first:last] for column in columns]
        orders = [_ranked(own) for own in scores]
        lists = [own[order] for own, order in zip(scores, orders, strict=True)]
        known = {} if rows is None else rows.get(query, {})
        for k, feature in enumerate(features):
            if feature.kind in _OF_LIST:
                statistic = _OF_LIST[feature.kind]
                own = lists if not feature.of else [lists[systems.index(feature.of)]]
                values[q, k] = sum(map(statistic, own)) / len(own)
            elif feature.kind in _OF_LISTS:
                values[q, k] = _OF_LISTS[feature.kind](orders)
            else:
                values[q, k] = _told(feature, query, known)
    if not np.isfinite(values).all():
        q, k = np.argwhere(~np.isfinite(values))[0]
        raise InvalidDataError(
            f"{features[k].name} of query {data.query_ids[q]!r} is too large for a number: divide the scores by a "
            "power of ten"
        )
    return values


def _ranked(scores: F64) -> I64:
    """Return the documents of a list, the highest score first, and of equals the first in the data."""
    found = np.flatnonzero(np.abs(scores) > ZERO_SCORE)
    order: I64 = found[np.argsort(-scores[found], kind="stable")[:LIST_LENGTH]]
    return order


def _told(feature: QueryFeature, query: str, row: Mapping[str, str]) -> float:
    """Return a feature of the query's text, or a column."""
    key = TEXT if feature.needs_text else feature.of
    if key not in row:
        remedy = "; give the index or document frequencies (terms), too" if key == RARE_TERMS else ""
        raise InvalidDataError(f"query {query!r} has no {key!r} in the topics, on which the weights depend{remedy}")
    if feature.needs_text:
        return _OF_TEXT[feature.kind](row[key])
    if not _number(row[key]):
        raise InvalidDataError(
            f"{key} of query {query!r} is {row[key]!r}; expected a finite number of at most {_LARGEST:g}"
        )
    return float(row[key])


def _number(text: str | None) -> bool:
    try:
        return text is not None and abs(float(text)) <= _LARGEST
    except ValueError:
        return False


def _over_pairs(lists: Sequence[I64], value: Callable[[int, int, int], float]) -> float:
    sets = [set(one.tolist()) for one in lists]
    pairs = [value(len(a & b), len(a), len(b)) for i, a in enumerate(sets) for b in sets[i + 1 :]]
    return sum(pairs) / len(pairs) if pairs else 0.0
