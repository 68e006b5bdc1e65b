"""Names are known without imports, and every name of every registry leads to something."""

from __future__ import annotations

import subprocess
import sys

import pytest

from rankmax._registry import Registry, location_of
from rankmax.backends.registry import BACKENDS
from rankmax.engines.registry import TARGETS
from rankmax.errors import InvalidParameterError, UnknownNameError
from rankmax.formats.registry import READERS, WRITERS
from rankmax.learners.registry import LEARNERS
from rankmax.learners.structural.loss_registry import ORACLES
from rankmax.learners.surrogate.scoring.registry import SCORING_FUNCTIONS
from rankmax.losses.registry import LOSSES
from rankmax.metrics.registry import METRICS
from rankmax.papers.registry import PAPERS
from rankmax.preprocessing.registry import NORMALIZATIONS
from rankmax.retrieval.registry import FEATURE_SETS, FEATURES
from rankmax.spaces.registry import SPACES

ALL = (
    *(BACKENDS, TARGETS, READERS, WRITERS, ORACLES, SCORING_FUNCTIONS),
    *(LEARNERS, LOSSES, METRICS, PAPERS, NORMALIZATIONS, FEATURES, FEATURE_SETS, SPACES),
)
ENTRIES = [pytest.param(registry, name, id=f"{registry.kind} {name}") for registry in ALL for name in registry]

# Those that a front end lists; the others are beside classes that users import.
LISTED = (
    *("backends.registry:BACKENDS", "engines.registry:TARGETS", "formats.registry:READERS", "losses.registry:LOSSES"),
    "learners.registry:LEARNERS",
    *("papers.registry:PAPERS", "preprocessing.registry:NORMALIZATIONS", "retrieval.registry:FEATURE_SETS"),
)


def errors() -> Registry[type]:
    return Registry("error", "rankmax", {"b": ("errors:RankmaxError", "Root."), "a": ("errors:ServerError", "Server.")})


@pytest.mark.parametrize(("registry", "name"), ENTRIES)
def test_every_entry_can_be_loaded_and_is_described_in_a_line(registry: Registry[object], name: str) -> None:
    assert registry.load(name) is registry.load(name)
    assert registry.describe(name).strip()
    assert "\n" not in registry.describe(name)


@pytest.mark.parametrize("registry", [METRICS, FEATURES], ids=["metric", "feature"])
def test_symbols_are_the_names_of_their_entries(registry: Registry[type]) -> None:
    assert {name: kind.symbol for name, kind in registry.load_all().items()} == {name: name for name in registry}


@pytest.mark.parametrize("registry", [NORMALIZATIONS, SPACES], ids=["normalization", "space"])
def test_classes_have_the_names_of_their_entries(registry: Registry[type]) -> None:
    assert {name: kind.name for name, kind in registry.load_all().items()} == {name: name for name in registry}


def test_listing_names_imports_nothing_heavy() -> None:
    """In one process, which tells after each table what it has loaded by then."""
    program = "import sys\n"
    for where in LISTED:
        module, _, table = where.partition(":")
        program += f"from rankmax.{module} import {table}; assert {table}.names() and {table}.help_lines()\n"
        program += f"print('{where}', *{{'numpy', 'scipy', 'numba', 'click'}} & set(sys.modules))\n"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.stdout.splitlines(), done.stderr) == (list(LISTED), "")


def test_names_keep_their_order() -> None:
    assert errors().names() == list(errors()) == ["b", "a"]
    assert errors().help_lines() == "b  Root.\na  Server."
    assert (len(errors()), "a" in errors(), "c" in errors()) == (2, True, False)


@pytest.mark.parametrize("ask", ["load", "describe", "location", "remove"])
def test_an_unknown_name_gets_the_nearest_ones(ask: str) -> None:
    with pytest.raises(UnknownNameError, match=r"unknown error 'bb'; did you mean 'b'\? Known: a, b"):
        getattr(errors(), ask)("bb")


class OwnError(Exception):
    """An error of a user."""


def test_a_user_adds_and_removes() -> None:
    registry = errors()
    registry.add("own", OwnError, "Mine.")
    registry.add("own", OwnError, "Mine, again.")
    assert (registry.load("own"), registry.describe("own")) == (OwnError, "Mine, again.")
    assert registry.location("own") == location_of(OwnError) == f"{__name__}:OwnError"
    registry.remove("own")
    assert "own" not in registry


def test_a_taken_name_is_refused() -> None:
    with pytest.raises(InvalidParameterError, match="OwnError cannot be called 'a': that is ServerError already"):
        errors().add("a", OwnError)
