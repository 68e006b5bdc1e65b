"""`rankmax check`: a relevance gate for continuous integration."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from rankmax.cli.output import Shown, print_blocks, print_json
from rankmax.cli.shared_options import INPUT, NAMED_INPUT, OUTPUT, PROJECT, DataType, MetricType

if TYPE_CHECKING:
    from rankmax.api.check import Check
    from rankmax.metrics.metric import Metric


class _CheckError(click.ClickException):
    exit_code = 2  # 1 says that there is a regression


@click.command()
@click.argument("project", type=PROJECT, required=False)
@click.option("--qrels", metavar="QRELS|DATA", type=DataType(), help="Judgments, or a data file that models score.")
@click.option(
    "--baseline", type=click.Path(dir_okay=False), help="File of values that --update-baseline wrote, run or model."
)
@click.option(
    "--candidate",
    "candidates",
    metavar="[NAME=]FILE|engine[:RETRIEVER]",
    multiple=True,
    help="Run or model to check, repeatable; or what the engine of PROJECT is asked for now.",
)
@click.option(
    "-m",
    "--metric",
    "metrics",
    type=MetricType(),
    multiple=True,
    help="Metric that must not be significantly worse, repeatable; the first is the main one.  [default: nDCG@10]",
)
@click.option("--run", "runs", type=NAMED_INPUT, multiple=True, help="Run that models fuse, repeatable.")
@click.option("--topics", type=INPUT, help="Topics, whose columns are segments.")
@click.option(
    "--segment",
    "segments",
    metavar="COLUMN",
    multiple=True,
    help="Column of the topics: test every metric within each of its values, too; repeatable.",
)
@click.option(
    "--floor",
    "floors",
    metavar="'METRIC >= VALUE'",
    multiple=True,
    help="Smallest mean, for a segment with 'in COLUMN=VALUE'; repeatable.",
)
@click.option(
    "--margin",
    "margins",
    metavar="METRIC=VALUE",
    multiple=True,
    help="Metric that has to be shown no worse than the baseline by a margin, repeatable.",
)
@click.option(
    "--guardrail",
    "guardrails",
    type=MetricType(),
    multiple=True,
    help="Further metric that must not be significantly worse, repeatable.",
)
@click.option(
    "--must-win",
    "must_win",
    metavar="QUERY[=VALUE]",
    multiple=True,
    help="Query that must not fall below the baseline, or a value, in the main metric; repeatable.",
)
@click.option(
    "--fallen",
    type=click.IntRange(0),
    help="Largest number of queries that may fall from 1 to 0.  [default: warn of them]",
)
@click.option(
    "--unjudged",
    metavar="SHARE[@DEPTH]",
    help="Largest share of unjudged documents in the top 10, or DEPTH, such as 0.2@20.",
)
@click.option(
    "--latency",
    type=click.FloatRange(0, min_open=True),
    help="Largest 95th percentile of the latency that runs carry, in milliseconds.",
)
@click.option(
    "--slowdown", type=click.FloatRange(0, min_open=True), help="Largest ratio of that percentile to the baseline's."
)
@click.option(
    "--level",
    type=click.FloatRange(0, 0.5, min_open=True, max_open=True),
    help="Probability of a false alarm over all metrics and segments.  [default: 0.04]",
)
@click.option(
    "--missing-queries",
    type=click.Choice(["error", "zero"]),
    help="Judged queries that a run lacks: an error, or count as 0.  [default: error]",
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Random seed of the tests.")
@click.option(
    "--update-baseline", is_flag=True, help="Write the candidate's values to the baseline file, and end with status 0."
)
@click.option("--junit", type=OUTPUT, help="Write JUnit XML.")
@click.option("--markdown", type=OUTPUT, help="Write a comment for a pull request.")
@click.option("--sarif", type=OUTPUT, help="Write SARIF for code scanning.")
@click.option("--annotations", is_flag=True, help="Print workflow commands of GitHub Actions, too.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of tables.")
def check(
    project: str | None,
    candidates: tuple[str, ...],
    metrics: tuple[Metric, ...],
    margins: tuple[str, ...],
    guardrails: tuple[Metric, ...],
    must_win: tuple[str, ...],
    unjudged: str | None,
    latency: float | None,
    slowdown: float | None,
    runs: tuple[str, ...],
    segments: tuple[str, ...],
    floors: tuple[str, ...],
    junit: str | None,
    markdown: str | None,
    sarif: str | None,
    annotations: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Check that a change did not make a search engine worse: a gate for continuous integration.

    Compares candidates with a baseline, metric by metric, over all queries and by segment, and applies rules: those of
    the section [check] of PROJECT, or those of options, which go first. Without PROJECT and --qrels it is the
    rankmax.toml of this folder. The test is corrected
    for the number of comparisons, and the report says which drop it would notice. Exit status: 0 for a pass, 1 for a
    regression, 2 if the data cannot tell or after an error.

    \b
    Examples:
      rankmax check rankmax.toml
      rankmax check --qrels qrels.txt --baseline today.run --candidate new.run -m nDCG@10 -m AP
      rankmax check --qrels qrels.txt --baseline baseline.tsv --candidate today.run --update-baseline
      rankmax check rankmax.toml --candidate engine:bm25 --floor "nDCG@10 >= 0.45" --junit report.xml
      rankmax check --qrels test.txt --baseline old.json --candidate new.json --margin nDCG@10=0.01
    """
    from rankmax.api.check import check as checked
    from rankmax.errors import RankmaxError

    if project is None and options["qrels"] is None:  # without judgments options alone are no check
        named = options["baseline"] or candidates
        project = "rankmax.toml" if os.path.exists("rankmax.toml") or not named else None
    rules: dict[str, Any] = {
        "metrics": metrics,
        "guardrails": [metric.name for metric in guardrails],
        "margins": dict(_pair("--margin", text) for text in margins),
        "must_win": _must_win(must_win),
        "unjudged": _unjudged(unjudged),
        "latency": {k: v for k, v in {"p95": latency, "slowdown": slowdown}.items() if v is not None},
        "segments": segments,
        "floors": floors,
        "runs": list(runs),
        "candidate": candidates[0] if len(candidates) == 1 else list(candidates),
    }
    try:
        chosen: dict[str, Any] = {name: rule or None for name, rule in rules.items()}
        found = checked(project, **chosen, **options, progress=Shown())
        _write(found, junit, markdown, sarif)
    except (RankmaxError, OSError) as error:
        if annotations:
            click.echo(f"::error title=rankmax check::{str(error).replace('%', '%25').replace(chr(10), '%0A')}")
        raise _CheckError(str(error)) from None
    if as_json:
        print_json(found.to_dict())
    else:
        print_blocks(found.blocks)
    if annotations:
        for line in found.annotations():
            click.echo(line)
    if found.exit_status:
        raise SystemExit(found.exit_status)


def _write(found: Check, junit: str | None, markdown: str | None, sarif: str | None) -> None:
    from rankmax._io.files import write_bytes

    if junit is not None:
        write_bytes(junit, found.to_junit())
    if markdown is not None:
        write_bytes(markdown, found.to_markdown().encode())
    if sarif is not None:
        import msgspec

        write_bytes(sarif, msgspec.json.format(msgspec.json.encode(found.to_sarif()), indent=2) + b"\n")


def _pair(option: str, text: str) -> tuple[str, float]:
    """Return the name and the number of NAME=NUMBER."""
    name, _, number = text.rpartition("=")
    try:
        if not name:
            raise ValueError
        return name, float(number)
    except ValueError:
        raise click.UsageError(f"{option} {text}: expected a name, = and a number") from None


def _must_win(texts: tuple[str, ...]) -> list[str] | dict[str, float]:
    valued = [text for text in texts if "=" in text]
    if not valued:
        return list(texts)
    if len(valued) < len(texts):
        raise click.UsageError("--must-win: give a value for every query, or for none")
    return dict(_pair("--must-win", text) for text in texts)


def _unjudged(text: str | None) -> dict[str, float] | None:
    if text is None:
        return None
    share, _, depth = text.partition("@")
    try:
        limit = {"share": float(share), **({"depth": int(depth)} if depth else {})}
        if not 0 <= limit["share"] <= 1 or limit.get("depth", 1) < 1:
            raise ValueError
    except ValueError:
        reason = "expected a share from 0 to 1, such as 0.2, or 0.2@20 with a depth"
        raise click.UsageError(f"--unjudged {text}: {reason}") from None
    return limit
