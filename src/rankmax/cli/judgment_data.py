"""`rankmax data judgments` and its neighbors: files of judgments and topics."""

from __future__ import annotations

import click

from rankmax.cli.output import note, print_blocks, print_json, working
from rankmax.cli.shared_options import INPUT, OUTPUT
from rankmax.errors import counted


@click.command(short_help="Convert judgments: TREC, BEIR, Quepid, OpenSearch.")
@click.argument("source", type=INPUT)
@click.argument("target", type=OUTPUT)
@click.option("--topics", type=INPUT, help="Text of each query, to turn texts into ids, or ids into texts.")
@click.option("--new-topics", type=OUTPUT, help="Topics to write, with new ids for the texts of SOURCE.")
@click.option(
    "--multiply",
    type=click.FloatRange(0, min_open=True),
    default=1.0,
    show_default=True,
    help="Factor that makes the ratings whole numbers, as 10 for 0.7.",
)
def judgments(source: str, target: str, topics: str | None, new_topics: str | None, multiply: float) -> None:
    """Convert judgments; SOURCE is known by its content.

    TARGET is Quepid's (.csv), OpenSearch's (.json), BEIR's (.tsv), or else TREC's.

    \b
    Examples:
      rankmax data judgments case_7_judgements.csv qrels.txt --new-topics topics.tsv
      rankmax data judgments list.json qrels.txt --topics topics.tsv --multiply 10
      rankmax data judgments qrels.txt import.json --topics topics.tsv

    Of several judges, a document gets the median; of two, the lower rating.
    """
    from rankmax.formats.judgment_conversion import convert_judgments

    if topics is not None and new_topics is not None:
        raise click.UsageError("--topics and --new-topics exclude each other: ids are taken or made")
    with working(f"Converting {source}"):
        n_queries, n_documents = convert_judgments(
            source, target, topics=topics, new_topics=new_topics, multiply=multiply
        )
    note(f"wrote {target}: {_queries(n_queries)}, {counted(n_documents, 'judgment', 'judgments')}")


@click.command(short_help="Convert clicks: UBI to a table and back, or clicks to judgments.")
@click.argument("source", type=INPUT)
@click.argument("target", type=OUTPUT)
@click.option("--judgments", is_flag=True, help="Write judgments by clicks over expected clicks.")
@click.option("--topics", type=INPUT, help="Text of each query, to turn texts into ids, or ids into texts.")
@click.option("--new-topics", type=OUTPUT, help="Topics to write, with new ids for the texts of SOURCE.")
@click.option(
    "--least",
    type=click.FloatRange(0, min_open=True),
    default=1.0,
    show_default=True,
    help="Least number of expected clicks of a document that is judged.",
)
def clicks(source: str, target: str, judgments: bool, topics: str | None, new_topics: str | None, least: float) -> None:
    """Convert clicks. SOURCE is UBI queries and events (JSON lines), or a table as --clicks takes it.

    With --topics or --new-topics, queries of a table may be texts.

    Without --judgments, TARGET is a table with columns query, doc, position, clicked and count, and search if SOURCE
    says which clicks are of one search: searches that are alike are one, counted. TARGET.jsonl gets UBI queries and
    events instead, for which searches must be known; TARGET.ndjson the same for OpenSearch's _bulk.

    With --judgments, a document's clicks are divided by those of average documents in its places: grade 1 from 1 on, 2
    from 2 on, 3 from 3 on, and else 0; TARGET is Quepid's (.csv), OpenSearch's (.json), BEIR's (.tsv), or else TREC's.

    \b
    Examples:
      rankmax data clicks ubi.jsonl clicks.csv --topics topics.tsv
      rankmax data clicks searches.csv ubi.jsonl --topics topics.tsv
      rankmax data clicks ubi.jsonl qrels.txt --topics topics.tsv --judgments
      rankmax data clicks clicks.csv judgments.json --topics topics.tsv --judgments
    """
    from rankmax.workflows.click_conversion import convert_clicks, writes_ubi

    if topics is not None and new_topics is not None:
        raise click.UsageError("--topics and --new-topics exclude each other: ids are taken or made")
    with working(f"Converting {source}"):
        n_queries, n, left_out = convert_clicks(
            source, target, judgments=judgments, topics=topics, new_topics=new_topics, least=least
        )
    for what in left_out:
        note(f"left out {what}")
    kind = ("judgment", "judgments") if judgments else ("document", "documents")
    if writes_ubi(target, judgments=judgments):
        kind = ("search", "searches")
    note(f"wrote {target}: {_queries(n_queries)}, {counted(n, *kind)}")


@click.command(short_help="Convert topics: id and text, BEIR's queries, OpenSearch's query sets.")
@click.argument("source", type=INPUT)
@click.argument("target", type=OUTPUT)
def topics(source: str, target: str) -> None:
    """Convert topics. TARGET is an OpenSearch query set (.json), BEIR's queries (.jsonl), or lines of id, tab, text.

    \b
    Examples:
      rankmax data topics topics.tsv query_set.json
      rankmax data topics query_set.json topics.tsv

    A query set has no ids: its queries get 1, 2, ...
    """
    from rankmax.formats.judgment_conversion import convert_topics

    with working(f"Converting {source}"):
        n_topics = convert_topics(source, target)
    note(f"wrote {target}: {_queries(n_topics)}")


@click.command(short_help="Report how well several judges agree.")
@click.argument("ratings", type=INPUT)
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of tables.")
def judges(ratings: str, as_json: bool) -> None:
    """Report how well several judges agree: Krippendorff's alpha, and what each judge does.

    RATINGS is a table with columns query, doc, judge and grade, or a book of Quepid. Alpha is 1 for judges who always
    agree and 0 for judges who agree as often as by chance; nominal counts grades that differ, ordinal by how many
    ratings are between them, interval by their difference. If alpha is much higher without a judge, look at that judge.

    \b
    Examples:
      rankmax data judges ratings.csv
      rankmax evaluate ratings.csv bm25.run --judges expected
    """
    from rankmax.data.judge_ratings import rating_matrix
    from rankmax.errors import DataFormatError, InvalidDataError
    from rankmax.evaluation.agreement import judge_agreement
    from rankmax.formats.judge_tables import read_opinions

    names, matrix = rating_matrix(read_opinions(ratings))
    try:
        found = judge_agreement(matrix, names)
    except InvalidDataError as error:
        raise DataFormatError(ratings, str(error)) from None
    if as_json:
        print_json(found.to_dict())
    else:
        print_blocks(found.blocks)


def _queries(n: int) -> str:
    return counted(n, "query", "queries")
