"""`rankmax.judge_next`: the unjudged documents whose judgments could change the decision of a tuning."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from rankmax._io.files import write_bytes
from rankmax._result_views import Block, Facts, ResultView, Table, as_frame
from rankmax.api.inputs import MetricLike
from rankmax.api.progress import Progress
from rankmax.api.tune import tune
from rankmax.errors import IncompatibleError, InvalidParameterError, counted
from rankmax.formats.topics import read_topics
from rankmax.fusion.decision import Verdict
from rankmax.models import LinearModel
from rankmax.workflows.tuning.next_judgments import DEPTH, NextJudgment, next_judgments

TABLES = (".csv", ".jsonl")
"""Suffixes of the table for annotators: CSV, or JSON lines."""
_COLUMNS = ("query", "text", "doc", "grade", "why")
_SHOWN_TEXT = 40  # characters of a query in a terminal


@dataclass(frozen=True, eq=False, repr=False)
class JudgmentList(ResultView):
    """Documents to judge next, the result of :func:`rankmax.judge_next <rankmax.api.judge_next.judge_next>`.

    Attributes
    ----------
    documents : tuple of NextJudgment
        The documents, the most important first, at most as many as the budget.
    n_candidates : int
        Number of unjudged documents that could change the decision, within the budget or not.
    unjudged_share : float
        Share of unjudged documents in the top k of the pick.
    depth : int
        k, the number of top documents per query.
    metric : str
    verdict : Verdict
        Verdict of the tuning with the judgments so far.
    topics : mapping of str to str
        Text of each query, where it is known.

    Examples
    --------
    >>> from rankmax import judge_next
    >>> qrels = {f"q{i}": {"d1": 1, "d2": 0} for i in range(4)}
    >>> lists = {"bm25": {"d2": 3.0, "d1": 2.0}, "e5": {"d3": 2.0, "d1": 1.0}}
    >>> runs = {name: dict.fromkeys(qrels, documents) for name, documents in lists.items()}
    >>> found = judge_next(qrels, runs, "nDCG@2", budget=2)
    >>> [(one.query, one.document) for one in found.documents], found.n_candidates
    ([('q0', 'd3'), ('q1', 'd3')], 4)
    """

    documents: tuple[NextJudgment, ...]
    n_candidates: int
    unjudged_share: float
    depth: int
    metric: str
    verdict: Verdict
    topics: Mapping[str, str] = field(default_factory=dict)

    def why(self, document: NextJudgment) -> str:
        """Return the reason to judge a document, as a phrase.

        Parameters
        ----------
        document : NextJudgment
        """
        enters = f"in the top {self.depth} for {document.share:.0%} of equally good weights"
        if self.verdict.pick == self.verdict.current:
            return f"rank {document.pick_rank}; {enters}"
        return (
            f"rank {document.pick_rank} in {self.verdict.pick}, {document.current_rank} in {self.verdict.current}; "
            f"{enters}; {self.metric} gain {document.change:+.4f} if relevant"
        )

    @property
    def blocks(self) -> list[Block]:
        """The documents as a table, and what they can change."""
        candidates = counted(self.n_candidates, "unjudged document", "unjudged documents")
        facts = Facts(
            {
                "listed": f"{len(self.documents):,} of {candidates} that could change the decision",
                "not judged": f"{self.unjudged_share:.0%} of the top {self.depth} of {self.verdict.pick}",
                "verdict so far": str(self.verdict),
            }
        )
        if not self.documents:
            return [facts]
        texts = [["query text"], *([_short(self.topics.get(one.query, ""))] for one in self.documents)]
        if not self.topics:
            texts = [[] for _ in texts]
        rows = [
            [
                *(one.query, *texts[i + 1], one.document, str(one.pick_rank), str(one.current_rank)),
                *(f"{one.share:.0%}", f"{one.chance:.0%}", f"{one.change:+.4f}"),
            ]
            for i, one in enumerate(self.documents)
        ]
        header = [
            "query",
            *texts[0],
            "doc",
            "rank in pick",
            "in current",
            "plateau",
            "chance",
            "gain if relevant",
        ]
        return [Table(header, rows), facts]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, which can be written as JSON and shown by a user interface for annotators."""
        return {
            "metric": self.metric,
            "depth": self.depth,
            "pick": self.verdict.pick,
            "current": self.verdict.current,
            "verdict": str(self.verdict),
            "unjudged_share": self.unjudged_share,
            "candidates": self.n_candidates,
            "documents": [
                asdict(one) | {"text": self.topics.get(one.query), "why": self.why(one)} for one in self.documents
            ],
        }

    def to_frame(self) -> Any:
        """Return the table for annotators as a pandas data frame."""
        return as_frame(_COLUMNS, self._rows())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the table for annotators; with the grades filled in, it is a file of qrels.

        Parameters
        ----------
        path : path
            Its name ends in .csv, or in .jsonl for JSON lines, in which the grades are null.
        """
        if not os.fspath(path).lower().endswith(TABLES):
            raise InvalidParameterError(f"{os.fspath(path)} is a table: give a name that ends in .csv or .jsonl")
        text = io.StringIO()
        if os.fspath(path).lower().endswith(".csv"):
            writer = csv.writer(text, lineterminator="\n")
            writer.writerow(_COLUMNS)
            writer.writerows(self._rows())
        else:
            for row in self._rows():
                text.write(json.dumps(dict(zip(_COLUMNS, row, strict=True)), ensure_ascii=False) + "\n")
        write_bytes(path, text.getvalue().encode())

    def _rows(self) -> list[tuple[str, str, str, None, str]]:
        return [
            (one.query, self.topics.get(one.query, ""), one.document, None, self.why(one)) for one in self.documents
        ]


def judge_next(
    qrels: Any,
    systems: Any,
    metric: MetricLike = "nDCG@10",
    *,
    current: str | LinearModel | Mapping[str, float] | None = None,
    budget: int | None = 100,
    depth: int | None = None,
    topics: str | os.PathLike[str] | Mapping[str, str] | None = None,
    folds: int = 5,
    repeats: int | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> JudgmentList:
    """List the unjudged documents whose judgments could change the decision of a tuning, the most important first.

    Systems are tuned with the judgments so far. A document is listed if it is in the top k of the pick, of the current
    fusion, or for weights within one standard error of the best; see
    :func:`~rankmax.workflows.tuning.next_judgments.next_judgments` for the order.

    Parameters
    ----------
    qrels : path, Qrels, mapping or data frame
        The judgments so far; queries need at least one, relevant or not.
    systems : list of paths, or mapping of names to runs
        Runs, as :func:`rankmax.tune <rankmax.api.tune.tune>` takes them.
    metric : str or Metric, default "nDCG@10"
    current : str, mapping of str to float, or LinearModel, optional
        The fusion in use today, as :func:`rankmax.tune <rankmax.api.tune.tune>` takes it; by default RRF.
    budget : int or None, default 100
        Largest number of documents; None lists all.
    depth : int, optional
        k, the number of top documents per query; by default the metric's cutoff, or 10.
    topics : path or mapping of str to str, optional
        Text of the queries, to be shown to annotators.
    folds, repeats, seed
        Of the cross-validation, as :func:`rankmax.tune <rankmax.api.tune.tune>` takes them.
    progress : Progress, optional
        Receives progress.

    Returns
    -------
    JudgmentList

    Examples
    --------
    >>> qrels = {f"q{i}": {"d1": 1, "d2": 0} for i in range(4)}
    >>> lists = {"bm25": {"d2": 3.0, "d1": 2.0}, "e5": {"d3": 2.0, "d1": 1.0}}
    >>> runs = {name: dict.fromkeys(qrels, documents) for name, documents in lists.items()}
    >>> judge_next(qrels, runs, "nDCG@2", budget=1).to_dict()["documents"][0]["document"]
    'd3'
    """
    for name, number in (("budget", budget), ("depth", depth)):
        if number is not None and number < 1:
            raise InvalidParameterError(f"{name} is {number}; expected at least 1")
    texts = read_topics(topics) if isinstance(topics, str | os.PathLike) else dict(topics or {})
    tuning = tune(
        systems, qrels, metric, current=current, folds=folds, repeats=repeats, seed=seed, progress=progress
    ).result
    if not tuning.signals.from_runs:
        raise IncompatibleError("the next judgments are chosen for runs; a log of features has its own documents")
    found, share = next_judgments(tuning, depth=depth)
    return JudgmentList(
        tuple(found[:budget]),
        len(found),
        share,
        depth or tuning.metric.cutoff or DEPTH,
        tuning.metric.name,
        tuning.verdict,
        texts,
    )


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN_TEXT else f"{text[: _SHOWN_TEXT - 3]}..."
