"""Every public name is documented, and the examples of the written pages run."""

from __future__ import annotations

import doctest
import enum
import inspect
import re
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import click
import pytest

import rankmax
from api_pages import pages, public_modules
from rankmax.cli.main import cli

ROOT = Path(__file__).parent.parent

# The last three use files: test_tutorials.py and test_gating_page.py.
ELSEWHERE = {"_build", "generated", "tutorials", "README.md", "gating.md"}
WRITTEN_PAGES = [
    path for path in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")] if not ELSEWHERE & {*path.relative_to(ROOT).parts}
]


def public_names(module: ModuleType) -> Iterator[tuple[str, object]]:
    """Yield the public functions and classes that `module` defines, and the public members of those classes."""
    for name, thing in vars(module).items():
        if name.startswith("_") or getattr(thing, "__module__", None) != module.__name__:
            continue
        if inspect.isclass(thing):
            yield f"{module.__name__}.{name}", thing
            for member, value in vars(thing).items():
                value = getattr(value, "__func__", value)  # class and static methods
                if not member.startswith("_") and (inspect.isfunction(value) or isinstance(value, property)):
                    yield f"{module.__name__}.{name}.{member}", value
        elif inspect.isfunction(thing):
            yield f"{module.__name__}.{name}", thing


PUBLIC = dict(item for module in public_modules() for item in public_names(module))
FUNCTIONS = {name: thing for name, thing in PUBLIC.items() if inspect.isfunction(thing)}
# `rankmax.studio` is a package, too, once it is imported: the function is what the package exports under that name.
EXPORTED = {name: thing for name in rankmax.__all__ if callable(thing := rankmax.__getattr__(name))}


def is_called_by_users(thing: object) -> bool:
    return not (isinstance(thing, type) and issubclass(thing, Exception | enum.Enum))


def listed_parameters(docstring: str) -> set[str]:
    """Return the names that the Parameters section of a docstring lists, and its Attributes section, if any."""
    sections = re.findall(r"^(?:Parameters|Attributes)\n-+\n(.*?)(?:^\w+\n--|\Z)", docstring, re.DOTALL | re.MULTILINE)
    entries = [line.partition(" :")[0] for section in sections for line in section.splitlines() if line[:1].strip()]
    return {name.strip(" *") for entry in entries for name in entry.split(",")}


def undescribed_parameters(thing: Callable[..., object]) -> set[str]:
    """Return the parameters that no docstring of a function, or of a class and its bases, lists."""
    parameters = set(inspect.signature(thing).parameters) - {"self", "cls"}
    sources = inspect.getmro(thing) if inspect.isclass(thing) else [thing]
    return parameters.difference(*(listed_parameters(inspect.getdoc(source) or "") for source in sources))


def test_public_names_have_a_summary() -> None:
    """Each needs a docstring that starts with one sentence."""
    summaries = {name: (inspect.getdoc(thing) or "").partition("\n")[0] for name, thing in PUBLIC.items()}
    assert {name: summary for name, summary in summaries.items() if not summary.endswith((".", ":", "?"))} == {}


def test_modules_say_what_they_are_for() -> None:
    assert [module.__name__ for module in public_modules() if not (module.__doc__ or "").strip()] == []


@pytest.mark.parametrize("name", [name for name, thing in EXPORTED.items() if is_called_by_users(thing)])
def test_exported_names_describe_their_parameters(name: str) -> None:
    assert undescribed_parameters(EXPORTED[name]) == set()


def test_lists_of_parameters_are_complete() -> None:
    described = [name for name, thing in FUNCTIONS.items() if listed_parameters(inspect.getdoc(thing) or "")]
    assert len(described) > 500
    lacking = {name: undescribed_parameters(FUNCTIONS[name]) for name in described}
    assert {name: parameters for name, parameters in lacking.items() if parameters} == {}


def test_the_reference_shows_every_name_of_the_package() -> None:
    overview = dict(pages())["api.md"]
    assert [name for name in rankmax.__all__ if f"`rankmax.{name}" not in overview] == []
    assert set(EXPORTED.values()) - set(PUBLIC.values()) == set(), "from a module that the reference leaves out"


@pytest.mark.parametrize("page", WRITTEN_PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_commands_of_written_pages_have_verbs_and_options_that_exist(page: Path) -> None:
    if page.name == "add-a-verb.md":  # tests/test_how_to.py runs it, with the verb that it adds
        return
    blocks = re.findall(
        r"^```(?:console|bash|sh)?\n(.*?)^```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
    )
    lines = "\n".join(blocks).replace("\\\n", " ").splitlines()
    for line in lines:
        command = line.removeprefix("$ ")
        if command.startswith("rankmax ") and "..." not in command and command != "rankmax --help":
            words = shlex.split(command, comments=True)
            ends = [place for place, word in enumerate(words) if word in {">", "|", "&&"}]
            parse_command(words[1 : min(ends, default=len(words))])


def parse_command(words: list[str]) -> None:
    """Raise an error for a verb or an option that does not exist, without running anything."""
    command: click.Command = cli
    context = click.Context(cli)
    while isinstance(command, click.Group):
        _, found, words = command.resolve_command(context, words)
        assert found is not None
        command, context = found, click.Context(found, parent=context)
    command.make_parser(context).parse_args(words)


def test_a_command_with_an_unknown_option_is_seen() -> None:
    with pytest.raises(click.NoSuchOption):
        parse_command(["data", "info", "train.txt", "--no-such-option"])


@pytest.mark.parametrize("page", WRITTEN_PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_examples_of_written_pages_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    # A closing fence would count as expected output, so fences become the blank lines that end it.
    text = re.sub(r"^\s*(```|:::).*$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    examples = doctest.DocTestParser().get_doctest(text, {}, page.name, str(page), 0)
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    problems: list[str] = []
    runner.run(examples, out=problems.append)
    assert not problems, "".join(problems)


class TestTheTestItself:
    def test_an_undocumented_name_is_seen(self) -> None:
        module = ModuleType("sample")
        exec("def quiet(x): pass\nclass Loud:\n    'A.'\n    def quiet(self): pass", vars(module))
        found = dict(public_names(module))
        assert [name for name, thing in found.items() if not thing.__doc__] == ["sample.quiet", "sample.Loud.quiet"]

    def test_an_undescribed_parameter_is_seen(self) -> None:
        def scale(values: object, by: float) -> None:
            """Multiply.

            Parameters
            ----------
            values : array
                To be multiplied.

            Returns
            -------
            by : float
            """

        assert undescribed_parameters(scale) == {"by"}
