"""`rankmax tune`: weights for several systems, and whether to use them."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rankmax.cli.options import INPUT, NAMED_INPUT, NORMALISATION, OUTPUT, metrics_option
from rankmax.cli.output import note, print_json, working
from rankmax.cli.saving import save_or_rescue

if TYPE_CHECKING:
    from rankmax.data.normalise import Normalisation
    from rankmax.fusion.constraint import Constraint
    from rankmax.fusion.signals import Signals
    from rankmax.metrics.base import Metric
    from rankmax.workflows.tuning.confidence import WeightConfidence
    from rankmax.workflows.tuning.result import SystemTuning

_TARGETS = {
    "elasticsearch": "elasticsearch-retriever",
    "opensearch": "opensearch-hybrid",
    "vespa": "vespa",
    "solr": "solr",
    "sql": "sql",
}


def _constraint(ctx: click.Context, parameter: click.Parameter, text: str | None) -> Constraint | None:
    if text is None:
        return None
    from rankmax.errors import RankmaxError
    from rankmax.fusion.constraint import Constraint

    try:
        return Constraint.parsed(text)
    except RankmaxError as error:
        raise click.BadParameter(str(error), ctx, parameter) from None


@click.command(short_help="Tune hybrid-search weights and say whether to use them.")
@click.argument("files", type=NAMED_INPUT, nargs=-1, required=True)
@click.option("--qrels", type=INPUT, help="Judgments of the queries, for runs, or for a log without labels.")
@metrics_option(default=("nDCG@10",))
@click.option(
    "--current",
    metavar="FUSION",
    help="What runs today: a system, RRF, CombSUM, weights (bm25=0.3,e5=0.7, or l2:bm25=0.3,e5=0.7 for scores that are "
    "not min-max normalized) or a model file.  [default: RRF for runs, CombSUM for a log]",
)
@click.option(
    "--normalise",
    "normalise",
    type=NORMALISATION,
    multiple=True,
    help="Score normalization within each query; of several, the best is picked.",
)
@click.option("--engine", type=click.Choice(list(_TARGETS)), help="Pick only from what this search engine can do.")
@click.option(
    "--constrain",
    callback=_constraint,
    metavar="METRIC>=X",
    help="Keep another metric from falling below X: a number, current, or current-0.01.",
)
@click.option("--by", metavar="COLUMN", help="Also learn weights that depend on this column of the topics.")
@click.option("--topics", type=INPUT, help="Table of the queries, for --by; query_length is the number of words.")
@click.option("--folds", type=click.IntRange(2), default=5, show_default=True, help="Folds of cross-validation.")
@click.option(
    "--repeats", type=click.IntRange(1), help="Repeats of cross-validation.  [default: 5; 1 for more than six signals]"
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Random seed.")
@click.option("-o", "--output", type=OUTPUT, help="Model file to write (JSON): what is recommended.")
@click.option("--write", "row", metavar="ROW", help="Write this row of the table instead, such as RRF or learned.")
@click.option("--round", "rounded", is_flag=True, help="Write round weights instead of the exact learned ones.")
@click.option("--report", type=OUTPUT, help="Web page to write (.html), one file that loads nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of tables.")
def tune(
    files: tuple[str, ...],
    qrels: str | None,
    metrics: tuple[Metric, ...],
    current: str | None,
    normalise: tuple[str, ...],
    engine: str | None,
    constrain: Constraint | None,
    by: str | None,
    topics: str | None,
    folds: int,
    repeats: int | None,
    seed: int,
    output: str | None,
    row: str | None,
    rounded: bool,
    report: str | None,
    as_json: bool,
) -> None:
    """Tune nonnegative weights for several systems, and say whether they beat what runs today.

    FILES are runs (TREC format, or tables with columns query, doc, score) with --qrels, or one log of features: LETOR,
    .npz, .csv and .parquet with columns query, doc, label and features, or .jsonl as the learning-to-rank plugins of
    Elasticsearch and OpenSearch log them. A system is called by its file's name, or as name=file says.

    Candidates are weights learned under several score normalizations, weighted RRF, equal weights and every system
    alone. All values are of held-out queries, by repeated cross-validation; the pick's include its selection, by a
    second cross-validation inside. The verdict weighs the expected gain over the current fusion against the loss.

    \b
    Examples:
      rankmax tune --qrels qrels.txt bm25.run splade.run e5.run -m nDCG@10 -o model.json
      rankmax tune --qrels qrels.txt bm25.run e5.run --current bm25=0.3,e5=0.7
      rankmax tune --qrels qrels.txt bm25.run e5.run --engine opensearch --report tuning.html
      rankmax tune --qrels qrels.txt bm25.run e5.run --constrain "P@1>=current-0.01"
      rankmax tune --qrels qrels.txt bm25=bm25_dl20.run e5=e5_dl20.run
      rankmax tune --qrels qrels.txt bm25.run e5.run --topics topics.tsv --by query_length
      rankmax tune log.jsonl --qrels qrels.txt -m nDCG@10 -o model.json --round
    """
    from rankmax.fusion.normalisations import spoken
    from rankmax.workflows.tuning.confidence import weight_confidence
    from rankmax.workflows.tuning.inputs import column_of, read_signals
    from rankmax.workflows.tuning.summary import summarise
    from rankmax.workflows.tuning.systems import tune_systems

    if (by is None) != (topics is None):
        raise click.UsageError("--by names a column of the file that --topics gives: give both, or neither")
    if normalise and engine:
        raise click.UsageError("give --normalise or --engine, not both")
    for option, given in (("--round", rounded), ("--write", row is not None)):
        if given and output is None:
            raise click.UsageError(f"{option} is for the model that -o writes; give -o FILE")
    if report is not None and not report.lower().endswith((".html", ".htm")):
        raise click.BadParameter(f"{report} is a web page: give a name that ends in .html", param_hint="--report")
    _check_outputs((output, report), [*files, qrels, topics])
    with working("Reading", total=len(files)) as work:
        signals = read_signals(files, qrels, tick=work.advance)
    wanted = [*metrics, *([constrain.metric] if constrain is not None and constrain.metric not in metrics else [])]
    counted = signals.counted_by(wanted)
    if row is not None:
        _check_row(row, counted)
    _note_queries_left_out(signals, counted)
    _note_warnings(counted, metrics, folds)
    with working("Cross-validating", total=folds * (repeats or 5)) as work:
        tuning = tune_systems(
            counted,
            wanted,
            current=current,
            normalisations=_normalisations(counted, normalise, engine),
            constraint=constrain,
            by=None if by is None or topics is None else column_of(counted, topics, by),
            n_folds=folds,
            n_repeats=repeats,
            seed=seed,
            tick=work.advance,
        )
        work.say("Resampling queries")
        confidence = weight_confidence(
            tuning.search, tuning.learned_fusion.weights, holds_for=spoken(tuning.learned.normalisation), seed=seed
        )
    summary = summarise(tuning, confidence)
    met = "constraint" not in summary or summary["constraint"]["met"]
    written = _write_models(tuning, confidence, output, row, rounded) if met else []
    if as_json:
        print_json(summary)
    else:
        from rankmax.cli.tuning_view import print_tuning

        print_tuning(summary)
    _note_unjudged(tuning)
    if report is not None:
        from rankmax.workflows.tuning.report import write_report

        read = [*files, *(path for path in (qrels, topics, current) if path is not None and os.path.isfile(path))]
        target = _TARGETS.get(engine or "", "python")
        write_report(tuning, confidence, report, command=_command(), files=read, target=target)
        note(f"wrote {report}")
    what = summary["recommended"] if row is None else tuning.row(row).label
    for path, content in zip(written, (f": {what}", ""), strict=False):
        note(f"wrote {path}{content}")
    if met:
        _note_next(files, engine, output)
    else:
        constraint = summary["constraint"]
        raise click.ClickException(
            f"{constraint['text']} cannot be met: of all candidates, the highest value is {constraint['highest']:.4f}"
        )


def _normalisations(signals: Signals, names: tuple[str, ...], engine: str | None) -> list[Normalisation] | None:
    """Return what the user limits the candidates to."""
    from rankmax.data.normalise import Normalisation
    from rankmax.fusion.normalisations import usual_normalisations

    if names:
        return [Normalisation.named(name) for name in names]
    return None if engine is None else list(usual_normalisations(signals, engine))


def _check_outputs(outputs: tuple[str | None, ...], inputs: list[str | None]) -> None:
    """Refuse to write over an input, or two files into one."""
    from rankmax.workflows.named_files import split_name

    read = {os.path.realpath(split_name(path)[1]) for path in inputs if path is not None}
    for path in filter(None, outputs):
        if os.path.realpath(path) in read:
            raise click.UsageError(f"{path} is read here, and would be written over: give another name")
        read.add(os.path.realpath(path))


def _check_row(name: str, signals: Signals) -> None:
    """Refuse a row that there will not be, before the work."""
    from rankmax.errors import UnknownNameError
    from rankmax.fusion.standard import family_names

    known = ["pick", "current", *family_names(signals)]
    if name.casefold() not in (one.casefold() for one in known):
        raise UnknownNameError("row", name, known)


def _note_queries_left_out(signals: Signals, counted: Signals) -> None:
    for queries, why in (
        (signals.left_out, "no run has anything for"),
        (signals.not_judged, "without judgments"),
        (tuple(sorted(set(signals.data.query_ids) - set(counted.data.query_ids))), "not counted by the metric"),
    ):
        if queries:
            shown = ", ".join(queries[:3]) + (", ..." if len(queries) > 3 else "")
            note(f"left out {len(queries)} {'query' if len(queries) == 1 else 'queries'} ({shown}): {why}")
    for name, n in counted.queries_lacking.items():
        note(f"{name} has nothing for {n} of the {counted.data.n_queries} queries")


def _note_warnings(signals: Signals, metrics: tuple[Metric, ...], folds: int) -> None:
    from rankmax.workflows.tuning.warnings import warnings_on_signals

    if folds > (n_queries := signals.data.n_queries):
        note(f"--folds {folds} is more than the {n_queries} queries; using {n_queries}")
    for warning in warnings_on_signals(signals, metrics):
        note(warning)


def _note_unjudged(tuning: SystemTuning) -> None:
    from rankmax.workflows.tuning.warnings import warnings_on_fusion

    fusion = tuning.recommended
    scores = fusion.normalisation.apply(tuning.signals.data).scores(fusion.weights)
    for warning in warnings_on_fusion(tuning.signals, scores, fusion.normalisation, tuning.recommended_row.label):
        note(warning)


def _write_models(
    tuning: SystemTuning, confidence: WeightConfidence, output: str | None, row: str | None, rounded: bool
) -> list[str]:
    if output is None:
        return []
    fusion = tuning.recommended if row is None else tuning.row(row).fusion
    is_learned = fusion is tuning.learned_fusion
    rounds = rounded and is_learned and tuning.keeps(tuning.search.values(confidence.rounded[None])[0])
    if rounded and not rounds:
        note("--round is for learned weights, where round ones keep to the constraint; these are written as they are")
    model = tuning.model(fusion, weights=confidence.rounded if rounds else None)
    written = [save_or_rescue(model, output)]
    if (varying := tuning.varying_model()) is not None:
        path = Path(output)
        safe = "".join(c if c.isalnum() or c in "-_." else "-" for c in varying.column)
        written.append(save_or_rescue(varying, str(path.with_name(f"{path.stem}.by-{safe}{path.suffix}"))))
    return written


def _command() -> str:
    return shlex.join(["rankmax", *sys.argv[1:]])


def _note_next(files: tuple[str, ...], engine: str | None, output: str | None) -> None:
    if output is None:
        note("next: give -o model.json to write the weights")
        return
    target = _TARGETS.get(engine or "", "python")
    model, runs = shlex.quote(output), shlex.join(files)
    note(f"next: rankmax rank {model} {runs} -o fused.run; rankmax export {model} --to {target}", wrap=False)
