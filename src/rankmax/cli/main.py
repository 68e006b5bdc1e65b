"""The `rankmax` command: its verbs in sections, and what a user sees when something is wrong."""

from __future__ import annotations

import os
import signal
import sys

import click

from rankmax._version import __version__
from rankmax.cli.compare import compare
from rankmax.cli.completion import completion
from rankmax.cli.data import data
from rankmax.cli.demo import demo
from rankmax.cli.distance import distance
from rankmax.cli.ending import end_with_status
from rankmax.cli.evaluate import evaluate
from rankmax.cli.export import export
from rankmax.cli.features import features
from rankmax.cli.fit_function import fit_function
from rankmax.cli.index import index
from rankmax.cli.inspect import inspect
from rankmax.cli.profile import profile
from rankmax.cli.prove import prove
from rankmax.cli.rank import rank
from rankmax.cli.reproduce import reproduce
from rankmax.cli.search import search
from rankmax.cli.studio import studio
from rankmax.cli.surface import surface
from rankmax.cli.train import train
from rankmax.cli.tune import tune
from rankmax.cli.verify import verify

# Huge pages pay in long-lived processes; in a command that runs for a second, zeroing them is a tenth of its time.
os.environ.setdefault("NUMPY_MADVISE_HUGEPAGE", "0")

_SECTIONS: dict[str, tuple[click.Command, ...]] = {
    "Data": (data, index, features),
    "Learn": (tune, train, fit_function),
    "Evaluate": (evaluate, compare),
    "Understand": (studio, inspect, distance, profile, surface, prove, verify, reproduce),
    "Use": (search, rank, export, demo, completion),
}


class SectionedGroup(click.Group):
    """A group whose help lists its verbs by section."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write one list of verbs for each section."""
        for section, commands in _SECTIONS.items():
            with formatter.section(section):
                limit = formatter.width - 6 - max(len(name) for name in self.commands)
                formatter.write_dl([(c.name or "", c.get_short_help_str(limit)) for c in commands])


@click.group(cls=SectionedGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="rankmax", message="%(prog)s %(version)s")
def cli() -> None:
    """Find the weights that maximise the ranking metric you report.

    \b
    Examples:
      rankmax evaluate qrels.txt bm25.run e5.run -m nDCG@10 -m AP
      rankmax compare qrels.txt bm25.run e5.run -m nDCG@10
      rankmax data info train.txt
      rankmax demo

    `rankmax VERB --help` explains a verb, with examples.
    """


for _commands in _SECTIONS.values():
    for _command in _commands:
        cli.add_command(_command)


def main() -> None:
    """Run the command line; a user's mistake ends in one clear line and a non-zero status, never in a traceback."""
    status = end_with_status(lambda outcome: cli.main(standalone_mode=False, obj=outcome))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # all is done, and Python would end with a traceback
    sys.exit(status)
