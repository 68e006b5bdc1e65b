"""`rankmax.prune`: the fewest first trees of a model within one standard error of the best."""

from __future__ import annotations

from typing import Any

from rankmax.api.inputs import MetricLike, as_dataset, as_metrics, as_model
from rankmax.api.progress import Progress
from rankmax.workflows.tree_pruning import Pruning, prune_trees, require_trees


def prune(model: Any, data: Any, metric: MetricLike = "nDCG@10", *, progress: Progress | None = None) -> Pruning:
    """Keep the fewest first trees of a model whose metric is at most one standard error below the best.

    Parameters
    ----------
    model : TreeEnsembleModel, or path of a model of LightGBM, XGBoost or CatBoost
        The model, whose trees were learned one after the other.
    data : RankingDataset or path of a data file
        Validation queries, which the model was not trained on.
    metric : str or Metric, default "nDCG@10"
        The metric to keep.
    progress : Progress, optional
        Receives progress.

    Returns
    -------
    Pruning
        With the `model` of the trees to keep, and the `values` by number of trees.

    Examples
    --------
    >>> pruned = prune("lightgbm.txt", "vali.txt", "AP")  # doctest: +SKIP
    >>> pruned.model.save("pruned.json")  # doctest: +SKIP
    """
    loaded = require_trees(as_model(model))
    with (progress or Progress()).stage("Evaluating", total=len(loaded.trees)) as stage:
        return prune_trees(loaded, as_dataset(data), as_metrics(metric)[0], tick=stage.advance)
