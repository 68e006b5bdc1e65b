"""`rankmax features`: compute training data from queries, judgments and an index."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from rankmax.cli.output import note, print_facts, print_json, working
from rankmax.cli.shared_options import INPUT, OUTPUT, exclude_option
from rankmax.retrieval.registry import FEATURE_SETS

if TYPE_CHECKING:
    from rankmax.data.dataset import RankingDataset
    from rankmax.data.runs import Qrels
    from rankmax.retrieval.extraction.candidate_pools import Candidates
    from rankmax.retrieval.index.inverted_index import Index


@click.command()
@click.argument("index")
@click.option("--topics", type=INPUT, required=True, help="Text of each query: id, tab, text; a table; or JSON lines.")
@click.option("--qrels", type=INPUT, help="Judgments of documents.")
@click.option("-o", "--output", type=OUTPUT, required=True, help="Data file to write (.npz, .txt, .parquet).")
@click.option(
    "--set",
    "sets",
    type=click.Choice(FEATURE_SETS.names()),
    multiple=True,
    help="Feature set, repeatable.",
)
@click.option("--feature", "names", multiple=True, help="One feature, repeatable: 'bm25(k1=0.9):title', length, ...")
@click.option(
    "--fields", "scopes", multiple=True, help="Fields that a --set reads as one text, repeatable: title+text."
)
@click.option("--per-field", is_flag=True, help="Each --set for all fields as one text, and for each field separately.")
@click.option(
    "--candidates",
    "sources",
    multiple=True,
    default=("judged",),
    show_default=True,
    help="Candidate documents of a query, repeatable: judged, top:N, or a run FILE.",
)
@click.option(
    "--by", multiple=True, default=("bm25",), show_default=True, help="Retrieval functions of top:N, repeatable."
)
@exclude_option
@click.option(
    "--jobs",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="Number of processes; the result does not depend on it.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
def features(
    index: str,
    topics: str,
    qrels: str | None,
    output: str,
    sets: tuple[str, ...],
    names: tuple[str, ...],
    scopes: tuple[str, ...],
    per_field: bool,
    sources: tuple[str, ...],
    by: tuple[str, ...],
    excluded: dict[str, str] | None,
    jobs: int,
    as_json: bool,
) -> None:
    """Compute features of documents for queries, and write them as a data file.

    INDEX is a folder made by rankmax index. Sets are bag-of-words (Nallapati's six), proximity (terms, phrases,
    windows), gey (Gey's six), primitive, functions (every retrieval function), and columns (all that the index has).

    \b
    Examples:
      rankmax features docs.index --topics topics.tsv --qrels qrels.txt --set proximity -o train.npz
      rankmax features docs.index --topics topics.tsv --qrels qrels.txt --set functions --per-field \\
          --candidates judged --candidates top:1000 --by bm25 --by dirichlet --jobs 2 -o pool.npz
      rankmax features docs.index --topics topics.tsv --qrels qrels.txt --candidates bm25.run \\
          --feature 'bm25(k1=0.9,b=0.4):title' --feature 'column(pagerank)' -o rerank.npz
    """
    from rankmax.formats.registry import require_format, write_dataset
    from rankmax.formats.topics import read_topics
    from rankmax.formats.trec import read_qrels
    from rankmax.retrieval.extraction.extraction import extract
    from rankmax.retrieval.features import choose_features
    from rankmax.retrieval.index.inverted_index import Index

    if not sets and not names:
        raise click.UsageError("no features: give a --set or a --feature")
    if scopes and per_field:
        raise click.UsageError("--fields and --per-field exclude each other")
    require_format(output)
    opened = Index.open(index)
    fields = [(), *((field,) for field in opened.fields)] if per_field else [_fields(scope) for scope in scopes] or [()]
    chosen = choose_features(opened, sets=sets, names=names, scopes=fields)
    texts, judgments = read_topics(topics), None if qrels is None else read_qrels(qrels)
    with working(f"Features of {topics}", total=len(texts)) as work:
        found = _candidates(opened, texts, judgments, sources, by, excluded or {})
        data = extract(opened, texts, found, chosen, qrels=judgments, n_jobs=jobs, progress=lambda _: work.advance())
        write_dataset(data, output)
    _say_what_is_left_out(found, texts, judgments)
    facts = _described(data)
    if as_json:
        print_json({"output": output, **facts, "not_in_index": found.n_unknown, "features": data.feature_names})
        return
    shown = {name.replace("_", " "): f"{n:,}" for name, n in facts.items()}
    print_facts({output: ""} | shown | {"features": ", ".join(data.feature_names)})


def _fields(scope: str) -> tuple[str, ...]:
    return tuple(scope.split("+"))


def _candidates(
    index: Index,
    topics: dict[str, str],
    qrels: Qrels | None,
    sources: tuple[str, ...],
    by: tuple[str, ...],
    excluded: dict[str, str],
) -> Candidates:
    from functools import reduce

    found = (_candidates_of(index, topics, qrels, source, by, excluded) for source in sources)
    return reduce(lambda a, b: a | b, found)


def _candidates_of(
    index: Index,
    topics: dict[str, str],
    qrels: Qrels | None,
    source: str,
    by: tuple[str, ...],
    excluded: dict[str, str],
) -> Candidates:
    from rankmax.formats.trec import read_run
    from rankmax.retrieval.extraction.candidate_pools import listed_candidates, top_candidates
    from rankmax.retrieval.features import parse_feature

    if source == "judged":
        if qrels is None:
            raise click.UsageError("--candidates judged needs --qrels; other candidates are top:N and run files")
        return listed_candidates(index, qrels, excluded=excluded)
    kind, colon, depth = source.partition(":")
    if kind == "top" and colon:
        if not depth.isdecimal() or int(depth) < 1:
            raise click.UsageError(f"--candidates {source}: write top:N, for instance top:1000")
        return top_candidates(index, topics, [parse_feature(name) for name in by], int(depth), excluded=excluded)
    return listed_candidates(index, read_run(source), excluded=excluded)


def _say_what_is_left_out(candidates: Candidates, topics: dict[str, str], qrels: Qrels | None) -> None:
    if candidates.n_unknown:
        note(
            f"{candidates.n_unknown:,} listed documents are not in the index, for instance "
            f"{candidates.unknown_example!r}; they have no features, and count as not retrieved where they were judged"
        )
    if qrels is not None:
        without_text = [query for query in qrels.query_ids if query not in topics]
        if without_text:
            note(f"{len(without_text):,} judged queries have no text, for instance {without_text[0]!r}; left out")
        unjudged = set(topics) - set(qrels.query_ids)
        if unjudged:
            note(f"{len(unjudged):,} queries have no judgments, for instance {min(unjudged)!r}; left out")


def _described(data: RankingDataset) -> dict[str, Any]:
    from numpy import count_nonzero, isnan

    n_unjudged = int(count_nonzero(isnan(data.grades)))
    return {
        "queries": data.n_queries,
        "documents": data.n_documents,
        "judged": data.n_documents - n_unjudged,
        "not_judged": n_unjudged,
        "judged_but_no_candidates": int(data.judgments.unretrieved_levels.size),
    }
