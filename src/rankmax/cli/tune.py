"""`rankmax tune`: weights for several systems, and whether to use them."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rankmax.cli.output import Shown, note, print_blocks, print_json
from rankmax.cli.saving import save_or_rescue
from rankmax.cli.shared_options import (
    INPUT,
    MACHINE_QRELS,
    NAMED_INPUT,
    NORMALIZATION,
    OUTPUT,
    TERMS,
    click_options,
    metrics_option,
)
from rankmax.cli.system_arguments import default_metrics

if TYPE_CHECKING:
    from rankmax.api.tune import Tuning
    from rankmax.formats.judge_tables import Opinion
    from rankmax.fusion.constraint import Constraint
    from rankmax.fusion.signals import Signals
    from rankmax.metrics.metric import Metric
    from rankmax.models import LinearModel
    from rankmax.workflows.deployment.project_file import ProjectFile

_ENGINES = [  # here too: help must not import numpy
    *("elasticsearch", "opensearch", "vespa", "solr", "qdrant", "milvus", "weaviate", "lancedb"),
    *("langchain", "llama-index", "haystack", "sql"),
]


def _constraint(ctx: click.Context, parameter: click.Parameter, text: str | None) -> Constraint | None:
    if text is None:
        return None
    from rankmax.errors import RankmaxError
    from rankmax.fusion.constraint import Constraint

    try:
        return Constraint.parsed(text)
    except RankmaxError as error:
        raise click.BadParameter(str(error), ctx, parameter) from None


@click.command(short_help="Tune hybrid-search weights and report their held-out gain.")
@click.argument("files", type=NAMED_INPUT, nargs=-1)
@click.option(
    "--model",
    "models",
    type=NAMED_INPUT,
    multiple=True,
    help="Model to weigh by its scores of a log of features, repeatable: of rankmax, LightGBM, XGBoost or CatBoost.",
)
@click.option("--qrels", type=INPUT, help="Relevance judgments, for runs or for a log without labels.")
@click.option(
    "--judges",
    type=click.Choice(["median", "mean"]),
    help="For qrels with a column of judges: their median or mean grade.  [default: median]",
)
@MACHINE_QRELS
@click_options
@metrics_option(default=("nDCG@10",))
@click.option(
    "--current",
    metavar="FUSION",
    help="The fusion in use today: a system, RRF, CombSUM, weights (bm25=0.3,e5=0.7, or l2:bm25=0.3,e5=0.7 with a "
    "normalization other than min-max) or a model file.  [default: RRF for runs, CombSUM for a log]",
)
@click.option(
    "--normalize",
    "normalize",
    type=NORMALIZATION,
    multiple=True,
    help="Score normalization within each query, repeatable; of several, the best is selected.",
)
@click.option("--engine", type=click.Choice(_ENGINES), help="Restrict candidates to what this search engine supports.")
@click.option(
    "--constrain",
    callback=_constraint,
    metavar="METRIC>=X",
    help="Lower bound on another metric; X is a number, current, or current-0.01.",
)
@click.option(
    "--by",
    metavar="COLUMN",
    help="Also learn weights that depend on this column of --topics, or on all that is known of a query: auto.",
)
@click.option("--topics", type=INPUT, help="Table of the queries, for --by; query_length is the number of words.")
@TERMS
@click.option("--folds", type=click.IntRange(2), default=5, show_default=True, help="Number of cross-validation folds.")
@click.option(
    "--repeats",
    type=click.IntRange(1),
    help="Number of cross-validation repeats.  [default: 5; 1 for more than six systems]",
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Random seed.")
@click.option("-o", "--output", type=OUTPUT, help="Model file to write (JSON), with the recommended fusion.")
@click.option("--write", "row", metavar="ROW", help="Row of the table to write to -o instead, such as RRF or learned.")
@click.option("--round", "rounded", is_flag=True, help="Write the learned weights rounded.")
@click.option("--report", type=OUTPUT, help="Report to write (.html): one self-contained web page.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of tables.")
def tune(
    files: tuple[str, ...],
    models: tuple[str, ...],
    qrels: str | None,
    judges: Opinion | None,
    machine_qrels: str | None,
    clicks: str | None,
    click_model: str,
    propensities: str,
    clip: float,
    metrics: tuple[Metric, ...],
    current: str | None,
    normalize: tuple[str, ...],
    engine: str | None,
    constrain: Constraint | None,
    by: str | None,
    topics: str | None,
    terms: str | None,
    folds: int,
    repeats: int | None,
    seed: int,
    output: str | None,
    row: str | None,
    rounded: bool,
    report: str | None,
    as_json: bool,
) -> None:
    """Tune nonnegative weights for several systems, and report their held-out gain over the current fusion.

    FILES are runs (TREC format, or tables with columns query, doc, score) with --qrels, or one log of features: LETOR,
    .npz, .csv and .parquet with columns query, doc, label and features, or .jsonl as the learning-to-rank plugins of
    Elasticsearch and OpenSearch log them. A system is named after its file; name=file gives it another name. A project
    file, or none for the rankmax.toml of this folder, gives its collected runs, qrels, metric and engine, and the name
    of the model file. With --model, the systems are models, and FILES is one log with their features and queries that
    none of them was trained on; -o writes a model that holds them.

    Candidates are weights learned under several score normalizations, weighted RRF, equal weights and every system
    alone. All values are on held-out queries, by repeated cross-validation; those of the pick account for its selection
    by nested cross-validation. The verdict weighs the expected gain over the current fusion against the expected loss.

    \b
    Examples:
      rankmax tune --qrels qrels.txt bm25.run splade.run e5.run -m nDCG@10 -o model.json
      rankmax tune rankmax.toml --report tuning.html
      rankmax tune --qrels qrels.txt bm25.run e5.run --current bm25=0.3,e5=0.7
      rankmax tune --qrels qrels.txt bm25.run e5.run --engine opensearch --report tuning.html
      rankmax tune --qrels qrels.txt bm25.run e5.run --constrain "P@1>=current-0.01"
      rankmax tune --qrels human.txt --machine-qrels llm.txt bm25.run e5.run
      rankmax tune --clicks clicks.csv bm25.run e5.run -m DCG@10
      rankmax tune --qrels qrels.txt bm25=bm25_dl20.run e5=e5_dl20.run
      rankmax tune --qrels qrels.txt bm25.run e5.run --topics topics.tsv --by query_length
      rankmax tune --qrels qrels.txt bm25.run e5.run --topics topics.tsv --terms docs.index --by auto
      rankmax tune vali.txt --model lightgbm.txt --model linear.json -m nDCG@10 -o stacked.json
      rankmax tune log.jsonl --qrels qrels.txt -m nDCG@10 -o model.json --round
    """
    from dataclasses import replace

    from rankmax.api import tune as api
    from rankmax.api.clicked import METRIC, judged_by_clicks
    from rankmax.api.inputs import as_metrics
    from rankmax.api.tuning_signals import tuning_signals
    from rankmax.api.tuning_view import held_out_table
    from rankmax.formats.judge_tables import judged_by
    from rankmax.workflows.tuning.tuning_summary import summarize_held_out

    project = _project(files)
    if project is not None:
        files = tuple(f"{name}={path}" for name, path in project.run_paths().items())
        qrels = qrels or (project.qrels if clicks is None else None)
        output = output or project.model_path
        if default_metrics():
            metrics = as_metrics(project.metric)
        if engine is None and not normalize:
            engine = project.engine_class.tuned_as
        if by is not None and topics is None:
            topics = project.topics_path
    if by != "auto" and (by is None) != (topics is None):
        raise click.UsageError("--by names a column of the file that --topics gives: give both, or neither")
    if terms is not None and (by != "auto" or topics is None):
        raise click.UsageError("--terms finds the rare terms of the queries in --topics, for --by auto: give all three")
    if normalize and engine:
        raise click.UsageError("give --normalize or --engine, not both")
    for option, given in (("--round", rounded), ("--write", row is not None)):
        if given and output is None:
            raise click.UsageError(f"{option} is for the model that -o writes; give -o FILE")
    if report is not None and not report.lower().endswith((".html", ".htm")):
        raise click.BadParameter(f"{report} is a web page: give a name that ends in .html", param_hint="--report")
    if clicks is not None and (qrels is not None or machine_qrels is not None or judges is not None):
        raise click.UsageError("give either --qrels or --clicks")
    shown = Shown()
    if clicks is not None and default_metrics():
        metrics = as_metrics(METRIC)
    if judges is not None and qrels is None:
        raise click.UsageError("--judges is for the file that --qrels gives")
    judged: Any = qrels if judges is None or qrels is None else judged_by(qrels, judges)
    if clicks is not None:
        wanted = [*metrics, *([] if constrain is None else [constrain.metric])]
        judged = judged_by_clicks(
            clicks, wanted, click_model=click_model, propensities=propensities, clip=clip, progress=shown
        ).qrels
    signals = tuning_signals(files, judged, machine_qrels, metrics[0], models=models or None, progress=shown)
    if clicks is not None:
        signals = replace(signals, clicked=True)
    if row is not None:
        _check_row(row, signals)
        _check_engine(row, signals, current, engine)
    tuning = api.tune(
        signals,
        metric=metrics,
        current=current,
        normalize=normalize,
        engine=engine,
        constrain=constrain,
        by=by,
        topics=topics,
        terms=terms,
        folds=folds,
        repeats=repeats,
        seed=seed,
        progress=shown,
    )
    if not as_json:  # it is read while the proof goes on
        print_blocks([held_out_table(summarize_held_out(tuning.result))])
    with shown.stage("Resampling queries and proving the best weights"):
        summary = tuning.summary
    written, model = _write_models(tuning, output, row, rounded) if tuning.meets_constraint else ([], None)
    path = written[0] if written else None
    if as_json:
        print_json(summary)
    else:
        print_blocks(tuning.blocks[1:])
    for remark in tuning.notes_on_pick:
        note(remark)
    if report is not None:
        read = [
            *files,
            *(
                path
                for path in (qrels, machine_qrels, clicks, topics, current, *_paths(models))
                if path is not None and os.path.isfile(path)
            ),
        ]
        replace(tuning, files=tuple(read)).report(report, command=_command(), model=model, model_path=path)
        note(f"wrote {report}")
    what = summary["recommended"] if row is None else tuning.result.row(row).label
    for name, content in zip(written, (f": {what}", ""), strict=False):
        note(f"wrote {name}{content}")
    if not tuning.meets_constraint:
        raise click.ClickException(tuning.unmet)
    if project is not None and path is not None:
        note(f"next: rankmax push {shlex.quote(project.path)}", wrap=False)
    else:
        _note_next(files, tuning, path, model)


def _project(files: tuple[str, ...]) -> ProjectFile | None:
    """Return the project that is named, or that of this folder if there are no files at all."""
    from rankmax.workflows.deployment.project_file import NAME, ProjectFile, is_project

    if not files and not os.path.exists(NAME):
        raise click.UsageError("give runs or a log of features, or a project file (rankmax init ENGINE writes one)")
    if not files:
        return ProjectFile(NAME)
    return ProjectFile(files[0]) if len(files) == 1 and is_project(files[0]) else None


def _check_row(name: str, signals: Signals) -> None:
    """Raise an error for a row that the table will not have, before any work."""
    from rankmax.errors import UnknownNameError
    from rankmax.fusion.standard_candidates import family_names

    known = ["pick", "current", *family_names(signals)]
    if name.casefold() not in (one.casefold() for one in known):
        raise UnknownNameError("row", name, known)


def _check_engine(name: str, signals: Signals, current: str | None, engine: str | None) -> None:
    """Refuse a row that the engine cannot do, before the work; of given weights and models that is told after it."""
    from rankmax.fusion.engine_normalizations import is_among, min_max_of, usual_normalizations
    from rankmax.fusion.standard_candidates import COMB_SUM, RRF, WEIGHTED_RRF
    from rankmax.preprocessing.run_normalization import ReciprocalRank

    if engine is None:
        return
    allowed = usual_normalizations(signals, engine)
    row = name if name.casefold() != "current" else current or (RRF if signals.from_runs else COMB_SUM)
    needed = {RRF: ReciprocalRank(), WEIGHTED_RRF: ReciprocalRank(), COMB_SUM: min_max_of(signals, allowed)}
    for known, normalization in needed.items():
        if row.casefold() == known.casefold() and not is_among(normalization, allowed):
            raise click.UsageError(
                f"--write {name}: {known} adds up {normalization.name} scores, which --engine {engine} cannot do; "
                "leave --engine out, or write another row"
            )


def _write_models(
    tuning: Tuning, output: str | None, row: str | None, rounded: bool
) -> tuple[list[str], LinearModel | None]:
    """Return the files that were written, and the model that the first of them holds."""
    if output is None:
        return [], None
    fusion = tuning.result.recommended if row is None else tuning.result.row(row).fusion
    if rounded and not (fusion is tuning.result.learned_fusion and tuning.has_round_weights):
        note("--round is for learned weights, where round ones keep to the constraint; these are written as they are")
    model = tuning.model_of(row, rounded=rounded)
    written = [save_or_rescue(tuning.written_model(row, rounded=rounded), output)]
    if (varying := tuning.varying_model) is not None:
        path = Path(output)
        column = getattr(varying, "column", "auto")
        safe = "".join(c if c.isalnum() or c in "-_." else "-" for c in column)
        written.append(save_or_rescue(varying, str(path.with_name(f"{path.stem}.by-{safe}{path.suffix}"))))
    return written, model


def _paths(models: tuple[str, ...]) -> list[str]:
    from rankmax.formats.named_files import named_files

    return [file.path for file in named_files(models)]


def _command() -> str:
    return shlex.join(["rankmax", *sys.argv[1:]])


def _note_next(files: tuple[str, ...], tuning: Tuning, path: str | None, model: LinearModel | None) -> None:
    from rankmax.fusion.engine_normalizations import is_among, spoken, usual_normalizations

    if path is None or model is None:
        note("next: give -o model.json to write the weights")
        return
    if tuning.result.signals.models is not None:
        note(f"next: rankmax evaluate TEST-DATA --model {shlex.quote(path)}", wrap=False)
        return
    target, engine = tuning.target, tuning.engine
    if engine is not None and not is_among(model.normalization, usual_normalizations(tuning.result.signals, engine)):
        note(f"{path} is for {spoken(model.normalization)} scores, which {engine} cannot add up")
        target = "python"
    name, runs = shlex.quote(path), shlex.join(files)
    note(f"next: rankmax rank {name} {runs} -o fused.run; rankmax export {name} --to {target}", wrap=False)
