"""Imports point one way, heavy libraries wait until they are used, and every dependency is declared."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import ClassVar

import pytest

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "rankmax"

# From the ground up; a part imports its own row and the rows above it.
LAYERS = [
    {"errors", "_arrays", "_deprecation", "_exports", "_registry", "_result_views", "_version"},
    {"_io"},
    {"_pages"},
    {"_kernels"},
    {"_numerics"},
    {"data"},
    {"formats"},
    {"preprocessing"},
    {"metrics"},
    {"retrieval"},
    {"datasets"},
    {"spaces"},
    {"line_search"},
    {"losses"},
    {"optimizers"},
    {"backends"},
    {"models"},
    {"learners"},
    {"evaluation"},
    {"fusion"},
    {"engines"},
    {"workflows"},
    {"papers"},
    {"api"},
    {"rankmax", "testing"},  # the package's own lazy namespace, and the contract tests
    {"studio"},
    {"cli"},
    {"__main__"},
]
LAYER_OF = {part: depth for depth, row in enumerate(LAYERS) for part in row}

# Importing these costs from 0.2 s to a second, so only the code that needs them does.
HEAVY = {"distributed", "matplotlib", "numba", "pandas", "polars", "pyarrow", "scipy", "sklearn"}
OPTIONAL_INPUTS = {"pandas", "polars", "sklearn"}  # met when a user brings them, never installed by rankmax
IMPORTED_AS = {"PyStemmer": "Stemmer"}  # where a distribution has another name than its module

MODULES = sorted(SOURCE.rglob("*.py"))


@dataclass(frozen=True)
class Import:
    """One imported module, with where and when it is imported."""

    target: str
    line: int
    at_start: bool
    for_types_only: bool


def part_of(module: Path) -> str:
    """Return the part of the package a file belongs to: the first name below rankmax."""
    relative = module.relative_to(SOURCE)
    if relative == Path("__init__.py"):
        return "rankmax"
    return relative.parts[0].removesuffix(".py")


def part_of_target(target: str) -> str:
    """Return the part of the package that an absolute import names."""
    names = target.split(".")
    return names[1] if len(names) > 1 and _is_module(names[1]) else "rankmax"


def imports(tree: ast.AST, *, at_start: bool = True, for_types_only: bool = False) -> Iterator[Import]:
    """Yield every import below `tree`, those inside functions and conditions included."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(alias.name, node.lineno, at_start, for_types_only)
        elif isinstance(node, ast.ImportFrom):
            package = "." * node.level + (node.module or "")
            for alias in node.names:
                yield Import(f"{package}.{alias.name}", node.lineno, at_start, for_types_only)
        elif isinstance(node, ast.If) and ast.unparse(node.test) in {"TYPE_CHECKING", "typing.TYPE_CHECKING"}:
            yield from imports(ast.Module(node.body, type_ignores=[]), at_start=at_start, for_types_only=True)
            yield from imports(
                ast.Module(node.orelse, type_ignores=[]), at_start=at_start, for_types_only=for_types_only
            )
        else:
            inside = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            yield from imports(node, at_start=at_start and not inside, for_types_only=for_types_only)


@cache
def imports_of(module: Path) -> list[Import]:
    return list(imports(ast.parse(module.read_text(encoding="utf-8"))))


def wrong_directions(part: str, found: list[Import]) -> list[str]:
    """Return the imports of a module of `part` that point upwards, or to nowhere known."""
    wrong = []
    for item in found:
        if item.target.startswith("."):
            wrong.append(f"line {item.line}: relative import of {item.target}; write it out from rankmax")
        elif item.target.split(".")[0] == "rankmax":
            target = part_of_target(item.target)
            if target not in LAYER_OF:
                wrong.append(f"line {item.line}: {target} has no place in LAYERS")
            elif LAYER_OF[target] > LAYER_OF[part]:
                wrong.append(f"line {item.line}: {part} must not import {target}")
    return wrong


def early_imports(part: str, found: list[Import]) -> list[str]:
    """Return what a module imports when it starts but should import where it is used."""
    if part == "_kernels":
        return []
    return [
        f"line {item.line}: import {item.target} inside the function that uses it"
        for item in found
        if item.at_start
        and not item.for_types_only
        and (item.target.split(".")[0] in HEAVY or item.target.startswith("rankmax._kernels"))
    ]


def declared_modules() -> set[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = [requirement for extra in project["optional-dependencies"].values() for requirement in extra]
    names = [re.match(r"[\w-]+", requirement)[0] for requirement in [*project["dependencies"], *extras]]  # type: ignore[index]
    return {IMPORTED_AS.get(name, name) for name in names}


def _is_module(name: str) -> bool:
    return (SOURCE / name).is_dir() or (SOURCE / f"{name}.py").is_file()


def test_modules_have_a_place_in_the_layers() -> None:
    assert [module for module in MODULES if part_of(module) not in LAYER_OF] == [], "add their parts to LAYERS"


def test_modules_import_only_lower_layers() -> None:
    assert found_in_modules(lambda module: wrong_directions(part_of(module), imports_of(module))) == {}


def test_modules_import_heavy_libraries_where_they_are_used() -> None:
    assert found_in_modules(lambda module: early_imports(part_of(module), imports_of(module))) == {}


def test_modules_import_only_declared_packages() -> None:
    known = declared_modules() | OPTIONAL_INPUTS | sys.stdlib_module_names | {"rankmax"}
    assert found_in_modules(lambda module: {item.target.split(".")[0] for item in imports_of(module)} - known) == {}


def test_only_kernels_are_compiled() -> None:
    users = [m for m in MODULES if any(item.target.split(".")[0] == "numba" for item in imports_of(m))]
    assert {part_of(module) for module in users} == {"_kernels"}


def found_in_modules(faults: Callable[[Path], Collection[object]]) -> dict[str, Collection[object]]:
    """Return the faults of each module that has any."""
    found = {module.relative_to(SOURCE).as_posix(): faults(module) for module in MODULES}
    return {module: wrong for module, wrong in found.items() if wrong}


# Imports that would close a circle, each inside the one function that needs it.
LATE = {
    ("metrics.metric", "metrics.evaluator"): "a metric evaluates itself, which is how most users evaluate one",
    ("preprocessing.feature_normalization", "preprocessing.registry"): "a normalization by its name",
    ("backends.distributed_dataset", "backends.distributed_objective"): "the objective over a data set",
}


def module_name(path: Path) -> str:
    return ".".join(path.relative_to(SOURCE).with_suffix("").parts)


def imported_modules(path: Path) -> set[str]:
    """Return the modules of the package that a module needs when it runs, by their names below rankmax."""
    known = {module_name(module) for module in MODULES}
    found = set()
    for item in imports_of(path):
        if item.for_types_only or not item.target.startswith("rankmax."):
            continue
        name = item.target.removeprefix("rankmax.")
        found |= {one for one in (name, name.rpartition(".")[0]) if one in known}
    return found


def circles(graph: dict[str, set[str]]) -> list[list[str]]:
    """Return the groups of names that all lead to each other."""
    reached = {name: _reached(graph, name) for name in graph}
    groups = {tuple(sorted({name, *(o for o in reached[name] if name in reached.get(o, ()))})) for name in graph}
    return sorted(list(group) for group in groups if len(group) > 1)


def _reached(graph: dict[str, set[str]], start: str) -> set[str]:
    found: set[str] = set()
    waiting = list(graph[start])
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += graph.get(name, ())
    return found


class TestInsidePackages:
    GRAPH: ClassVar = {
        module_name(module): {other for other in imported_modules(module) if (module_name(module), other) not in LATE}
        for module in MODULES
        if module.name != "__init__.py"
    }

    def test_no_module_needs_itself(self) -> None:
        assert circles(self.GRAPH) == []

    @pytest.mark.parametrize("folder", ["", *sorted({str(m.parent.relative_to(SOURCE)) for m in MODULES} - {"."})])
    def test_no_two_folders_beside_each_other_need_one_another(self, folder: str) -> None:
        inside = folder.replace("/", ".") + "." if folder else ""
        rooms: dict[str, set[str]] = {}
        for name, others in self.GRAPH.items():
            if name.startswith(inside):
                room = name.removeprefix(inside).split(".")[0]
                rooms.setdefault(room, set()).update(
                    other.removeprefix(inside).split(".")[0] for other in others if other.startswith(inside)
                )
        assert circles({room: others - {room} for room, others in rooms.items()}) == []

    def test_exceptions_are_needed(self) -> None:
        assert [
            pair for pair in LATE if pair[1] not in imported_modules(SOURCE / f"{pair[0].replace('.', '/')}.py")
        ] == []


class TestTheTestItself:
    """The rules above catch what they are meant to catch."""

    @pytest.mark.parametrize(
        "source",
        [
            "from rankmax.cli import main",
            "import rankmax.cli",
            "def f():\n    from rankmax.metrics.metric import Metric",
            "if TYPE_CHECKING:\n    from rankmax.evaluation import table",
            "class A:\n    def f(self):\n        if x:\n            import rankmax.workflows",
            "from rankmax import RankingDataset",
            "from . import dataset",
        ],
    )
    def test_upward_and_relative_imports_are_seen(self, source: str) -> None:
        assert len(wrong_directions("data", list(imports(ast.parse(source))))) == 1

    @pytest.mark.parametrize("source", ["from rankmax.errors import RankmaxError", "from rankmax import errors"])
    def test_downward_imports_pass(self, source: str) -> None:
        assert wrong_directions("data", list(imports(ast.parse(source)))) == []

    def test_circles_are_seen(self) -> None:
        assert circles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}) == [["a", "b", "c"]]
        assert circles({"a": {"b"}, "b": set(), "d": {"a", "b"}}) == []

    @pytest.mark.parametrize(
        ("source", "caught"),
        [
            ("import scipy.stats", 1),
            ("try:\n    from pandas import DataFrame\nexcept ImportError: pass", 1),
            ("from rankmax._kernels.sort import sort", 1),
            ("class A:\n    import numba", 1),
            ("def f():\n    import numba", 0),
            ("if TYPE_CHECKING:\n    from scipy.sparse import csc_array", 0),
            ("if TYPE_CHECKING:\n    pass\nelse:\n    import scipy", 1),
        ],
    )
    def test_early_heavy_imports_are_seen(self, source: str, caught: int) -> None:
        assert len(early_imports("data", list(imports(ast.parse(source))))) == caught
