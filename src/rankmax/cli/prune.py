"""`rankmax prune`: the fewest first trees of a model within one standard error of the best."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import click

from rankmax.cli.output import Shown, note, print_blocks, print_json
from rankmax.cli.saving import save_or_rescue
from rankmax.cli.shared_options import INPUT, OUTPUT, MetricType

if TYPE_CHECKING:
    from rankmax.metrics.metric import Metric


@click.command()
@click.argument("model", type=INPUT)
@click.argument("data", type=INPUT)
@click.option("-m", "--metric", type=MetricType(), default="nDCG@10", show_default=True, help="Metric to keep.")
@click.option("-o", "--output", type=OUTPUT, help="Model file to write (JSON), with the trees that are kept.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, with the value of every number of trees.")
def prune(model: str, data: str, metric: Metric, output: str | None, as_json: bool) -> None:
    """Keep the fewest first trees of a model whose metric is at most one standard error below the best.

    MODEL is of LightGBM (text), XGBoost (JSON) or CatBoost (JSON); DATA holds validation queries, which the model was
    not trained on. The standard error is that of the differences per query.

    \b
    Examples:
      rankmax prune lightgbm.txt vali.txt -m nDCG@10 -o pruned.json
      rankmax prune xgboost.json vali.txt -m AP --json
    """
    from rankmax.api import prune as api

    pruned = api.prune(model, data, metric, progress=Shown())
    if as_json:
        print_json({"model": model, **pruned.to_dict()})
    else:
        print_blocks(pruned.blocks)
    if output is None:
        note("next: give -o pruned.json to write the model")
        return
    path = save_or_rescue(pruned.model, output)
    note(f"wrote {path}: {pruned.n_kept} of {pruned.n_trees} trees")
    note(f"next: rankmax evaluate TEST-DATA --model {shlex.quote(path)}", wrap=False)
