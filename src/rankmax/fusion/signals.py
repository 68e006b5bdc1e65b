"""What there is to fuse: the scores that several systems, or features, give the candidates of judged queries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from rankmax.arrays import F64, I64, readonly
from rankmax.data.dataset import RankingDataset
from rankmax.data.join import join_runs, judge
from rankmax.data.judgments import Judgments, segments
from rankmax.data.pairs import in_trec_order
from rankmax.data.retrieved import ZERO_SCORE
from rankmax.data.trec import Qrels, Run
from rankmax.errors import InvalidDataError
from rankmax.metrics.base import Metric
from rankmax.metrics.evaluate import evaluate_metrics


@dataclass(frozen=True, eq=False)
class Signals:
    """Scores of several systems for the candidates of judged queries.

    Attributes
    ----------
    data : RankingDataset
        A feature for each system; 0 where a run does not hold the document.
    own_lists : mapping of str to pair (scores, Judgments), or None
        For runs: what each system retrieved itself, for the same queries.
    left_out : tuple of str
        Judged queries for which no system retrieved anything.
    not_judged : tuple of str
        Queries of the runs without judgments.
    """

    data: RankingDataset
    own_lists: Mapping[str, tuple[F64, Judgments]] | None = None
    left_out: tuple[str, ...] = ()
    not_judged: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the systems."""
        return self.data.feature_names

    @property
    def from_runs(self) -> bool:
        """Whether these are runs, which lack some of the documents, or features, which all documents have."""
        return self.own_lists is not None

    @property
    def depth(self) -> int | None:
        """The most documents that a run has for a query; None for features."""
        if self.own_lists is None:
            return None
        return max(int(judgments.documents_by_query.max(initial=0)) for _, judgments in self.own_lists.values())

    @property
    def missing_shares(self) -> dict[str, float]:
        """Share of the candidates that each run lacks; nothing for features, which all documents have."""
        if self.own_lists is None:
            return {}
        lacking = np.mean(np.asarray(self.data.features) == 0, axis=0)
        return dict(zip(self.names, lacking.tolist(), strict=True))

    @property
    def queries_lacking(self) -> dict[str, int]:
        """For how many queries each run retrieved nothing, where there are any."""
        counts = {
            name: int((judgments.documents_by_query == 0).sum())
            for name, (_, judgments) in (self.own_lists or {}).items()
        }
        return {name: n for name, n in counts.items() if n}

    def alone(self, name: str, metrics: Sequence[Metric]) -> F64:
        """Return metrics by query for one system alone, as if there were no other; shape (n_metrics, n_queries).

        Parameters
        ----------
        name : str
        metrics : sequence of Metric
        """
        if self.own_lists is None:
            scores, judgments = self.data.column(self.names.index(name)), self.data.judgments
        else:
            scores, judgments = self.own_lists[name]
        return evaluate_metrics(metrics, scores, judgments)

    def counted_by(self, metrics: Sequence[Metric]) -> Signals:
        """Return the signals of the queries that no metric leaves out.

        Parameters
        ----------
        metrics : sequence of Metric
        """
        values = evaluate_metrics(metrics, np.zeros(self.data.n_documents), self.data.judgments)
        counted = np.flatnonzero(~np.isnan(values).any(axis=0))
        return self if counted.size == self.data.n_queries else self.select(counted)

    def select(self, queries: I64) -> Signals:
        """Return the signals of some queries.

        Parameters
        ----------
        queries : array of int64
        """
        lists = None
        if self.own_lists is not None:
            lists = {name: _select(*own, queries) for name, own in self.own_lists.items()}
        return replace(self, data=self.data.select(queries), own_lists=lists)


def signals_of_runs(runs: Mapping[str, Run], qrels: Qrels) -> Signals:
    """Return the scores that runs give the documents that any of them retrieved, for the judged queries.

    A document that a run does not hold has score 0 there, and none that it holds has: a score of exactly 0 becomes
    :data:`~rankmax.data.retrieved.ZERO_SCORE`. Equal scores stand in trec_eval's order, by document id, descending.

    Parameters
    ----------
    runs : mapping of str to Run
    qrels : Qrels

    Examples
    --------
    >>> bm25 = Run.from_dict({"q1": {"d1": 9.0, "d2": 7.0}, "q8": {"d1": 1.0}})
    >>> dense = Run.from_dict({"q1": {"d2": 0.8, "d3": 0.5}})
    >>> signals = signals_of_runs({"bm25": bm25, "dense": dense}, Qrels.from_dict({"q1": {"d3": 1}, "q2": {"d1": 1}}))
    >>> signals.data.features
    array([[0. , 0.5],
           [7. , 0.8],
           [9. , 0. ]])
    >>> signals.left_out, signals.not_judged
    (('q2',), ('q8',))
    """
    data = join_runs({name: _never_zero(run) for name, run in runs.items()}, qrels, missing="zero")
    if not data.n_queries:
        raise InvalidDataError(
            f"none of the runs' queries is judged: the runs have {_some(next(iter(runs.values())).query_ids)}, "
            f"the qrels {_some(qrels.query_ids)}; the ids must be the same"
        )
    kept = set(data.query_ids)
    for name, run in runs.items():
        if kept.isdisjoint(run.query_ids):
            raise InvalidDataError(
                f"run {name!r} has nothing for any of the judged queries: it has {_some(run.query_ids)}, "
                f"the qrels {_some(qrels.query_ids)}; the ids must be the same"
            )
    chosen = np.array([q for q, query_id in enumerate(qrels.query_ids) if query_id in kept])
    lists = {}
    for name, run in runs.items():
        judged = judge(_in_trec_order(run), qrels)
        lists[name] = _select(judged.scores, judged.judgments, chosen)
    judged_queries = set(qrels.query_ids)
    found = dict.fromkeys(query_id for run in runs.values() for query_id in run.query_ids)
    return Signals(
        data,
        lists,
        left_out=tuple(query_id for query_id in qrels.query_ids if query_id not in kept),
        not_judged=tuple(query_id for query_id in found if query_id not in judged_queries),
    )


def signals_of_features(data: RankingDataset) -> Signals:
    """Return the features of a data set as signals.

    Parameters
    ----------
    data : RankingDataset
        Features that are the same in every document of every query say nothing, and are left out.

    Examples
    --------
    >>> data = RankingDataset.from_arrays([[1.0, 5.0], [2.0, 5.0]], [1, 0], qid=[7, 7], feature_names=["bm25", "one"])
    >>> signals_of_features(data).names
    ('bm25',)
    """
    if not isinstance(data.features, np.ndarray):
        data = replace(data, features=data.features.toarray(order="F"))
    if not data.n_documents:
        raise InvalidDataError("the data holds no documents")
    telling = [name for j, name in enumerate(data.feature_names) if np.ptp(data.column(j)) > 0]
    if not telling:
        raise InvalidDataError("no feature differs between documents, so there is nothing to weigh")
    return Signals(data.select_features(telling))


def _never_zero(run: Run) -> Run:
    return replace(run, scores=readonly(np.where(run.scores == 0, ZERO_SCORE, run.scores)))


def _in_trec_order(run: Run) -> Run:
    order = in_trec_order(run.query_of_document, run.document_ids)
    return replace(run, document_ids=run.document_ids.take(order), scores=readonly(run.scores[order]))


def _select(scores: F64, judgments: Judgments, queries: I64) -> tuple[F64, Judgments]:
    documents, _ = segments(judgments.query_offsets, queries)
    return readonly(scores[documents]), judgments.select(queries)


def _some(ids: tuple[str, ...]) -> str:
    return ", ".join(ids[:3]) + (", ..." if len(ids) > 3 else "")
