"""Papers, the tables and figures in them, and the work behind those."""

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
from rankmax.experiments.reports import Finding, Report
from rankmax.experiments.setup import Setup

Values = Mapping[str, Any]
"""What the steps of a study found, by name; as JSON has it."""

Step = Callable[[Values], Any]
"""A piece of work, given what earlier steps found; returns what JSON can hold."""


@dataclass(frozen=True)
class Study:
    """Work in steps, each of which is stored when it is done.

    Attributes
    ----------
    name : str
    settings : callable
        From a setup to all that decides what the steps find; where it changes, stored steps are of no use.
    steps : callable
        From a setup to names and steps, in order; none where the setup lacks what the study needs.
    needs : str
        What that is, for people.
    """

    name: str
    settings: Callable[[Setup], dict[str, Any]]
    steps: Callable[[Setup], Iterable[tuple[str, Step]]]
    needs: str


@dataclass(frozen=True)
class Exhibit:
    """A table or figure of a paper.

    Attributes
    ----------
    name : str
        Such as "table-1".
    title : str
    study : Study
    report : callable
        From what the study found and the paper's own numbers to a report.
    draw : callable, optional
        Draws what the study found into a file.
    """

    name: str
    title: str
    study: Study
    report: Callable[[Values, Mapping[str, Any]], Report]
    draw: Callable[[Values, Path], None] | None = None


@dataclass(frozen=True)
class Claim:
    """What a paper says.

    Attributes
    ----------
    id, exhibit, where, says : str
        Exhibit is the name of the one that tests it; where is the section, table or figure that says it.
    """

    id: str
    exhibit: str
    where: str
    says: str


@dataclass(frozen=True, eq=False)
class Paper:
    """A paper, and the folder of this package that re-runs it.

    Attributes
    ----------
    name : str
        Of the folder.
    exhibits : tuple of Exhibit
    """

    name: str
    exhibits: tuple[Exhibit, ...]

    @property
    def folder(self) -> Traversable:
        """Where README.md, expected.toml and stored results are."""
        return files("rankmax.experiments") / self.name

    @cached_property
    def expected(self) -> Mapping[str, Any]:
        """What the paper printed; see expected.toml."""
        return tomllib.loads((self.folder / "expected.toml").read_text(encoding="utf-8"))

    @property
    def reference(self) -> str:
        """Authors, year, title and where it appeared."""
        return str(self.expected["reference"])

    @cached_property
    def claims(self) -> tuple[Claim, ...]:
        """What the paper says, as far as it is tested here."""
        return tuple(Claim(**claim) for claim in self.expected["claims"])

    def exhibit(self, name: str) -> Exhibit:
        """Return the exhibit of a name.

        Parameters
        ----------
        name : str
        """
        for one in self.exhibits:
            if one.name == name:
                return one
        raise UnknownNameError(f"table or figure of {self.name}", name, [one.name for one in self.exhibits])

    def report(self, exhibit: Exhibit, values: Values) -> Report:
        """Return what an exhibit says, with a finding for each of its claims.

        Parameters
        ----------
        exhibit : Exhibit
        values : mapping
            What its study found; empty where it could not run.
        """
        untested = {c.id: Finding(None, f"needs {exhibit.study.needs}") for c in self.claims_of(exhibit)}
        if not values:
            return Report((), untested)
        found = exhibit.report(values, self.expected)
        return Report(found.tables, untested | found.findings)

    def claims_of(self, exhibit: Exhibit) -> list[Claim]:
        """Return the claims that an exhibit tests.

        Parameters
        ----------
        exhibit : Exhibit
        """
        return [claim for claim in self.claims if claim.exhibit == exhibit.name]
