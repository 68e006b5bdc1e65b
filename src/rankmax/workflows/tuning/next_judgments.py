r"""The unjudged documents whose judgments could change the decision of a tuning.

A tuning compares its pick with the current fusion, and finds a plateau of weights that these queries cannot tell
from the best. An unjudged document matters if it reaches the top k of the pick, of the current fusion, or for some
weights of the plateau; anywhere else no judgment of it changes what users see. Further down, to rank 3k, it may still
change the ideal ranking that nDCG compares with, and so how much its query counts. If it were relevant, the gain of
weights w over the current fusion c would change by

.. math:: \Delta_d(w) = \frac{1}{n} \big( M_q(w; d) - M_q(w) - M_q(c; d) + M_q(c) \big),

where M_q(.; d) is the metric of the document's query with d of the highest grade, so with another ideal ranking, too.
Documents are ordered by :math:`\pi_d \, \mathbf{E}_w |\Delta_d(w)|`. The expectation is over the plateau, where the
pick counts as much as the rest together; so a document that enters for a part of the plateau counts for that part. The
chance of relevance :math:`\pi_d` is that of the judged documents at its rank; see :func:`chances_of_relevance`.

The plateau is represented by at most 64 of the lattice points that a tuning has computed; for more than six systems, by
the best weights for bootstrap samples of the queries.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankmax._arrays import F64, I64, Bool
from rankmax._numerics.standard_error import standard_error
from rankmax._numerics.tolerance import SAME_VALUE
from rankmax.data.judgments import UNJUDGED, Judgments
from rankmax.data.repeated_judgments import only_documents, with_one_more
from rankmax.errors import IncompatibleError
from rankmax.fusion.candidates import WeightedFusion
from rankmax.fusion.weight_search import LatticeSearch
from rankmax.metrics.evaluator import evaluator_for
from rankmax.workflows.tuning.tuning_result import SystemTuning

DEPTH = 10
"""Number of top documents for metrics without a cutoff."""

_REACH = 3  # times k: ranks to which documents are judged for the ideal ranking
_MOST_WEIGHTS = 64  # of the plateau, evenly spaced
_N_SAMPLES = 10  # bootstrap samples of the queries, for weights that no lattice covers
_PRIOR = 2.0  # judged documents that the mean over all ranks counts for


@dataclass(frozen=True, slots=True)
class NextJudgment:
    """An unjudged document, and what its judgment could change.

    Attributes
    ----------
    query, document : str
    share : float
        Share of the plateau's weights for which the document is in the top k.
    pick_rank, current_rank : int
        Its rank in the pick and in the current fusion.
    chance : float
        Estimated chance that it is relevant.
    change : float
        Change of the pick's gain over the current fusion, if it is relevant.
    importance : float
        Expected absolute change of the gain over the plateau; the order of the list.
    """

    query: str
    document: str
    share: float
    pick_rank: int
    current_rank: int
    chance: float
    change: float
    importance: float


def next_judgments(tuning: SystemTuning, *, depth: int | None = None) -> tuple[list[NextJudgment], float]:
    """Return the unjudged documents that could change the decision of a tuning, the most important first.

    Parameters
    ----------
    tuning : SystemTuning
        Of runs, with judgments by people.
    depth : int, optional
        Number of top documents per query, k; by default the metric's cutoff, or 10.

    Returns
    -------
    list of NextJudgment
    float
        Share of unjudged documents in the top k of the pick.
    """
    judgments = tuning.signals.data.judgments
    if tuning.signals.machine is not None or judgments.document_ids is None:
        raise IncompatibleError("the next judgments are chosen for runs, and for qrels by people")
    k = depth or tuning.metric.cutoff or DEPTH
    scores = np.stack(
        [_scores(tuning, tuning.pick.fusion), _scores(tuning, tuning.current_row.fusion), *_plateau(tuning)]
    )
    ranks = np.stack([ranks_by_query(one, judgments) for one in scores])
    shown: Bool = np.any(ranks <= k, axis=0)
    unknown: Bool = judgments.document_levels == UNJUDGED
    unjudged = np.flatnonzero(shown & unknown)
    top = ranks[0] <= k
    share_unjudged = float((judgments.document_levels[top] == UNJUDGED).mean())
    counted = None if tuning.metric.cutoff is None else np.any(ranks <= max(k, tuning.metric.cutoff), axis=0)
    below = (
        np.flatnonzero(unknown & ~counted & (ranks.min(axis=0) <= _REACH * k)) if counted is not None else unjudged[:0]
    )
    # where no fusion shows them, all documents of a query change the ideal ranking alike: the first stands for them
    query, first = np.unique(judgments.query_of_document[below], return_index=True)
    asked = np.concatenate([unjudged, below[first]])
    if not asked.size:
        return [], share_unjudged
    changes = _changes(tuning, scores, asked, counted)
    shared = changes[:, unjudged.size + np.searchsorted(query, judgments.query_of_document[below])]
    changes = np.concatenate([changes[:, : unjudged.size], shared], axis=1)
    matters = np.abs(changes).max(axis=0) > SAME_VALUE
    changes, unjudged = changes[:, matters], np.concatenate([unjudged, below])[matters]
    chances = chances_of_relevance(ranks.min(axis=0), judgments)[unjudged]
    importance = chances * (np.abs(changes[0]) + np.abs(changes[2:]).mean(axis=0)) / 2
    share = (ranks[2:, unjudged] <= k).mean(axis=0)
    found = [
        NextJudgment(
            judgments.query_ids[judgments.query_of_document[d]],
            judgments.document_ids[int(d)],
            float(share[i]),
            int(ranks[0, d]),
            int(ranks[1, d]),
            float(chances[i]),
            float(changes[0, i]),
            float(importance[i]),
        )
        for i, d in enumerate(unjudged.tolist())
    ]
    return sorted(found, key=lambda one: -one.importance), share_unjudged


def ranks_by_query(scores: F64, judgments: Judgments) -> I64:
    """Return the rank of each document within its query, 1 for the best; ties are ranked in the order of the data.

    Parameters
    ----------
    scores : array, shape (n_documents,)
    judgments : Judgments

    Examples
    --------
    >>> ranks_by_query(np.array([1.0, 3.0, 2.0, 5.0]), Judgments.from_grades([0, 1, 0, 1], [0, 3, 4]))
    array([3, 1, 2, 1])
    """
    query = judgments.query_of_document
    order = np.lexsort((-scores, query))
    ranks = np.empty(order.size, np.int64)
    ranks[order] = np.arange(order.size) - judgments.query_offsets[query[order]] + 1
    return ranks


def chances_of_relevance(best_ranks: I64, judgments: Judgments) -> F64:
    """Return the share of relevant documents among the judged ones of each document's best rank.

    The share at a rank is shrunk to the share at all ranks, as if two documents more had been judged.

    Parameters
    ----------
    best_ranks : array of int64, shape (n_documents,)
        Best rank of each document in any fusion considered.
    judgments : Judgments

    Examples
    --------
    >>> judgments = Judgments.from_grades([1, 0, np.nan, 0], [0, 2, 4])
    >>> chances_of_relevance(np.array([1, 2, 1, 2]), judgments).round(3)
    array([0.6, 0.2, 0.6, 0.2])
    """
    judged = judgments.document_levels != UNJUDGED
    relevant = judgments.grades > 0
    overall = (relevant.sum() + 1) / (judged.sum() + 2)
    n = np.bincount(best_ranks[judged], minlength=best_ranks.max() + 1)
    found = np.bincount(best_ranks[relevant], minlength=best_ranks.max() + 1)
    by_rank: F64 = (found + _PRIOR * overall) / (n + _PRIOR)
    return by_rank[best_ranks]


def _scores(tuning: SystemTuning, fusion: WeightedFusion) -> F64:
    normalized = fusion.normalization.with_weights(fusion.weights).apply(tuning.signals.data)
    return normalized.scores(fusion.weights)


def _plateau(tuning: SystemTuning) -> list[F64]:
    """Return the fused scores at weights within one standard error of the best."""
    search = tuning.search
    if not isinstance(search, LatticeSearch):
        weights = search.resampled(_N_SAMPLES, seed=tuning.seed)
        return [search.scores(one) for one in weights]
    means = search.table.mean(axis=1)
    best = int(means.argmax())
    inside = np.flatnonzero(means >= means[best] - standard_error(search.table[best]))
    chosen = inside[np.unique(np.linspace(0, inside.size - 1, _MOST_WEIGHTS).round().astype(np.int64))]
    return [search.scores(search.points[p]) for p in chosen]


def _changes(tuning: SystemTuning, scores: F64, unjudged: I64, counted: Bool | None) -> F64:
    """Return how the gain of each fusion over the current one, the second, changes with each document relevant.

    Only the `counted` documents, if given, are ranked besides: all that count for the metric in any of the fusions.
    """
    judgments, metric = tuning.signals.data.judgments, tuning.metric
    kept = np.ones(scores.shape[1], np.bool_) if counted is None else counted.copy()
    kept[unjudged] = True
    smaller = only_documents(judgments, kept)
    place = np.cumsum(kept) - 1
    documents = place[unjudged]
    repeated, rows = with_one_more(smaller, documents, judgments.n_levels - 1)
    before, after = evaluator_for([metric], smaller), evaluator_for([metric], repeated)
    query = smaller.query_of_document[documents]
    moved = np.stack([after(one[rows])[0] - before(one)[0, query] for one in scores[:, kept]])
    changes: F64 = np.nan_to_num(moved - moved[1]) / judgments.n_queries
    return changes
