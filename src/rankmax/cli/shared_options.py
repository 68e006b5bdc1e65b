"""Options that several verbs share, and the types behind them."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.shell_completion import CompletionItem

from rankmax.preprocessing.registry import NORMALIZATIONS

if TYPE_CHECKING:
    from rankmax._registry import Registry
    from rankmax.metrics.metric import Metric

_Decorated = TypeVar("_Decorated", bound=Callable[..., Any])


def names_in_help(**registries: Registry[Any]) -> Callable[[_Decorated], _Decorated]:
    """List a registry's names in a verb's help, in place of the line of its docstring with the keyword."""

    def decorate(command: _Decorated) -> _Decorated:
        text = command.__doc__ or ""
        for keyword, registry in registries.items():
            text = text.replace(f"    {keyword}\n", registry.help_lines().replace("\n", "\n    ").join(["    ", "\n"]))
        command.__doc__ = text
        return command

    return decorate


_READ, _WRITTEN = "rankmax.read", "rankmax.written"


def _keep_apart(kind: str, path: str, ctx: click.Context | None) -> None:
    """Raise a usage error if a command would overwrite a file that it reads, or write one twice."""
    if ctx is None or (os.path.exists(path) and not os.path.isfile(path)):  # a device, such as /dev/stdout, may be both
        return
    place = os.path.realpath(path)
    if kind is _WRITTEN and place in ctx.meta.get(_WRITTEN, ()):
        raise click.UsageError(f"{path} would be written twice: give each output a name of its own", ctx)
    ctx.meta.setdefault(kind, set()).add(place)
    if place in ctx.meta.get(_READ, set()) & ctx.meta.get(_WRITTEN, set()):
        raise click.UsageError(f"{path} is an input, and would be overwritten: give another name", ctx)


class InputType(click.Path):
    """A file that is read, and that the command therefore does not overwrite.

    Parameters
    ----------
    exists : bool, default True
        Whether a file that does not exist is a usage error.
    """

    name = "file"

    def __init__(self, *, exists: bool = True) -> None:
        super().__init__(exists=exists, dir_okay=False, readable=True)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Check that the file can be read, and that it is not to be written, too."""
        path = super().convert(value, param, ctx)
        _keep_apart(_READ, os.fspath(value), ctx)
        return path


INPUT = InputType()
"""A file that must exist."""


PROJECT = InputType(exists=False)
"""A project file; the error for one that is not there names the remedy."""


class NamedFileType(InputType):
    """A file that must exist, or ``name=file``; the value is returned unchanged."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Check that the file exists."""
        from rankmax.formats.named_files import split_name

        super().convert(split_name(value)[1], param, ctx)
        return str(value)


NAMED_INPUT = NamedFileType()
"""A file that must exist, with or without the name of its system: ``e5=e5_dl_20.run``."""
MACHINE_QRELS = click.option(
    "--machine-qrels",
    type=INPUT,
    help="Judgments by a machine, such as a language model, of the same queries and further ones; human judgments "
    "correct them.",
)
"""The option for machine judgments."""
JUDGES = click.option(
    "--judges",
    type=click.Choice(["median", "mean", "expected"]),
    help="For a table with a column of judges: their median or mean grade, or the mean value over random judges of "
    "each document.  [default: median]",
)
"""The option for grades of several judges."""


def _only_with_clicks(ctx: click.Context, param: click.Parameter, value: Any) -> Any:
    given = ctx.get_parameter_source(param.name or "") is click.core.ParameterSource.COMMANDLINE
    if given and ctx.params.get("clicks") is None:
        raise click.UsageError(f"{param.opts[0]} is for the clicks that --clicks gives")
    return value


def click_options(command: _Decorated) -> _Decorated:
    """Add the options for judging by clicks."""
    for option in (
        click.option(
            "--clip",
            type=click.FloatRange(0, 1),
            default=0.01,
            show_default=True,
            callback=_only_with_clicks,
            help="Least propensity: more clipping means less variance and more bias.",
        ),
        click.option(
            "--propensities",
            default="estimated",
            show_default=True,
            callback=_only_with_clicks,
            metavar="HOW",
            help="How likely users look at each position: estimated (from the clicks), randomized (of shuffled "
            "results, by click-through rates), 1/rank^ETA, or a file with a number for each position. For a cascade "
            "estimated, or a file with the probability of going on after a click.",
        ),
        click.option(
            "--click-model",
            type=click.Choice(["auto", "position", "cascade"]),
            default="auto",
            show_default=True,
            callback=_only_with_clicks,
            help="How users look at results: at each position with a probability of its own, or from the top until "
            "they stop (cascade); auto is the one that fits the clicks better, where searches are known.",
        ),
        click.option(
            "--clicks",
            type=INPUT,
            is_eager=True,  # known before the callbacks of the others
            help="Clicks to judge by instead of qrels: a table with columns query, doc, position, clicked, count and "
            "search (for a cascade), or UBI events (JSON lines).",
        ),
    ):
        command = option(command)
    return command


NORMALIZATION = click.Choice(NORMALIZATIONS.names())
"""A normalization within queries."""


class OutputType(click.ParamType):  # type: ignore[type-arg,unused-ignore]  # generic in some versions of click
    """A file to write; that it can be written is checked before any work.

    Parameters
    ----------
    suffixes : str
        Allowed file name extensions; any by default.
    """

    name = "file"

    def __init__(self, *suffixes: str) -> None:
        self._suffixes = suffixes

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Check that the file can be written and that its name has an allowed extension."""
        from rankmax._io.files import check_target
        from rankmax.errors import RankmaxError

        path = str(os.fspath(value))
        if self._suffixes and os.path.splitext(path)[1].lower() not in self._suffixes:
            self.fail(f"{path}: the name must end in {' or '.join(self._suffixes)}", param, ctx)
        try:
            check_target(path)
        except RankmaxError as error:
            self.fail(str(error), param, ctx)
        _keep_apart(_WRITTEN, path, ctx)
        return path

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Let the shell complete file names."""
        return [CompletionItem(incomplete, type="file")]


class FolderOutputType(click.ParamType):  # type: ignore[type-arg,unused-ignore]  # generic in some versions of click
    """A folder to write; that it can be written is checked before any work.

    Parameters
    ----------
    parents : bool, default False
        Whether missing parent folders are created.
    """

    name = "folder"

    def __init__(self, *, parents: bool = False) -> None:
        self._parents = parents

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Check that the folder can be created."""
        from rankmax._io.files import check_target_folder
        from rankmax.errors import RankmaxError

        try:
            check_target_folder(path := str(os.fspath(value)), parents=self._parents)
        except RankmaxError as error:
            self.fail(str(error), param, ctx)
        return path

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Let the shell complete folder names."""
        return [CompletionItem(incomplete, type="dir")]


OUTPUT = OutputType()
"""A file to write."""
FIGURE = OutputType(".png", ".svg")
"""A figure to write."""


class IndexPath(click.Path):
    """An index, or another path that exists; an index that a failed replacement moved aside is restored."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Check that the path exists."""
        from rankmax._io.folders import restore_replaced

        restore_replaced(value)
        return super().convert(value, param, ctx)


TERMS = click.option(
    "--terms",
    type=IndexPath(exists=True),
    help="Index, or file of word, tab, number of documents: for weights by auto, to find the queries' rare terms.",
)


class DataType(click.ParamType):  # type: ignore[type-arg,unused-ignore]  # generic in some versions of click
    """A data file, or a folder or URL of shards that ``rankmax data shard`` wrote."""

    name = "data"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Check that the path exists."""
        if "://" in value:
            return str(value)
        if os.path.isdir(value) and not os.path.isfile(os.path.join(value, "manifest.json")):
            reason = "is a folder without manifest.json: give a file, or shards that `rankmax data shard` wrote"
            self.fail(f"{value} {reason}", param, ctx)
        return str(value if os.path.isdir(value) else INPUT.convert(value, param, ctx))


class JudgedType(DataType):
    """Judgments; or the first run, which may be ``name=file``, where --clicks judges."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Check that the path exists."""
        from rankmax.formats.named_files import split_name

        named = "=" in value and not os.path.exists(value) and os.path.isfile(split_name(value)[1])
        return NAMED_INPUT.convert(value, param, ctx) if named else super().convert(value, param, ctx)


class MetricType(click.ParamType):  # type: ignore[type-arg,unused-ignore]  # generic in some versions of click
    """A metric in ir-measures' spelling."""

    name = "metric"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Metric:
        """Parse the name; mistakes become usage errors."""
        from rankmax.errors import RankmaxError
        from rankmax.metrics.registry import parse_metric

        try:
            return parse_metric(value)
        except RankmaxError as error:
            self.fail(str(error), param, ctx)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Offer common names."""
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
    """Add the options of evaluation."""
    for option in (
        click.option(
            "--missing-queries",
            type=click.Choice(["zero", "skip"]),
            default="zero",
            show_default=True,
            help="Judged queries that are missing from a run: count as 0 (trec_eval -c), or leave out.",
        ),
        click.option(
            "--no-relevant",
            type=click.Choice(["zero", "one", "skip"]),
            default="zero",
            show_default=True,
            help="Queries without relevant documents: count as 0 or 1, or leave out.",
        ),
        click.option(
            "--ties",
            type=click.Choice(["trec-eval", "document-order", "pessimistic"]),
            default=None,
            help="Order of documents with equal scores.  [default: trec-eval for runs, document-order for data files]",
        ),
        JUDGES,
        click.option("--model", "models", type=NAMED_INPUT, multiple=True, help="Model file to score DATA with."),
        click.option("--scores", "scores", type=NAMED_INPUT, multiple=True, help="Predictions for DATA, one per line."),
    ):
        command = option(command)
    return command


def backend_options(command: _Decorated) -> _Decorated:
    """Add --backend and --memory."""
    for option in (
        click.option("--memory", help="Memory limit of the local backend, such as 4GB; features stay on disk."),
        click.option(
            "--backend",
            help="Backend that reads and processes shards: local, dask:local (workers on this machine) or "
            "dask://host:port; results do not depend on it.  [default: local]",
        ),
    ):
        command = option(command)
    return command


def needs_backend(data: str, backend: str | None, memory: str | None) -> bool:
    """Return whether data is processed by a backend rather than in this process."""
    from rankmax.formats.shards import is_sharded

    return is_sharded(data) or "://" in data or backend not in (None, "local") or memory is not None


def format_options(command: _Decorated) -> _Decorated:
    """Add --json and --csv, of which one may be given."""

    def only(ctx: click.Context, param: click.Parameter, value: bool) -> bool:
        if value and ctx.meta.setdefault("rankmax.format", param.name) != param.name:
            raise click.UsageError("give --json or --csv, not both")
        return value

    for option in (
        click.option("--csv", "as_csv", is_flag=True, callback=only, help="Print CSV instead of a table."),
        click.option("--json", "as_json", is_flag=True, callback=only, help="Print JSON instead of a table."),
    ):
        command = option(command)
    return command


def exclude_option(command: _Decorated) -> _Decorated:
    """Add --exclude, a file with a document per query that is excluded from its results."""
    described = "Documents to exclude, one per query: lines of query id, tab, document id."
    return click.option("--exclude", "excluded", type=PairsType(), help=described)(command)


class PairsType(click.ParamType):  # type: ignore[type-arg,unused-ignore]  # generic in some versions of click
    """A file of pairs: id, tab, text."""

    name = "file"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> dict[str, str]:
        """Read the file."""
        from rankmax.formats.topics import read_topics

        return read_topics(str(INPUT.convert(value, param, ctx)))
