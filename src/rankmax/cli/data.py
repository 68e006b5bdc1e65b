"""`rankmax data`: describe, convert, split, shard, join and generate data files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import click

from rankmax.cli.judgment_data import clicks, judges, judgments, topics
from rankmax.cli.output import note, print_json, print_table, working
from rankmax.cli.shared_options import INPUT, NAMED_INPUT, NORMALIZATION, OUTPUT, FolderOutputType
from rankmax.formats.parsing.json_line import shortened
from rankmax.formats.registry import format_names

if TYPE_CHECKING:
    from rankmax.data.dataset_summary import Summary

_LINE = 60  # columns of a value of `data info`
_FORMATS = click.Choice(format_names())


@click.group()
def data() -> None:
    """Work with data files: LETOR/SVMlight (.txt, .letor, .svm, .dat), .npz, .parquet, .csv and .jsonl feature logs."""


data.add_command(judgments)
data.add_command(clicks)
data.add_command(topics)
data.add_command(judges)


@data.command(short_help="Describe a data file.")
@click.argument("file", type=INPUT)
@click.option("--format", "format_", type=_FORMATS, help="Format of the file, where its name does not show it.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
def info(file: str, format_: str | None, as_json: bool) -> None:
    """Describe a data file: queries, documents, grades, and features that cannot help a ranking.

    \b
    Examples:
      rankmax data info train.txt
      rankmax data info train.npz --json
    """
    from rankmax.data.dataset_summary import summarize
    from rankmax.formats.registry import read_dataset

    with working(f"Reading {file}"):
        summary = summarize(read_dataset(file, format=format_))
    if as_json:
        print_json(summary.to_dict())
    else:
        print_table([file, ""], _describe(summary))


@data.command(short_help="Convert between LETOR, npz, Parquet, CSV and JSON lines.")
@click.argument("source", type=INPUT)
@click.argument("target", type=OUTPUT)
@click.option("--from", "from_", type=_FORMATS, help="Format of SOURCE, where its name does not show it.")
@click.option("--to", type=_FORMATS, help="Format of TARGET, where its name does not show it.")
@click.option(
    "--normalize", type=NORMALIZATION, default="none", show_default=True, help="Normalization within each query."
)
def convert(source: str, target: str, from_: str | None, to: str | None, normalize: str) -> None:
    """Convert a data file; the file names show the formats.

    \b
    Examples:
      rankmax data convert train.txt train.npz
      rankmax data convert log.parquet train.txt.gz --normalize min-max
    """
    from rankmax.formats.registry import read_dataset, require_format, write_dataset
    from rankmax.preprocessing.feature_normalization import Normalization

    if to is None:
        require_format(target)
    with working(f"Converting {source}"):
        converted = Normalization.named(normalize).apply(read_dataset(source, format=from_))
        write_dataset(converted, target, format=to)
    note(f"wrote {target}: {converted.n_queries} queries, {converted.n_documents} documents")


@data.command(short_help="Split the queries of a file at random.")
@click.argument("source", type=INPUT)
@click.argument("targets", type=OUTPUT, nargs=-1, required=True)
@click.option(
    "--fraction", "fractions", type=float, multiple=True, help="Fraction of each TARGET, in order.  [default: equal]"
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Random seed.")
@click.option("--stratified", is_flag=True, help="Distribute queries with few and many relevant documents evenly.")
def split(source: str, targets: tuple[str, ...], fractions: tuple[float, ...], seed: int, stratified: bool) -> None:
    """Split the queries of a data file at random into the named files.

    \b
    Examples:
      rankmax data split all.txt train.txt validation.txt test.txt --fraction 0.6 --fraction 0.2 --fraction 0.2
    """
    from rankmax.data.splits import split_queries
    from rankmax.formats.registry import read_dataset, require_format, write_dataset

    if fractions and len(fractions) != len(targets):
        raise click.UsageError(f"{len(fractions)} fractions for {len(targets)} targets; give one per target")
    for target in targets:
        require_format(target)
    shares = fractions or [1 / len(targets)] * len(targets)
    with working(f"Splitting {source}", total=len(targets)) as work:
        whole = read_dataset(source)
        parts = split_queries(whole, shares, seed=seed, stratified=stratified)
        for target, queries in zip(targets, parts, strict=True):
            write_dataset(whole.select(queries), target)
            work.advance()
    for target, queries in zip(targets, parts, strict=True):
        note(f"wrote {target}: {queries.size} queries")


@data.command(short_help="Split data files into shards, for backends and data beyond memory.")
@click.argument("sources", type=INPUT, nargs=-1, required=True)
@click.option(
    "--shards", "n_shards", type=click.IntRange(1), required=True, help="Number of shards, of about equal size."
)
@click.option("-o", "--output", type=FolderOutputType(), required=True, help="Folder to write.")
@click.option(
    "--format",
    "format_",
    type=click.Choice(["npz", "parquet", "letor"]),
    default="npz",
    show_default=True,
    help="Format of the shards; features of npz can stay on disk.",
)
def shard(sources: tuple[str, ...], n_shards: int, output: str, format_: str) -> None:
    """Split data files into shards of whole queries, in their order, with about equal numbers of documents.

    One file is in memory at a time. The folder is written atomically.

    \b
    Examples:
      rankmax data shard train.txt --shards 16 -o shards
      rankmax data shard part1.parquet part2.parquet --shards 8 -o shards --format parquet
    """
    from rankmax.workflows.sharding import shard_files

    with working(f"Splitting {', '.join(sources)}", total=len(sources)) as work:
        shards = shard_files(sources, n_shards, output, format=format_, callback=work.advance)
    n_documents = sum(one.n_documents or 0 for one in shards.files)
    note(
        f"wrote {output}: {len(shards.files)} shards, {n_documents} documents; next: rankmax train {output}", wrap=False
    )


@data.command(short_help="Join runs and qrels into a data file: one feature per run.")
@click.argument("qrels", type=INPUT)
@click.argument("runs", type=NAMED_INPUT, nargs=-1, required=True)
@click.option("-o", "--output", type=OUTPUT, required=True, help="Data file to write (.npz, .txt, .parquet).")
@click.option(
    "--missing",
    type=click.Choice(["minimum", "zero"]),
    required=True,
    help="Score of a document missing from a run: the run's minimum for the query, or 0.",
)
def join(qrels: str, runs: tuple[str, ...], output: str, missing: Any) -> None:
    """Join several runs and qrels into a data file, with each run's score as a feature.

    \b
    Examples:
      rankmax data join qrels.txt bm25.run e5.run --missing minimum -o fused.npz
    """
    from rankmax.data.judging import join_runs
    from rankmax.formats.named_files import named_files
    from rankmax.formats.registry import require_format, write_dataset
    from rankmax.formats.trec import read_qrels, read_run

    require_format(output)
    by_name = {}
    with working("Joining", total=len(runs)) as work:
        for name, path in named_files(runs):
            by_name[name] = read_run(path)
            work.advance()
        joined = join_runs(by_name, read_qrels(qrels), missing=missing)
        write_dataset(joined, output)
    note(f"wrote {output}: {joined.n_queries} queries, {joined.n_documents} documents, {joined.n_features} features")


@data.command(short_help="Generate synthetic data.")
@click.argument("target", type=OUTPUT)
@click.option(
    "--kind",
    type=click.Choice(["planted", "mslr", "runs"]),
    default="planted",
    show_default=True,
    help="Kind of data: a planted linear optimum, the shape of MSLR-WEB30K, or runs.",
)
@click.option("--queries", type=click.IntRange(1), default=200, show_default=True, help="Number of queries.")
@click.option(
    "--documents", type=click.IntRange(1), default=50, show_default=True, help="Documents per query; not for mslr."
)
@click.option(
    "--features", type=click.IntRange(1), default=10, show_default=True, help="Number of features; planted only."
)
@click.option(
    "--noise", type=click.FloatRange(0), default=1.0, show_default=True, help="Noise of the grades; planted only."
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Random seed.")
def synthetic(target: str, kind: str, queries: int, documents: int, features: int, noise: float, seed: int) -> None:
    """Generate data with a planted linear optimum, data of the shape of MSLR-WEB30K, or runs of three systems.

    \b
    Examples:
      rankmax data synthetic planted.txt --queries 500 --noise 0.5
      rankmax data synthetic web.npz --kind mslr --queries 2000
      rankmax data synthetic hybrid --kind runs --queries 80

    Runs go to a folder, with their judgments: bm25.run, dense.run, sparse.run and qrels.txt.
    """
    if kind == "runs":
        _write_synthetic_runs(target, queries, documents, seed)
        return
    from rankmax.data.synthetic import mslr_like, planted_linear
    from rankmax.formats.registry import require_format, write_dataset

    require_format(target)
    with working(f"Generating {target}"):
        if kind == "mslr":
            made = mslr_like(queries, seed=seed)
        else:
            made = planted_linear(queries, documents, features, noise=noise, seed=seed).data
        write_dataset(made, target)
    note(f"wrote {target}: {made.n_queries} queries, {made.n_documents} documents, {made.n_features} features")


def _write_synthetic_runs(folder: str, queries: int, documents: int, seed: int) -> None:
    from rankmax._io.files import make_folder
    from rankmax.data.synthetic_runs import synthetic_runs
    from rankmax.formats.trec import write_qrels, write_run

    made = synthetic_runs(queries, documents, seed=seed)
    make_folder(folder)
    write_qrels(made.qrels, f"{folder}/qrels.txt")
    for name, run in made.runs.items():
        write_run(run, f"{folder}/{name}.run")
    note(f"wrote {folder}: {', '.join(f'{name}.run' for name in made.runs)} and qrels.txt, {queries} queries")


def _describe(summary: Summary) -> list[list[str]]:
    spread = summary.documents_per_query
    grades = summary.documents_by_grade
    n_judged = max(1, sum(grades.values()))
    rows = [
        ["queries", f"{summary.n_queries:,}"],
        ["  without a relevant document", f"{summary.n_queries_without_relevant:,}"],
        ["documents", f"{summary.n_documents:,}"],
        [
            "  per query: min / median / mean / max",
            " / ".join(f"{spread[k]:g}" for k in ("min", "median")) + f" / {spread['mean']:.1f} / {spread['max']:g}",
        ],
        *([f"  grade {grade:g}", f"{n:,} ({100 * n / n_judged:.1f}%)"] for grade, n in list(grades.items())[:20]),
        ["features", f"{summary.n_features:,}"],
        ["  stored as", f"{summary.dtype}, {'sparse' if summary.sparse else 'dense'}, {summary.n_bytes / 1e6:.1f} MB"],
        ["  constant", _listed(summary.constant_features)],
        ["  constant within every query", _listed(summary.constant_within_queries)],
        ["  equal to each other", _listed(map(_equal, summary.duplicate_features))],
    ]
    if len(grades) > 20:
        rows.insert(24, ["  ...", f"{len(grades) - 20} more grades"])
    if summary.n_unjudged:
        rows.insert(4, ["  not judged", f"{summary.n_unjudged:,}"])
    if summary.n_unretrieved:
        rows.insert(4, ["  judged, but not candidates", f"{summary.n_unretrieved:,}"])
    return rows


def _listed(names: Iterable[str]) -> str:
    """Return the first names that fit a line, and the number of others."""
    names = list(map(shortened, names))
    shown = names[:1]
    while len(shown) < min(len(names), 8) and len(", ".join(names[: len(shown) + 1])) <= _LINE:
        shown.append(names[len(shown)])
    more = f" and {len(names) - len(shown)} more" if len(names) > len(shown) else ""
    return ", ".join(shown) + more if names else "none"


def _equal(group: Sequence[str]) -> str:
    """Return features that are equal to each other; of many, the first two and their number."""
    return " = ".join(group) if len(group) < 4 else f"{len(group)} features ({group[0]} = {group[1]} = ...)"
