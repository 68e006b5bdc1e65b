"""Selection of terms that distinguish a topic's relevant documents, and their weights in documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankmax._arrays import F64, I64, Bool, readonly
from rankmax.data.dataset import RankingDataset
from rankmax.data.judgments import Judgments
from rankmax.errors import InvalidDataError, InvalidParameterError
from rankmax.metrics.metric_parameters import check_number
from rankmax.retrieval.features.bm25 import okapi_tf
from rankmax.retrieval.index.inverted_index import Index
from rankmax.retrieval.queries.scope import Scope


@dataclass(frozen=True, slots=True)
class CandidateTerm:
    """A term, and the information about relevance in its occurrence.

    Attributes
    ----------
    term : str
        Term as the analyzer produces it.
    information : float
        Mutual information, in nats.
    n_relevant, n_other : int
        Numbers of relevant and of other documents that have it.
    """

    term: str
    information: float
    n_relevant: int
    n_other: int


def mutual_information(index: Index, documents: ArrayLike, relevant: ArrayLike, *, fields: Sequence[str] = ()) -> F64:
    r"""Return the mutual information between the occurrence of each term and relevance, over some documents.

    .. math:: I(t; R) = \sum_{o \in \{0, 1\}} \sum_{r \in \{0, 1\}} p(o, r) \log \frac{p(o, r)}{p(o) \, p(r)}

    in nats, for every term of the index in its order.

    Parameters
    ----------
    index : Index
    documents : array-like of int
        Document numbers without repetitions.
    relevant : array-like of bool
        Whether each of them is relevant.
    fields : sequence of str
        Fields in which a term may occur; all fields of the index if empty.

    References
    ----------
    Morgan, Greiff, Henderson (2004), Direct maximization of average precision by hill-climbing, section 4.

    Examples
    --------
    >>> import tempfile
    >>> from rankmax.retrieval import Document, build_index
    >>> texts = ["wing flow", "wing", "heat flow", "heat"]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     documents = [Document(f"d{n}", {"text": text}) for n, text in enumerate(texts)]
    ...     index = build_index(documents, f"{folder}/index")
    >>> information = mutual_information(index, [0, 1, 2, 3], [True, True, False, False])
    >>> dict(zip(index.terms, information.round(3).tolist()))
    {'flow': 0.0, 'heat': 0.693, 'wing': 0.693}
    """
    numbers, flags = _checked(index, documents, relevant)
    return _information(_counts(index, numbers, flags, fields), numbers.size, int(flags.sum()))


def candidate_terms(
    index: Index, documents: ArrayLike, relevant: ArrayLike, n_terms: int, *, fields: Sequence[str] = ()
) -> list[CandidateTerm]:
    """Return the terms most informative about relevance, best first; equal ones in alphabetical order.

    Parameters
    ----------
    index : Index
    documents, relevant, fields
        As in :func:`mutual_information`.
    n_terms : int
        Maximum number of terms; terms that no document has are left out.

    References
    ----------
    Morgan, Greiff, Henderson (2004), Direct maximization of average precision by hill-climbing, section 4.

    Examples
    --------
    >>> import tempfile
    >>> from rankmax.retrieval import Document, build_index
    >>> texts = ["wing flow", "wing", "heat flow", "wave"]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     documents = [Document(f"d{n}", {"text": text}) for n, text in enumerate(texts)]
    ...     index = build_index(documents, f"{folder}/index")
    >>> best = candidate_terms(index, [0, 1, 2, 3], [True, True, False, False], 2)
    >>> [(one.term, one.n_relevant, one.n_other) for one in best]
    [('wing', 2, 0), ('heat', 0, 1)]
    """
    if n_terms < 1:
        raise InvalidParameterError(f"n_terms must be at least 1, not {n_terms}")
    numbers, flags = _checked(index, documents, relevant)
    counts = _counts(index, numbers, flags, fields)
    information = _information(counts, numbers.size, int(flags.sum()))
    best = np.argsort(-information, kind="stable")[:n_terms]
    return [
        CandidateTerm(index.terms[t], float(information[t]), int(counts[1, t]), int(counts[0, t]))
        for t in best.tolist()
        if counts[:, t].any()
    ]


def okapi_dataset(
    index: Index,
    terms: Sequence[str],
    documents: ArrayLike,
    grades: ArrayLike,
    *,
    query_id: str = "1",
    k1: float = 2.0,
    b: float = 0.75,
    fields: Sequence[str] = (),
) -> RankingDataset:
    r"""Return Okapi's term frequencies of some terms as the features of a topic's documents.

    .. math:: v_{t,D} = \frac{tf}{tf + k_1 (1 - b + b |D| / \overline{|D|})}

    which with the defaults is :math:`tf / (tf + 0.5 + 1.5 |D| / \overline{|D|})`. The weights that a learner gives the
    features are the weights of the terms in a query.

    Parameters
    ----------
    index : Index
    terms : sequence of str
        Terms as the analyzer produces them; they become the feature names.
    documents : array-like of int
        Document numbers without repetitions.
    grades : array-like
        Grade of each document; NaN if unjudged.
    query_id : str
        Id of the only query of the data set.
    k1 : float, default 2
        Term-frequency saturation, nonnegative: the larger, the more further occurrences count.
    b : float, default 0.75
        Strength of length normalization, from 0 to 1.
    fields : sequence of str
        Fields to read as one text; all fields of the index if empty.

    References
    ----------
    Morgan, Greiff, Henderson (2004), Direct maximization of average precision by hill-climbing, section 4; Robertson,
    Walker (1994), Some simple effective approximations to the 2-Poisson model, SIGIR.

    Examples
    --------
    >>> import tempfile
    >>> from rankmax.retrieval import Document, build_index
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     documents = [Document("d1", {"text": "wing wing"}), Document("d2", {"text": "heat flow"})]
    ...     index = build_index(documents, f"{folder}/index")
    >>> okapi_dataset(index, ["wing", "flow"], [0, 1], [1, 0]).features
    array([[0.5       , 0.        ],
           [0.        , 0.33333333]])
    """
    check_number("okapi", "k1", k1, "a number of at least 0", lambda value: value >= 0)
    check_number("okapi", "b", b, "a number from 0 to 1", lambda value: 0 <= value <= 1)
    numbers = _document_numbers(index, documents)
    scope = Scope.of(index, fields)
    lengths = scope.lengths[numbers].astype(np.float64)
    features = np.zeros((numbers.size, len(terms)), order="F")
    for column, term in zip(features.T, terms, strict=True):
        frequencies = scope.term(term).frequencies_in(numbers)
        here = np.flatnonzero(frequencies)
        column[here] = okapi_tf(frequencies[here], lengths[here], scope.average_length, k1, b)
    judgments = Judgments.from_grades(
        grades, [0, numbers.size], query_ids=[query_id], document_ids=index.ids.take(numbers)
    )
    return RankingDataset(readonly(features), tuple(terms), judgments)


def _checked(index: Index, documents: ArrayLike, relevant: ArrayLike) -> tuple[I64, Bool]:
    numbers = _document_numbers(index, documents)
    flags = np.asarray(relevant, np.bool_)
    if flags.shape != numbers.shape:
        raise InvalidDataError(f"{flags.size} values of relevance for {numbers.size} documents")
    return numbers, flags


def _document_numbers(index: Index, documents: ArrayLike) -> I64:
    given: NDArray[np.int64] = np.asarray(documents)
    if given.ndim != 1 or (given.size and given.dtype.kind not in "iu"):
        raise InvalidDataError(f"documents must be a list of whole numbers, not {given.dtype} of shape {given.shape}")
    numbers = given.astype(np.int64)
    if numbers.size and (numbers.min() < 0 or numbers.max() >= index.n_documents):
        raise InvalidDataError(f"the index has documents 0 to {index.n_documents - 1}; some numbers are outside")
    if np.unique(numbers).size != numbers.size:
        raise InvalidDataError("a document is given twice")
    return numbers


def _counts(index: Index, documents: I64, relevant: Bool, fields: Sequence[str]) -> I64:
    """Return the number of other and of relevant documents with each term, shape (2, n_terms)."""
    kinds = np.zeros(index.n_documents, np.uint8)
    kinds[documents] = 1 + relevant
    return index.documents_by_kind(kinds, 3, fields or index.fields)[1:]


def _information(counts: I64, n_documents: int, n_relevant: int) -> F64:
    joint = np.stack([counts, np.array([[n_documents - n_relevant], [n_relevant]]) - counts]) / max(n_documents, 1)
    expected = joint.sum(axis=0, keepdims=True) * joint.sum(axis=1, keepdims=True)
    shares = np.divide(joint, expected, out=np.ones_like(joint), where=joint > 0)
    information: F64 = np.maximum((joint * np.log(shares)).sum(axis=(0, 1)), 0.0)
    return information
