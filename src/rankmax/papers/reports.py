"""Reports of experiments: tables, and whether the paper's claims hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field


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


@dataclass(frozen=True)
class Finding:
    """Whether a claim holds, with the evidence.

    Attributes
    ----------
    holds : bool or None
        Whether the claim holds; None where it was not tested.
    evidence : str

    Examples
    --------
    >>> Finding(True, "12 of 15 topics").verdict, Finding(None, "no runs").verdict
    ('holds', 'not tested')
    """

    holds: bool | None
    evidence: str

    @property
    def verdict(self) -> str:
        """The verdict in words."""
        return "not tested" if self.holds is None else "holds" if self.holds else "does not hold"


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
