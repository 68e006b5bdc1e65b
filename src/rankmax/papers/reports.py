"""Reports of experiments: tables, and whether the paper's claims hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum


@dataclass(frozen=True)
class Table:
    """A table of printed cells.

    Attributes
    ----------
    title : str
    header : sequence of str
    rows : sequence of sequences of str
        Rows as long as the header.

    Examples
    --------
    >>> print(Table("AP", ["topic", "search"], [["301", "0.68"]]).markdown())
    | topic | search |
    | --- | --- |
    | 301 | 0.68 |
    """

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]

    def markdown(self) -> str:
        """Return the cells as a Markdown table, without the title."""
        lines = [self.header, ["---"] * len(self.header), *self.rows]
        return "\n".join(f"| {' | '.join(cell.replace('|', '/') for cell in line)} |" for line in lines)


class Verdict(StrEnum):
    """What an experiment says of a claim."""

    HOLDS = "holds"
    FAILS = "does not hold"
    INCONCLUSIVE = "inconclusive"
    NOT_TESTED = "not tested"


@dataclass(frozen=True)
class Finding:
    """The verdict on a claim, with the evidence.

    Attributes
    ----------
    verdict : Verdict
    evidence : str

    Examples
    --------
    >>> print(Finding(Verdict.HOLDS, "12 of 15 topics").verdict)
    holds
    """

    verdict: Verdict
    evidence: str

    def without_refuting(self) -> Finding:
        """Return the finding of a reduced experiment, which is too small to refute a claim.

        Examples
        --------
        >>> print(Finding(Verdict.FAILS, "2 topics").without_refuting().verdict)
        inconclusive
        """
        if self.verdict is not Verdict.FAILS:
            return self
        return Finding(Verdict.INCONCLUSIVE, f"{self.evidence}; the small version cannot refute a claim")


@dataclass(frozen=True)
class Report:
    """Results of an experiment.

    Attributes
    ----------
    tables : sequence of Table
    findings : dict of str to Finding
        Findings by id of the claim.
    """

    tables: Sequence[Table] = ()
    findings: dict[str, Finding] = field(default_factory=dict)
