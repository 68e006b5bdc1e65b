"""The `rankmax` command: its verbs by section, shell completion and renamed options."""

from __future__ import annotations

import os
import signal
import sys
from difflib import get_close_matches
from typing import Any

import click
from click.shell_completion import CompletionItem

from rankmax._deprecation import RENAMED_OPTIONS, deprecation
from rankmax._registry import Registry
from rankmax._version import __version__
from rankmax.cli.exit_status import Outcome, end_with_status
from rankmax.cli.output import announce_compilation

# Huge pages pay in long-lived processes; in a command that runs for a second, zeroing them is a tenth of its time.
os.environ.setdefault("NUMPY_MADVISE_HUGEPAGE", "0")

_SECTIONS: dict[str, dict[str, tuple[str, str]]] = {
    "Data": {
        "data": ("data:data", "Inspect, convert, split, join and generate data files."),
        "index": ("index:index", "Index a text collection."),
        "init": ("init:init", "Write a project file for a search engine."),
        "collect": ("collect:collect", "Collect runs from a search engine."),
        "features": ("features:features", "Compute training data from queries, judgments and an index."),
    },
    "Learn": {
        "tune": ("tune:tune", "Tune hybrid-search weights and report their held-out gain."),
        "train": ("train:train", "Learn weights from a data file."),
        "prune": ("prune:prune", "Keep the first trees of a model that are within one standard error of the best."),
        "fit-function": ("fit_function:fit_function", "Tune the parameters of a retrieval function."),
    },
    "Evaluate": {
        "evaluate": ("evaluate:evaluate", "Evaluate runs, predictions or models: means with intervals."),
        "check": ("check:check", "Check that a change made nothing worse, for continuous integration."),
        "judge-next": ("judge_next:judge_next", "List the unjudged documents that matter for a tuning's decision."),
        "compare": ("compare:compare", "Test whether systems differ significantly from a baseline."),
    },
    "Understand": {
        "studio": ("studio:studio", "Explore metrics and weights on a local web page."),
        "inspect": ("inspect:inspect", "Show a model's weights and provenance, or an index's contents."),
        "distance": ("distance:distance", "Compute the distance between two models."),
        "profile": ("profile:profile", "Show how a metric depends on one weight."),
        "surface": ("surface:surface", "Plot a metric over the weights of two or three features."),
        "prove": ("prove:prove", "Find the best weights of a few features, with a proof."),
        "verify": ("verify:verify", "Check a certificate of `prove` against the data."),
        "reproduce": ("reproduce:reproduce", "Rerun the papers' experiments, and check their claims."),
    },
    "Use": {
        "search": ("search:search", "Search an index."),
        "rank": ("rank:rank", "Rank a data file's documents, or fuse runs, with a model."),
        "export": ("export:export", "Write a model as a search engine's request or configuration."),
        "push": ("push:push", "Put a tuned fusion into a search engine, or take it back."),
        "confirm": ("confirm:confirm", "Check that a search engine ranks as the model predicts."),
        "demo": ("demo:demo", "Run a complete example on the docstrings of numpy and scipy."),
        "warm-up": ("warm_up:warm_up", "Compile all kernels before they are needed, as for an image."),
        "completion": ("completion:completion", "Print a shell completion script."),
    },
}

VERBS: Registry[click.Command] = Registry(
    "verb", "rankmax.cli", {name: entry for verbs in _SECTIONS.values() for name, entry in verbs.items()}
)
"""The verbs; each is imported when it is named."""


class SectionedGroup(click.Group):
    """A group whose help lists its verbs by section, and which imports none of them for that."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the verbs."""
        return VERBS.names()

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a verb and return it."""
        if cmd_name not in VERBS:
            return None
        verb = VERBS.load(cmd_name)
        verb.short_help = VERBS.describe(cmd_name)
        return verb

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write one list of verbs for each section."""
        for section, verbs in _SECTIONS.items():
            with formatter.section(section):
                formatter.write_dl([(name, VERBS.describe(name)) for name in verbs])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Offer the verbs, without importing them, and the options of the group."""
        verbs = [CompletionItem(name, help=VERBS.describe(name)) for name in VERBS if name.startswith(incomplete)]
        return verbs + click.Command.shell_complete(self, ctx, incomplete)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the verb, or suggest one; replace renamed options by their new names."""
        if args and not args[0].startswith("-") and args[0] not in VERBS:
            near = get_close_matches(args[0], VERBS.names(), n=2)
            hint = f" Did you mean {' or '.join(near)}?" if near else ""
            ctx.fail(f"No such command {args[0]!r}.{hint}")
        name, command, rest = super().resolve_command(ctx, args)
        return name, command, rest if command is None else _with_new_names(command, rest)


def _with_new_names(command: click.Command, arguments: list[str]) -> list[str]:
    if isinstance(command, click.Group):
        commands = command.commands.values()
        known = {option for verb in commands for parameter in verb.params for option in parameter.opts}
    else:
        known = {option for parameter in command.params for option in parameter.opts}
    renamed = []
    for argument in arguments:
        old, equals, value = argument.partition("=")
        new = RENAMED_OPTIONS.get(old)
        if new in known and old not in known:
            click.echo(f"rankmax: note: {deprecation(old, new)}", err=True)
            argument = f"{new}{equals}{value}"
        renamed.append(argument)
    return renamed


@click.group(cls=SectionedGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="rankmax", message="%(prog)s %(version)s")
def cli() -> None:
    """Find the weights that maximize the ranking metric you report.

    \b
    Examples:
      rankmax evaluate qrels.txt bm25.run e5.run -m nDCG@10 -m AP
      rankmax compare qrels.txt bm25.run e5.run -m nDCG@10
      rankmax tune --qrels qrels.txt bm25.run e5.run -m nDCG@10 -o model.json
      rankmax train train.txt -m nDCG@10 -o model.json
      rankmax demo

    `rankmax VERB --help` explains a verb, with examples.
    """


def main() -> None:
    """Run the command line; user errors give one clear line and a nonzero exit status, not a traceback."""
    status = end_with_status(_run)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # all is done, and Python would end with a traceback
    sys.exit(status)


def _run(outcome: Outcome) -> Any:
    announce_compilation()
    return cli.main(standalone_mode=False, obj=outcome)
