"""The input of a fusion: scores of several systems, or features, for the candidates of judged queries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from rankmax._arrays import F64, I64, readonly
from rankmax.data.dataset import RankingDataset
from rankmax.data.judging import join_runs, judge
from rankmax.data.judgments import Judgments, segments
from rankmax.data.query_document_pairs import in_trec_order
from rankmax.data.runs import Qrels, Run
from rankmax.errors import InvalidDataError, counted, some_of
from rankmax.metrics.evaluator import evaluate_metrics
from rankmax.metrics.metric import Metric
from rankmax.models.stacked_model import Member
from rankmax.preprocessing.run_normalization import ZERO_SCORE


@dataclass(frozen=True, slots=True)
class MachineJudgments:
    """What machine judgments add to those by people.

    Attributes
    ----------
    n_human, n_machine : int
        Number of queries judged by people, and by the machine alone.
    weight : float
        Weight of the machine judgments in differences between systems, from 0 to 1.
    n_effective : float
        Number of queries judged by people that would tell the systems apart as precisely.
    """

    n_human: int
    n_machine: int
    weight: float
    n_effective: float

    def __str__(self) -> str:
        """Return a sentence."""
        worth = counted(round(self.n_effective - self.n_human), "more query", "more queries")
        return (
            f"{self.n_human} queries judged by people, {self.n_machine} more by a machine: to tell these systems apart "
            f"they are worth {worth} judged by people"
        )


@dataclass(frozen=True, eq=False)
class Signals:
    """Scores of several systems for the candidates of judged queries.

    Attributes
    ----------
    data : RankingDataset
        One feature per system; 0 where a run lacks the document.
    own_lists : mapping of str to pair (scores, Judgments), or None
        For runs: the documents that each system retrieved itself, for the same queries.
    left_out : tuple of str
        Judged queries for which no system retrieved anything.
    not_judged : tuple of str
        Queries of the runs without judgments.
    machine : MachineJudgments or None
        What machine judgments add to those by people, if they were given. The judgments are then mixed: the values of
        queries are such that their mean is the prediction-powered estimate.
    warnings : tuple of str
        Of a machine that favors some systems, or does not help, and of models that may have seen the queries.
    clicked : bool
        Whether the grades are gains estimated from clicks.
    models : mapping of str to model, or None
        The models whose scores the signals are, if they are.
    """

    data: RankingDataset
    own_lists: Mapping[str, tuple[F64, Judgments]] | None = None
    left_out: tuple[str, ...] = ()
    not_judged: tuple[str, ...] = ()
    machine: MachineJudgments | None = None
    warnings: tuple[str, ...] = ()
    clicked: bool = False
    models: Mapping[str, Member] | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the systems."""
        return self.data.feature_names

    @property
    def information(self) -> float:
        """Information in the value of a query, where that of a query judged by people alone is 1."""
        return 1.0 if self.machine is None else self.machine.n_effective / self.data.n_queries

    @property
    def from_runs(self) -> bool:
        """Whether the scores come from runs, which lack some documents, or from features, which all documents have."""
        return self.own_lists is not None

    @property
    def depth(self) -> int | None:
        """Largest number of documents of a run for a query; None for features."""
        if self.own_lists is None:
            return None
        return max(int(judgments.documents_by_query.max(initial=0)) for _, judgments in self.own_lists.values())

    @property
    def missing_shares(self) -> dict[str, float]:
        """Share of the candidates missing from each run; empty for features, which all documents have."""
        if self.own_lists is None:
            return {}
        lacking = np.mean(np.asarray(self.data.features) == 0, axis=0)
        return dict(zip(self.names, lacking.tolist(), strict=True))

    @property
    def queries_lacking(self) -> dict[str, int]:
        """Number of queries for which a run retrieved nothing, by run, where there are any."""
        counts = {
            name: int((judgments.documents_by_query == 0).sum())
            for name, (_, judgments) in (self.own_lists or {}).items()
        }
        return {name: n for name, n in counts.items() if n}

    def alone(self, name: str, metrics: Sequence[Metric]) -> F64:
        """Return the metrics per query of one system alone, shape (n_metrics, n_queries).

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
        """Return the signals of the queries that every metric counts.

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

    Score 0 means that a run lacks the document; so a retrieved document's score of exactly 0 becomes
    :data:`~rankmax.preprocessing.run_normalization.ZERO_SCORE`. Ties are in trec_eval's order, by document id,
    descending.

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
            f"none of the runs' queries is judged: the runs have {some_of(next(iter(runs.values())).query_ids)}, "
            f"the qrels {some_of(qrels.query_ids)}; the ids must be the same"
        )
    kept = set(data.query_ids)
    for name, run in runs.items():
        if kept.isdisjoint(run.query_ids):
            raise InvalidDataError(
                f"run {name!r} has nothing for any of the judged queries: it has {some_of(run.query_ids)}, "
                f"the qrels {some_of(qrels.query_ids)}; the ids must be the same"
            )
    chosen = np.array([q for q, query_id in enumerate(qrels.query_ids) if query_id in kept])
    lists = {}
    for name, run in runs.items():
        judged = judge(trec_ordered(run), qrels)
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
        Judged documents. Features that are constant over all documents are left out.

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


def trec_ordered(run: Run) -> Run:
    """Return a run with each query's documents by id, descending, as trec_eval ranks equal scores.

    Parameters
    ----------
    run : Run

    Examples
    --------
    >>> trec_ordered(Run.from_dict({"q1": {"d1": 1.0, "d2": 1.0}})).document_ids
    Ids(['d2', 'd1'], n=2)
    """
    order = in_trec_order(run.query_of_document, run.document_ids)
    return replace(run, document_ids=run.document_ids.take(order), scores=readonly(run.scores[order]))


def _select(scores: F64, judgments: Judgments, queries: I64) -> tuple[F64, Judgments]:
    documents, _ = segments(judgments.query_offsets, queries)
    return readonly(scores[documents]), judgments.select(queries)
