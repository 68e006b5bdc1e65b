"""Options that several verbs share, and the types behind them."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.shell_completion import CompletionItem

if TYPE_CHECKING:
    from rankmax.metrics.base import Metric

_Decorated = TypeVar("_Decorated", bound=Callable[..., Any])

INPUT = click.Path(exists=True, dir_okay=False, readable=True)
"""A file that must exist."""


class NamedFileType(click.Path):
    """A file that must exist, or ``name=file``; the value stays as it was given."""

    name = "file"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Refuse a file that is not there."""
        from rankmax.workflows.named_files import split_name

        super().convert(split_name(value)[1], param, ctx)
        return str(value)


NAMED_INPUT = NamedFileType(exists=True, dir_okay=False, readable=True)
"""A file that must exist, with or without the name of its system: ``e5=e5_dl_20.run``."""
NORMALISATION = click.Choice(
    [
        *("none", "min-max", "z-score", "percentile", "sum", "l2"),
        *("retrieved-min-max", "retrieved-z-score", "reciprocal-rank"),
        *("elasticsearch-min-max", "opensearch-min-max", "opensearch-z-score"),
    ]
)
"""A normalisation within queries; the names stand here too, because help must not import numpy."""


class OutputType(click.ParamType):  # type: ignore[type-arg,unused-ignore]  # generic in some versions of click
    """A file to write, which is known to be possible before any work is done.

    Parameters
    ----------
    suffixes : str
        How its name may end; anyhow when left out.
    """

    name = "file"

    def __init__(self, *suffixes: str) -> None:
        self._suffixes = suffixes

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Refuse a place where no file can be, and a name that tells no format."""
        from rankmax.errors import RankmaxError
        from rankmax.files import check_target

        path = str(os.fspath(value))
        if self._suffixes and os.path.splitext(path)[1].lower() not in self._suffixes:
            self.fail(f"{path}: the name must end in {' or '.join(self._suffixes)}", param, ctx)
        try:
            check_target(path)
        except RankmaxError as error:
            self.fail(str(error), param, ctx)
        return path

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Have the shell complete names of files."""
        return [CompletionItem(incomplete, type="file")]


class FolderOutputType(click.ParamType):  # type: ignore[type-arg,unused-ignore]  # generic in some versions of click
    """A folder to make or fill, which is known to be possible before any work is done.

    Parameters
    ----------
    parents : bool, default False
        Whether folders above it are made, too.
    """

    name = "folder"

    def __init__(self, *, parents: bool = False) -> None:
        self._parents = parents

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Refuse a place where no folder can be made."""
        from rankmax.errors import RankmaxError
        from rankmax.files import check_target_folder

        try:
            check_target_folder(path := str(os.fspath(value)), parents=self._parents)
        except RankmaxError as error:
            self.fail(str(error), param, ctx)
        return path

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Have the shell complete names of folders."""
        return [CompletionItem(incomplete, type="dir")]


OUTPUT = OutputType()
"""A file to write."""
FIGURE = OutputType(".png", ".svg")
"""A picture to draw."""


class IndexPath(click.Path):
    """An index, or something else that exists; an index that was moved aside when its successor failed comes back."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Refuse what is not there."""
        from rankmax.folders import restore_replaced

        restore_replaced(value)
        return super().convert(value, param, ctx)


class DataType(click.ParamType):  # type: ignore[type-arg,unused-ignore]  # generic in some versions of click
    """A data file, or a folder of shards that ``rankmax data shard`` wrote, here or by a URL."""

    name = "data"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Refuse what is not there."""
        if "://" in value:
            return str(value)
        if os.path.isdir(value) and not os.path.isfile(os.path.join(value, "manifest.json")):
            self.fail(f"{value} is a folder without manifest.json; `rankmax data shard` writes shards", param, ctx)
        return str(value if os.path.isdir(value) else INPUT.convert(value, param, ctx))


class MetricType(click.ParamType):  # type: ignore[type-arg,unused-ignore]  # generic in some versions of click
    """A metric in ir-measures' spelling."""

    name = "metric"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Metric:
        """Parse the name; what is wrong with it becomes a usage error."""
        from rankmax.errors import RankmaxError
        from rankmax.metrics.parse import parse

        try:
            return parse(value)
        except RankmaxError as error:
            self.fail(str(error), param, ctx)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Offer the usual names."""
        usual = ("AP", "nDCG@10", "nDCG", "P@10", "R@100", "RR", "RR@10", "ERR@20", "Rprec", "Bpref", "Success@5")
        return [CompletionItem(name) for name in usual if name.casefold().startswith(incomplete.casefold())]


def metrics_option(default: tuple[str, ...]) -> Callable[[_Decorated], _Decorated]:
    """Add -m/--metric, repeatable."""
    return click.option(
        "-m",
        "--metric",
        "metrics",
        type=MetricType(),
        multiple=True,
        default=default,
        show_default=True,
        help="Metric, repeatable: AP, nDCG@10, AP(rel=2), RBP(p=0.8)@20, nDCG(gain=exp2)@10, ...",
    )


def judging_options(command: _Decorated) -> _Decorated:
    """Add the options that decide how rankings are judged."""
    for option in (
        click.option(
            "--missing-queries",
            type=click.Choice(["zero", "skip"]),
            default="zero",
            show_default=True,
            help="Judged queries that a run lacks: count as 0 (trec_eval -c), or leave out.",
        ),
        click.option(
            "--no-relevant",
            type=click.Choice(["zero", "one", "skip"]),
            default="zero",
            show_default=True,
            help="Queries with no relevant document: count as 0 or 1, or leave out.",
        ),
        click.option(
            "--ties",
            type=click.Choice(["trec-eval", "document-order", "pessimistic"]),
            default=None,
            help="Order of equal scores.  [default: trec-eval for runs, document-order for data files]",
        ),
        click.option("--model", "models", type=NAMED_INPUT, multiple=True, help="A trained model to score DATA with."),
        click.option(
            "--scores", "scores", type=NAMED_INPUT, multiple=True, help="Predictions for DATA, a number a line."
        ),
    ):
        command = option(command)
    return command


def engine_options(command: _Decorated) -> _Decorated:
    """Add --engine and --memory."""
    for option in (
        click.option("--memory", help="What the local engine may use, such as 4GB; features of shards stay on disk."),
        click.option(
            "--engine",
            help="Where shards are read and worked on: local, dask:local (workers on this machine) or "
            "dask://host:port; changes no result.  [default: local]",
        ),
    ):
        command = option(command)
    return command


def needs_engine(data: str, engine: str | None, memory: str | None) -> bool:
    """Return whether data is for an engine rather than for this process."""
    from rankmax.data.shards import is_sharded

    return is_sharded(data) or "://" in data or engine not in (None, "local") or memory is not None


def format_options(command: _Decorated) -> _Decorated:
    """Add --json and --csv."""
    for option in (
        click.option("--csv", "as_csv", is_flag=True, help="Print CSV instead of a table."),
        click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table."),
    ):
        command = option(command)
    return command


def exclude_option(command: _Decorated) -> _Decorated:
    """Add --exclude, a file that names for a query a document that is not to be found."""
    described = "Documents not to be found: lines of query id, tab, document id, one a query."
    return click.option("--exclude", "excluded", type=PairsType(), help=described)(command)


class PairsType(click.ParamType):  # type: ignore[type-arg,unused-ignore]  # generic in some versions of click
    """A file of pairs: id, tab, text."""

    name = "file"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> dict[str, str]:
        """Read the file."""
        from rankmax.data.topics import read_topics

        return read_topics(str(INPUT.convert(value, param, ctx)))
