"""`rankmax reproduce`: the papers' experiments, rerun on available data."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rankmax.cli.output import note, print_json, print_table, working
from rankmax.cli.shared_options import INPUT, FolderOutputType

if TYPE_CHECKING:
    from rankmax.papers.papers import Exhibit, Paper
    from rankmax.papers.reports import Report
    from rankmax.papers.setup import Setup
    from rankmax.papers.store import StoredStudy

_FOLDER = click.Path(exists=True, file_okay=False)


@click.command()
@click.argument("paper", required=False)
@click.argument("table", required=False)
@click.option("--list", "listing", is_flag=True, help="List papers with their tables, figures and claims.")
@click.option("--small", is_flag=True, help="Run small versions on the embedded collection, in about a minute.")
@click.option("--corpus", type=_FOLDER, help="Folder of your own text collections or LETOR data, in the layout above.")
@click.option("--runs", type=_FOLDER, help="Folder of TREC runs as base functions; needs --qrels.")
@click.option("--qrels", type=INPUT, help="Relevance judgments for --runs.")
@click.option(
    "--results",
    type=FolderOutputType(parents=True),
    default="reproduce-results",
    show_default=True,
    help="Folder for results, figures and indexes; existing results are reused.",
)
@click.option("--trials", type=click.IntRange(1), help="Number of random trials, at least (yue2007).  [default: 50]")
@click.option(
    "--methods",
    metavar="NAME,...",
    help="Methods to run, separated by commas, such as SVM-map (yue2007).  [default: all]",
)
@click.option(
    "--bins",
    type=click.IntRange(1, 65_534),  # for which codes have room
    help="Number of thresholds per base function (yue2007).  [default: 50]",
)
@click.option("--seed", type=click.IntRange(0), default=7, show_default=True, help="Random seed.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of tables.")
def reproduce(
    paper: str | None,
    table: str | None,
    listing: bool,
    small: bool,
    corpus: str | None,
    runs: str | None,
    qrels: str | None,
    results: str,
    trials: int | None,
    methods: str | None,
    bins: int | None,
    seed: int,
    as_json: bool,
) -> None:
    """Rerun the experiments of a PAPER, or one TABLE or figure of it, and report which of its claims hold.

    The data are the embedded collection (docstrings of numpy and scipy) and the collections in the folder that the
    environment variable RANKMAX_DATA names. After an interrupt, the same command resumes the work. A claim holds, does
    not hold, or is inconclusive, by a confidence interval and bounds that are fixed for each paper.

    \b
    Layout of --corpus DIR, or of each folder in it; files may be gzipped:
      docs.*                 documents: TREC's SGML, JSON lines, or id, tab, text
      topics.* or queries.*  id, tab, text; a table (id, text); or JSON lines
      qrels.*                TREC's judgments
      train.txt, test.txt    ids of topics to train and test on (optional; default: random halves)
    or, for LETOR data, S1.txt to S5.txt, or Fold1 to Fold5 with train.txt, vali.txt and test.txt.
    --runs DIR has one TREC run per file; a file runs.txt, if present, names those to use.

    \b
    Examples:
      rankmax reproduce --list
      rankmax reproduce morgan2004 --small
      rankmax reproduce morgan2004 table-1
      rankmax reproduce metzler2007 --corpus trec-disks
      rankmax reproduce yue2007 --runs trec9 --qrels qrels.trec9
      rankmax reproduce yue2007 table-7 --runs trec9 --qrels qrels.trec9 --trials 10 --methods SVM-map,SVM-roc
    """
    if listing or paper is None:
        _list(as_json)
        return
    if (runs is None) != (qrels is None):
        raise click.UsageError("--runs and --qrels belong together: give both, or neither")
    if small and (corpus is not None or runs is not None):
        raise click.UsageError("--small runs on the embedded collection; leave out --corpus and --runs")
    from rankmax.papers.registry import paper_named
    from rankmax.papers.setup import find_setup

    chosen = paper_named(paper)
    exhibits = chosen.exhibits if table is None else (chosen.exhibit(table),)
    folder = Path(results)
    given = {"--trials": trials, "--methods": methods, "--bins": bins}
    if not chosen.methods and (unused := [option for option, value in given.items() if value is not None]):
        raise click.UsageError(f"{unused[0]} is for papers with random trials, such as yue2007; {chosen.name} has none")
    setup = find_setup(
        folder,
        corpus=corpus,
        runs=runs,
        qrels=qrels,
        small=small,
        seed=seed,
        trials=trials,
        methods=_methods(chosen, methods),
        bins=bins or 50,
    )
    shown = []
    for exhibit in exhibits:
        stored = _run(chosen, exhibit, setup, folder)
        report = chosen.report(exhibit, stored.values, small=small)
        figure = _draw(exhibit, stored, folder, chosen)
        if as_json:
            shown.append(_summary(chosen, exhibit, report, stored, figure))
        else:
            _print(chosen, exhibit, report, figure)
    if as_json:
        print_json({"paper": chosen.name, "reference": chosen.reference, "exhibits": shown})


def _methods(paper: Paper, listed: str | None) -> tuple[str, ...] | None:
    """Return the methods of a list such as "SVM-map,SVM-roc"; case does not matter."""
    from rankmax.errors import UnknownNameError

    if listed is None:
        return None
    known = {method.casefold(): method for method in paper.methods}
    names = [name.strip() for name in listed.split(",") if name.strip()]
    for name in names:
        if name.casefold() not in known:
            raise UnknownNameError(f"method of {paper.name}", name, paper.methods)
    if not names:
        raise click.UsageError(f"--methods names none; choose from {', '.join(paper.methods)}")
    return tuple(known[name.casefold()] for name in names)


def _list(as_json: bool) -> None:
    from rankmax.papers.registry import PAPERS

    papers = list(PAPERS.load_all().values())
    if as_json:
        print_json(
            [
                {
                    "paper": paper.name,
                    "reference": paper.reference,
                    "exhibits": {exhibit.name: exhibit.title for exhibit in paper.exhibits},
                    "claims": {claim.id: claim.says for claim in paper.claims},
                }
                for paper in papers
            ]
        )
        return
    for paper in papers:
        click.secho(paper.name, bold=True)
        click.echo(f"  {paper.reference}")
        for exhibit in paper.exhibits:
            click.echo(f"    {exhibit.name:<10} {exhibit.title}")
            for claim in paper.claims_of(exhibit):
                click.echo(f"               - {claim.says}")
        click.echo()


def _run(paper: Paper, exhibit: Exhibit, setup: Setup, folder: Path) -> StoredStudy:
    from rankmax.papers.running import run_study

    with working(f"{paper.name} {exhibit.name}", total=len(list(exhibit.study.steps(setup)))) as work:

        def tell(step: str, number: int, total: int) -> None:
            work.say(f"{paper.name} {exhibit.name}: {step}")
            if number:
                work.advance()

        return run_study(paper, exhibit.study, setup, folder, tell=tell)


def _draw(exhibit: Exhibit, stored: StoredStudy, folder: Path, paper: Paper) -> Path | None:
    from rankmax.errors import MissingDependencyError
    from rankmax.papers.running import draw_exhibit

    try:
        return draw_exhibit(exhibit, stored, folder, paper)
    except MissingDependencyError as error:
        note(str(error))
        return None


def _print(paper: Paper, exhibit: Exhibit, report: Report, figure: Path | None) -> None:
    click.secho(f"\n{paper.name} {exhibit.name}: {exhibit.title}", bold=True)
    for table in report.tables:
        print_table(table.header, table.rows, title=table.title)
    if figure is not None:
        click.echo(f" drawn in {figure}\n")
    for claim in paper.claims_of(exhibit):
        finding = report.findings[claim.id]
        click.secho(f" {finding.verdict.upper()}: ", bold=True, nl=False)
        click.echo(f"{claim.says} ({claim.where})\n   {finding.evidence}")


def _summary(
    paper: Paper, exhibit: Exhibit, report: Report, stored: StoredStudy, figure: Path | None
) -> dict[str, Any]:
    return {
        "exhibit": exhibit.name,
        "title": exhibit.title,
        "settings": stored.settings,
        "versions": stored.versions,
        "seconds": round(stored.seconds, 2),
        "tables": [{"title": t.title, "header": t.header, "rows": t.rows} for t in report.tables],
        "claims": [
            {
                "claim": claim.id,
                "says": claim.says,
                "where": claim.where,
                "verdict": report.findings[claim.id].verdict,
                "evidence": report.findings[claim.id].evidence,
            }
            for claim in paper.claims_of(exhibit)
        ],
        "figure": None if figure is None else str(figure),
    }
