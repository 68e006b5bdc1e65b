"""What is public: the names that `rankmax` and its public packages export, each on a page of the reference."""

from __future__ import annotations

import enum
import inspect
import re
from pathlib import Path
from types import ModuleType

import click
import pytest

import rankmax
from api_pages import is_public, pages, public_modules

SOURCE = Path(rankmax.__file__).parent
PACKAGES = [rankmax, *(module for module in public_modules() if hasattr(module, "__path__"))]
VERBS = (
    *("evaluate", "compare", "tune", "train", "prove", "verify", "rank", "export", "load"),
    *("index", "search", "surface", "profile", "distance", "collect", "push", "confirm", "check", "judge_next"),
    "prune",
)
OFFERED = [
    (package, name)
    for package in PACKAGES
    for name in getattr(package, "__all__", ())
    if not name.startswith("__") and not inspect.ismodule(getattr(package, name))
]
PAGES = dict(pages())


@pytest.mark.parametrize(("package", "name"), OFFERED, ids=lambda part: getattr(part, "__name__", part))
class TestOfferedName:
    def test_its_home_is_public_and_has_a_page(self, package: ModuleType, name: str) -> None:
        home = getattr(getattr(package, name), "__module__", package.__name__)
        assert is_public(home), f"{name} comes from {home}, which is private"
        assert home == "rankmax" or f"{home}.md" in PAGES

    def test_the_package_s_page_lists_it(self, package: ModuleType, name: str) -> None:
        page = PAGES["api.md" if package is rankmax else f"{package.__name__}.md"]
        assert f"`{package.__name__}.{name}" in page

    def test_it_has_an_example_or_describes_its_parameters(self, package: ModuleType, name: str) -> None:
        thing = getattr(package, name)
        if not (inspect.isclass(thing) or inspect.isfunction(thing)) or _is_base(thing):
            return
        if inspect.isclass(thing) and issubclass(thing, Exception | enum.Enum):
            return
        kinds = inspect.getmro(thing) if inspect.isclass(thing) else (thing,)
        text = "\n".join(inspect.getdoc(kind) or "" for kind in kinds if kind.__module__.startswith("rankmax"))
        described = any(f"\n{section}\n---" in text for section in ("Parameters", "Attributes", "Examples"))
        assert described


def _is_base(thing: object) -> bool:
    """Return whether users only inherit from it."""
    return inspect.isabstract(thing) or getattr(thing, "_is_protocol", False)


def test_exports_are_sorted_and_exist() -> None:
    assert rankmax.__all__ == sorted(rankmax.__all__)
    assert [name for name in rankmax.__all__ if not hasattr(rankmax, name)] == []


@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_is_a_function_of_the_package_and_shares_its_name_with_a_command(verb: str) -> None:
    from rankmax.cli.main import cli

    assert inspect.isfunction(getattr(rankmax, verb))
    assert verb.replace("_", "-") in cli.list_commands(click.Context(cli)) or verb == "load"


@pytest.mark.parametrize("verb", ["evaluate", "compare", "tune"])
def test_options_of_a_verb_are_parameters_with_the_same_defaults(verb: str) -> None:
    from rankmax.cli.main import cli

    inputs = {"metrics", "models", "scores", "qrels"}
    shown = {"as_json", "as_csv", "per_query", "plot", "output", "row", "rounded", "report", *inputs}
    parameters = dict(inspect.signature(getattr(rankmax, verb)).parameters)
    if verb == "compare":  # the options on judging are those of evaluate
        parameters |= dict(inspect.signature(rankmax.evaluate).parameters)
    command = cli.get_command(click.Context(cli), verb)
    assert command is not None
    for option in command.params:
        if option.param_type_name == "argument" or option.name in shown | {"help"}:
            continue
        parameter = parameters[str(option.name)]
        if isinstance(option.default, int | float | str) and not isinstance(option.default, bool):
            assert parameter.default == option.default, option.name


def test_examples_import_public_names_from_public_packages() -> None:
    """Readers copy them: `from rankmax.metrics import nDCG`, and not the module in which it happens to be written."""
    offered = {(getattr(getattr(package, name), "__module__", ""), name) for package, name in OFFERED}
    pattern = re.compile(r"^\s*(?:>>>|\.\.\.) from (rankmax\.\S+) import (.+)$", re.M)
    packages = {package.__name__ for package in PACKAGES}
    deep = {
        f"{path.relative_to(SOURCE)}: from {module} import {name}"
        for path in SOURCE.rglob("*.py")
        for module, names in pattern.findall(path.read_text(encoding="utf-8"))
        for name in names.split(", ")
        if module not in packages and (module, name) in offered
    }
    assert deep == set()
