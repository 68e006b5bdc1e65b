"""`rankmax tune`: weights for several systems, and what they are worth."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rankmax.cli.options import INPUT, NORMALISATION, OUTPUT, metrics_option
from rankmax.cli.output import format_p, note, print_facts, print_json, print_table, working
from rankmax.cli.saving import save_or_rescue

if TYPE_CHECKING:
    from rankmax.arrays import F64
    from rankmax.data.normalise import Normalisation
    from rankmax.fusion.constraint import Constraint
    from rankmax.fusion.signals import Signals
    from rankmax.metrics.base import Metric
    from rankmax.workflows.tuning.confidence import WeightConfidence
    from rankmax.workflows.tuning.systems import SystemTuning

_TARGETS = {"elasticsearch": "elasticsearch-retriever", "opensearch": "opensearch-hybrid"}
_MOST_SHOWN = 12  # weights in the table of a terminal; the files have all


def _constraint(ctx: click.Context, parameter: click.Parameter, text: str | None) -> Constraint | None:
    if text is None:
        return None
    from rankmax.errors import RankmaxError
    from rankmax.fusion.constraint import Constraint

    try:
        return Constraint.parsed(text)
    except RankmaxError as error:
        raise click.BadParameter(str(error), ctx, parameter) from None


@click.command(short_help="Learn the weights of a hybrid search, and what they are worth.")
@click.argument("files", type=INPUT, nargs=-1, required=True)
@click.option("--qrels", type=INPUT, help="Judgments of the queries, for runs, or for a log without labels.")
@metrics_option(default=("nDCG@10",))
@click.option(
    "--normalise",
    "normalise",
    type=NORMALISATION,
    multiple=True,
    help="Within each query; of several, the best is chosen.",
)
@click.option(
    "--engine", type=click.Choice(["elasticsearch", "opensearch"]), help="Choose only from what this engine can do."
)
@click.option(
    "--constrain", callback=_constraint, metavar="METRIC>=X", help="Keep another metric from falling below X."
)
@click.option("--by", metavar="COLUMN", help="Also learn weights that depend on this column of the topics.")
@click.option("--topics", type=INPUT, help="Table of the queries, for --by; query_length is the number of words.")
@click.option("--folds", type=click.IntRange(2), default=5, show_default=True, help="Of cross-validation over queries.")
@click.option(
    "--repeats", type=click.IntRange(1), help="Of cross-validation.  [default: 5; 1 for more than six signals]"
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True)
@click.option("-o", "--output", type=OUTPUT, help="Model file to write (JSON).")
@click.option("--round", "rounded", is_flag=True, help="Write the round weights instead of the exact ones.")
@click.option("--report", type=OUTPUT, help="Web page to write (.html), one file that loads nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of tables.")
def tune(
    files: tuple[str, ...],
    qrels: str | None,
    metrics: tuple[Metric, ...],
    normalise: tuple[str, ...],
    engine: str | None,
    constrain: Constraint | None,
    by: str | None,
    topics: str | None,
    folds: int,
    repeats: int | None,
    seed: int,
    output: str | None,
    rounded: bool,
    report: str | None,
    as_json: bool,
) -> None:
    """Learn nonnegative weights for several systems that maximise the first metric, and say what they are worth.

    FILES are runs (TREC format) with --qrels, or one log of features: LETOR, .npz, .csv and .parquet with columns
    query, doc, label and features, or .jsonl as the learning-to-rank plugins of Elasticsearch and OpenSearch log them.

    Scores are normalised within each query as engines do it, and a document that a run lacks gets nothing from it.
    All values are of queries that took no part in learning: by repeated cross-validation, with a second one inside
    that chooses the normalisation. Beside the learned weights stand every system alone and the fusions that need no
    judgments; where nothing simpler is significantly worse, the simpler is recommended.

    \b
    Examples:
      rankmax tune --qrels qrels.txt bm25.run splade.run e5.run -m nDCG@10 -o model.json
      rankmax tune --qrels qrels.txt bm25.run e5.run --engine opensearch --report tuning.html
      rankmax tune --qrels qrels.txt bm25.run e5.run --constrain "P@1>=0.62"
      rankmax tune --qrels qrels.txt bm25.run e5.run --topics topics.tsv --by query_length
      rankmax tune log.jsonl --qrels qrels.txt -m nDCG@10 -o model.json --round
    """
    from rankmax.workflows.tuning.confidence import weight_confidence
    from rankmax.workflows.tuning.inputs import column_of, read_signals
    from rankmax.workflows.tuning.systems import tune_systems

    if (by is None) != (topics is None):
        raise click.UsageError("--by names a column of the file that --topics gives: give both, or neither")
    if normalise and engine:
        raise click.UsageError("give --normalise or --engine, not both")
    if rounded and output is None:
        raise click.UsageError("--round is for the model that -o writes; give -o FILE")
    with working("Reading", total=len(files)) as work:
        signals = read_signals(files, qrels, tick=work.advance)
    wanted = [*metrics, *([constrain.metric] if constrain is not None and constrain.metric not in metrics else [])]
    _tell_what_was_left_out(signals, counted := signals.counted_by(wanted))
    with working("Cross-validating", total=folds * (repeats or 5)) as work:
        tuning = tune_systems(
            counted,
            wanted,
            normalisations=_normalisations(counted, normalise, engine),
            constraint=constrain,
            by=None if by is None or topics is None else column_of(counted, topics, by),
            n_folds=folds,
            n_repeats=repeats,
            seed=seed,
            tick=work.advance,
        )
        work.say("Resampling queries")
        confidence = weight_confidence(tuning.search, tuning.fusion.weights, seed=seed)
    written = _write_models(tuning, confidence.rounded if rounded else tuning.fusion.weights, output)
    if as_json:
        from rankmax.workflows.tuning.summary import summarise

        print_json(summarise(tuning, confidence))
    else:
        _print(tuning, confidence)
    if report is not None:
        from rankmax.workflows.tuning.report import write_report

        write_report(tuning, confidence, report)
        note(f"wrote {report}")
    for path in written:
        note(f"wrote {path}")
    _say_what_next(files, engine, output)


def _normalisations(signals: Signals, names: tuple[str, ...], engine: str | None) -> list[Normalisation]:
    from rankmax.data.normalise import Normalisation
    from rankmax.fusion.standard import usual_normalisations

    return [Normalisation.named(name) for name in names] if names else list(usual_normalisations(signals, engine))


def _tell_what_was_left_out(signals: Signals, counted: Signals) -> None:
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


def _write_models(tuning: SystemTuning, weights: F64, output: str | None) -> list[str]:
    if output is None:
        return []
    written = [save_or_rescue(tuning.model(weights), output)]
    if (varying := tuning.varying_model()) is not None:
        path = Path(output)
        safe = "".join(c if c.isalnum() or c in "-_." else "-" for c in varying.column)
        written.append(save_or_rescue(varying, str(path.with_name(f"{path.stem}.by-{safe}{path.suffix}"))))
    return written


def _print(tuning: SystemTuning, confidence: WeightConfidence) -> None:
    from rankmax.fusion.standard import describe

    data, others = tuning.signals.data, tuning.metrics[1:]
    title = (
        f"{data.n_queries} queries, {data.n_documents:,} documents; held out in {tuning.n_repeats} x "
        f"{tuning.n_folds}-fold cross-validation"
    )
    header = ["", str(tuning.metric), "95% interval", *(str(metric) for metric in others), "learned minus it", "p"]
    rows = []
    for result in tuning.methods:
        row = [result.name, f"{result.mean:.4f}", f"{result.interval[0]:.3f} to {result.interval[1]:.3f}"]
        row += [f"{mean:.4f}" for mean in result.values[1:].mean(axis=1)]
        own = result is tuning.methods[0]
        rows.append([*row, *(["", ""] if own else [f"{result.gain:+.4f}{result.marker}", format_p(result.p_value)])])
    print_table(header, rows, title=title)
    shown = sorted(range(len(tuning.signals.names)), key=lambda j: -tuning.fusion.weights[j])[:_MOST_SHOWN]
    ranges = confidence.plateau_ranges
    print_table(
        ["weights", "learned", "round", "90% of samples", *(["as good as the best"] if ranges is not None else [])],
        [
            [
                tuning.signals.names[j],
                f"{tuning.fusion.weights[j]:.3f}",
                f"{confidence.rounded[j]:g}",
                f"{confidence.intervals[j, 0]:.2f} to {confidence.intervals[j, 1]:.2f}",
                *([f"{ranges[j, 0]:.2f} to {ranges[j, 1]:.2f}"] if ranges is not None else []),
            ]
            for j in shown
        ],
    )
    if tuning.varying is not None:
        by_label = tuning.varying.weights_by_label
        print_table(
            [tuning.methods[-1].name, *by_label],
            [[tuning.signals.names[j], *(f"{w[j] / w.sum():.3f}" for w in by_label.values())] for j in shown],
        )
    print_facts(_facts(tuning, confidence, describe(tuning.fusion.normalisation)))


def _facts(tuning: SystemTuning, confidence: WeightConfidence, normalisation: str) -> dict[str, Any]:
    chosen = ", ".join(f"{name} {n}" for name, n in tuning.choices.items())
    n_fits = sum(tuning.choices.values())
    best = confidence.optimum
    facts = {
        "normalisation": normalisation if len(tuning.choices) < 2 else f"{normalisation} (of {n_fits} folds: {chosen})",
        "best on these queries": f"{best.value:.4f}, standard error {best.standard_error:.4f}",
    }
    if confidence.proven is not None:
        facts["proven"] = confidence.proven
    if lacking := tuning.signals.missing_shares:
        facts = {"candidates lacking": ", ".join(f"{name} {share:.0%}" for name, share in lacking.items()), **facts}
    if confidence.plateau_share is not None:
        facts["plateau"] = f"{confidence.plateau_share:.0%} of all weights are within one standard error of the best"
    facts["spread"] = f"{confidence.spread:.3f}, mean geodesic distance of weights for resampled queries"
    if tuning.constraint is not None:
        i = tuning.metrics.index(tuning.constraint.metric)
        value = tuning.search.values(tuning.fusion.weights[None])[0, i].mean()
        held = tuning.methods[0].values[i].mean()
        met = "kept" if value >= tuning.constraint.least - 1e-9 else "cannot be kept"
        facts["constraint"] = f"{tuning.constraint} {met}: {value:.4f} on all queries, {held:.4f} held out"
    facts["advice"] = str(tuning.verdict)
    if tuning.varying_verdict is not None:
        facts["advice on " + tuning.methods[-1].name] = str(tuning.varying_verdict)
    return facts


def _say_what_next(files: tuple[str, ...], engine: str | None, output: str | None) -> None:
    if output is None:
        note("next: give -o model.json to write the weights")
        return
    target = _TARGETS.get(engine or "", "python")
    note(f"next: rankmax rank {output} {' '.join(files)} -o fused.run; rankmax export {output} --to {target}")
