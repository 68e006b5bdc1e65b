"""Where in the repository a finding points to: the line of a query in the baseline file, or the project file."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field

from rankmax.workflows.relevance_gate.findings import Finding


@dataclass(frozen=True)
class SourceLocations:
    """Files that findings are about.

    Attributes
    ----------
    path : str or None
        The project file, or else the baseline; None where neither is a file.
    baseline : str or None
        The baseline file.
    lines : mapping of str to int
        Line of each query in the baseline file.
    """

    path: str | None = None
    baseline: str | None = None
    lines: Mapping[str, int] = field(default_factory=dict)

    def of(self, finding: Finding) -> tuple[str | None, int]:
        """Return the file and the line of a finding; the path is relative to the current folder where it can be.

        Parameters
        ----------
        finding : Finding

        Examples
        --------
        >>> from rankmax.workflows.relevance_gate.findings import Outcome
        >>> finding = Finding("fallen", Outcome.WARNING, "new", "query q7", "fell from 1 to 0 in RR", "q7")
        >>> SourceLocations("rankmax.toml", "baseline.tsv", {"q7": 12}).of(finding)
        ('baseline.tsv', 12)
        """
        if finding.query is not None and finding.query in self.lines and self.baseline is not None:
            return _relative(self.baseline), self.lines[finding.query]
        return (None if self.path is None else _relative(self.path)), 1


def _relative(path: str) -> str:
    shown = os.path.relpath(path)
    return (os.path.abspath(path) if shown.startswith("..") else shown).replace(os.sep, "/")
