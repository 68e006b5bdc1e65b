"""Papers, their tables and figures, and the studies behind those."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from rankmax.errors import UnknownNameError
from rankmax.papers.reports import Finding, Report, Verdict
from rankmax.papers.setup import Setup

Values = Mapping[str, Any]
"""Results of the steps of a study, by name, as JSON values."""

Step = Callable[[Values], Any]
"""A step of a study: takes the results of earlier steps, and returns a JSON value."""


@dataclass(frozen=True)
class Study:
    """An experiment in steps, each of which is stored when it is done.

    Attributes
    ----------
    name : str
    settings : callable
        Maps a setup to all settings that determine the results; stored steps of other settings are discarded.
    steps : callable
        Maps a setup to names and steps, in order; none where the setup lacks the data that the study needs.
    needs : str
        Description of the data that the study needs.
    memory : callable, optional
        Maps a setup to the bytes that the study needs at once, where these may be many.
    """

    name: str
    settings: Callable[[Setup], dict[str, Any]]
    steps: Callable[[Setup], Iterable[tuple[str, Step]]]
    needs: str
    memory: Callable[[Setup], int] | None = None


@dataclass(frozen=True)
class Exhibit:
    """A table or figure of a paper.

    Attributes
    ----------
    name : str
        Name such as "table-1".
    title : str
    study : Study
    report : callable
        Maps the study's results and the paper's own numbers to a report.
    draw : callable, optional
        Draws the study's results into a file.
    """

    name: str
    title: str
    study: Study
    report: Callable[[Values, Mapping[str, Any]], Report]
    draw: Callable[[Values, Path], None] | None = None


@dataclass(frozen=True)
class Claim:
    """A claim of a paper.

    Attributes
    ----------
    id, exhibit, where, says : str
        Identifier, name of the exhibit that tests the claim, section, table or figure that states it, and its text.
    rule : dict, optional
        Bounds that decide it, as of :class:`~rankmax.papers.verdicts.Rule`; a claim of the form "never" or "sometimes"
        needs none.
    """

    id: str
    exhibit: str
    where: str
    says: str
    rule: Mapping[str, Any] | None = None


@dataclass(frozen=True, eq=False)
class Paper:
    """A paper, and the folder of this package that reproduces it.

    Attributes
    ----------
    name : str
        Name of the folder.
    exhibits : tuple of Exhibit
    methods : tuple of str
        Methods that its random trials compare on binned scores; empty for papers without such trials.
    """

    name: str
    exhibits: tuple[Exhibit, ...]
    methods: tuple[str, ...] = ()

    @property
    def folder(self) -> Traversable:
        """Folder with README.md, expected.toml and stored results."""
        return files("rankmax.papers") / self.name

    @cached_property
    def expected(self) -> Mapping[str, Any]:
        """The paper's printed numbers; see expected.toml."""
        return tomllib.loads((self.folder / "expected.toml").read_text(encoding="utf-8"))

    @property
    def reference(self) -> str:
        """Authors, year, title and venue."""
        return str(self.expected["reference"])

    @cached_property
    def claims(self) -> tuple[Claim, ...]:
        """The claims of the paper that are tested."""
        return tuple(Claim(**claim) for claim in self.expected["claims"])

    def exhibit(self, name: str) -> Exhibit:
        """Return an exhibit by name.

        Parameters
        ----------
        name : str
        """
        for one in self.exhibits:
            if one.name == name:
                return one
        raise UnknownNameError(f"table or figure of {self.name}", name, [one.name for one in self.exhibits])

    def report(self, exhibit: Exhibit, values: Values, *, small: bool = False) -> Report:
        """Return the report of an exhibit, with a finding for each of its claims.

        Parameters
        ----------
        exhibit : Exhibit
        values : mapping
            Results of its study; empty where it could not run.
        small : bool
            Whether they are of the small version, which refutes no claim.
        """
        untested = {
            claim.id: Finding(Verdict.NOT_TESTED, f"needs {exhibit.study.needs}") for claim in self.claims_of(exhibit)
        }
        if not values:
            return Report((), untested)
        found = exhibit.report(values, self.expected)
        findings = {
            claim: finding.without_refuting() if small else finding for claim, finding in found.findings.items()
        }
        return Report(found.tables, untested | findings)

    def claims_of(self, exhibit: Exhibit) -> list[Claim]:
        """Return the claims that an exhibit tests.

        Parameters
        ----------
        exhibit : Exhibit
        """
        return [claim for claim in self.claims if claim.exhibit == exhibit.name]
