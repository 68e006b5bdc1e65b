"""Pruning of a sum of trees: the fewest first trees within one standard error of the best on validation queries."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np

from rankmax._arrays import F64
from rankmax._numerics.standard_error import standard_error
from rankmax._result_views import Block, Facts, ResultView, as_frame
from rankmax.data.dataset import RankingDataset
from rankmax.errors import IncompatibleError, InvalidDataError
from rankmax.metrics.evaluator import evaluate_metrics
from rankmax.metrics.metric import Metric
from rankmax.models.tree_ensemble_model import TreeEnsembleModel
from rankmax.models.trees.structure import joined


@dataclass(frozen=True, eq=False, repr=False)
class Pruning(ResultView):
    """The values of a model's first trees on validation queries, and the number to keep.

    Attributes
    ----------
    metric : Metric
    values : array of float64, shape (n_trees, n_queries)
        Metric of the first 1, 2, ... trees on each validation query that the metric counts.
    model : TreeEnsembleModel
        The trees to keep.
    """

    metric: Metric
    values: F64
    model: TreeEnsembleModel

    @property
    def n_trees(self) -> int:
        """Number of trees before."""
        return len(self.values)

    @property
    def n_kept(self) -> int:
        """Number of trees to keep."""
        return len(self.model.trees)

    @property
    def means(self) -> F64:
        """Mean of the metric by number of trees, from 1."""
        means: F64 = self.values.mean(axis=1)
        return means

    @property
    def best(self) -> int:
        """Number of trees with the highest mean."""
        return int(np.argmax(self.means)) + 1

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, which can be written as JSON."""
        means = self.means
        return {
            "metric": self.metric.name,
            "queries": self.values.shape[1],
            "trees": self.n_trees,
            "kept": self.n_kept,
            "best": self.best,
            "values": means.tolist(),
        }

    def to_frame(self) -> Any:
        """Return the means as a pandas data frame, with a row for each number of trees."""
        return as_frame(("trees", self.metric.name), [(n, mean) for n, mean in enumerate(self.means.tolist(), 1)])

    @property
    def blocks(self) -> list[Block]:
        """The numbers of trees with their values."""
        means = self.means
        error = standard_error(self.values[self.best - 1] - self.values[self.n_kept - 1])
        lost = means[self.best - 1] - means[self.n_kept - 1]
        return [
            Facts(
                {
                    f"all {self.n_trees:,} trees": f"{self.metric.name} {means[-1]:.4f}",
                    f"best, {self.best:,}": f"{means[self.best - 1]:.4f}",
                    f"kept, {self.n_kept:,}": f"{means[self.n_kept - 1]:.4f}, {lost:.4f} below the best, at most one "
                    f"standard error of the difference ({error:.4f})",
                    "queries": f"{self.values.shape[1]:,}, which have chosen: evaluate the model on others",
                }
            )
        ]


def prune_trees(
    model: TreeEnsembleModel, data: RankingDataset, metric: Metric, *, tick: Callable[[], None] = lambda: None
) -> Pruning:
    r"""Keep the fewest first trees whose mean is at most one standard error below the best.

    With :math:`v_{tq}` the metric of the first t trees on query q and b the number with the highest mean, kept are the
    fewest t with :math:`\operatorname{mean}_q d_q \le \operatorname{se}(d)` for the differences
    :math:`d_q = v_{bq} - v_{tq}`.

    Parameters
    ----------
    model : TreeEnsembleModel
    data : RankingDataset
        Validation queries, which the model was not trained on.
    metric : Metric
    tick : callable
        Called after each tree.

    Examples
    --------
    >>> from rankmax.metrics import AP
    >>> from rankmax.models.trees.structure import Tree
    >>> good = Tree([0], [0.5], [~0], [~1], [0.0, 1.0], [True], [2])
    >>> bad = Tree([0], [0.5], [~0], [~1], [2.0, 0.0], [True], [2])
    >>> data = RankingDataset.from_arrays([[0.2], [0.8]] * 3, [0, 1] * 3, qid=[1, 1, 2, 2, 3, 3])
    >>> prune_trees(TreeEnsembleModel((good, bad), ("f1",)), data, AP()).n_kept
    1

    References
    ----------
    Breiman, Friedman, Olshen & Stone 1984, section 3.4.3 (the one-standard-error rule), here with paired differences.
    """
    from rankmax._kernels.trees.tree_sums import add_trees

    if model.was_trained_on(data):
        raise InvalidDataError(
            "the model was trained on these documents, on which more trees always look better: prune by other queries"
        )
    named = model.named_by(data)
    arrays = joined(named.trees)
    sums = np.full(data.n_documents, named.offset if named.single_sums else 0.0)
    blocks = list(named.feature_rows(data, max(data.n_documents, 1)))
    values = []
    for tree in range(len(named.trees)):
        for _, rows in blocks:
            one = arrays._replace(roots=arrays.roots[tree : tree + 1].copy())
            add_trees(rows, one, sums, single=named.single_sums)
        scores = sums if named.single_sums else named.scale * sums
        values.append(evaluate_metrics([metric], scores, data.judgments)[0])
        tick()
    found = np.array(values)
    found = found[:, ~np.isnan(found).any(axis=0)]
    if found.shape[1] < 2:
        raise InvalidDataError(f"{metric.name} counts {found.shape[1]} of the queries; give at least 2")
    best = int(np.argmax(found.mean(axis=1)))
    differences = found[best] - found
    enough = [row.mean() <= standard_error(row) for row in differences[: best + 1]]
    kept = named.first(enough.index(True) + 1)
    parameters = {**kept.provenance.parameters, "trees": len(named.trees)}
    provenance = msgspec.structs.replace(kept.provenance, parameters=parameters)
    return Pruning(metric, found, kept.with_origin(metric.name, provenance))


def require_trees(model: object) -> TreeEnsembleModel:
    """Return a model that is a sum of trees, or refuse another.

    Parameters
    ----------
    model : object
    """
    if not isinstance(model, TreeEnsembleModel):
        raise IncompatibleError(
            f"{type(model).__name__} has no trees to prune: give a model of LightGBM, XGBoost or CatBoost"
        )
    return model
