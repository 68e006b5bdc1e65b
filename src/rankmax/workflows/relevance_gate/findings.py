"""Results of a relevance gate: outcomes of rules, tested cells, and queries that fell."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Outcome(StrEnum):
    """Outcome of a rule."""

    PASS = "pass"
    FAIL = "fail"
    UNKNOWN = "cannot tell"
    """The data cannot tell whether the rule holds; never a pass."""
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Finding:
    """Outcome of one rule.

    Attributes
    ----------
    rule : str
        "significance", "margin", "floor", "must-win", "fallen", "unjudged" or "latency".
    outcome : Outcome
    candidate : str
    subject : str
        What the rule is about, such as "nDCG@10" or "AP in category=shoes".
    message : str
    query : str or None
        The query, where the rule is about one.
    """

    rule: str
    outcome: Outcome
    candidate: str
    subject: str
    message: str
    query: str | None = None


@dataclass(frozen=True, slots=True)
class Cell:
    """One metric of one candidate, over all queries or those of a segment, compared with the baseline.

    Attributes
    ----------
    candidate, metric : str
    segment : str or None
        Such as "category=shoes"; None for all queries.
    queries : int
    baseline, value : float
        Means of baseline and candidate.
    p_value, corrected_p_value : float
        One-sided p-value of the drop, alone and corrected for all cells; NaN where there are too few queries to test.
    power : float
        Probability that a change like this one is noticed, on as many queries of this kind.
    noticeable_drop : float
        Smallest drop that is noticed four times of five; NaN where none is.
    unjudged : float
        Share of unjudged documents among the candidate's top ones; NaN where unknown.
    if_relevant : float
        The candidate's mean if these were all relevant.
    """

    candidate: str
    metric: str
    segment: str | None
    queries: int
    baseline: float
    value: float
    p_value: float
    corrected_p_value: float
    power: float
    noticeable_drop: float
    unjudged: float
    if_relevant: float

    @property
    def difference(self) -> float:
        """Candidate minus baseline."""
        return self.value - self.baseline

    @property
    def name(self) -> str:
        """Metric and segment."""
        return self.metric if self.segment is None else f"{self.metric} in {self.segment}"


@dataclass(frozen=True, slots=True)
class RankedDocument:
    """A document of a ranking.

    Attributes
    ----------
    id : str
    grade : float or None
        None where it is not judged.
    """

    id: str
    grade: float | None


@dataclass(frozen=True, slots=True)
class FallenQuery:
    """A query whose main metric fell, with both rankings.

    Attributes
    ----------
    candidate, query : str
    text : str or None
        Text of the query, where topics are given.
    baseline, value : float
        Value of the main metric before and after.
    before, after : tuple of RankedDocument or None
        Top documents of baseline and candidate; None where they are not known.
    """

    candidate: str
    query: str
    text: str | None
    baseline: float
    value: float
    before: tuple[RankedDocument, ...] | None
    after: tuple[RankedDocument, ...] | None


@dataclass(frozen=True)
class GateReport:
    """Result of a relevance gate.

    Attributes
    ----------
    baseline : str
        Name of the baseline.
    candidates : tuple of str
    main_metric : str
    queries : int
    findings : tuple of Finding
        Outcome of every rule.
    cells : tuple of Cell
    fallen : tuple of FallenQuery
        Queries that fell most.
    level : float
        Probability of a false alarm by the tests.
    method : str
        The test, and how it is corrected for the number of cells, in words.
    power : dict of str to float
        Probability that a change like each candidate's is found significantly worse in any cell.
    """

    baseline: str
    candidates: tuple[str, ...]
    main_metric: str
    queries: int
    findings: tuple[Finding, ...]
    cells: tuple[Cell, ...]
    fallen: tuple[FallenQuery, ...]
    level: float
    method: str
    power: dict[str, float]

    @property
    def outcome(self) -> Outcome:
        """Outcome of the gate: fail if any rule fails, else cannot tell if any rule cannot."""
        outcomes = {finding.outcome for finding in self.findings}
        return next((worst for worst in (Outcome.FAIL, Outcome.UNKNOWN) if worst in outcomes), Outcome.PASS)

    @property
    def exit_status(self) -> int:
        """0 for a pass, 1 for a regression, 2 if the data cannot tell."""
        return {Outcome.FAIL: 1, Outcome.UNKNOWN: 2}.get(self.outcome, 0)
