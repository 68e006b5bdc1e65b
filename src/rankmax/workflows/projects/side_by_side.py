"""Two models' rankings of one query side by side, with each feature's contribution to the scores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from rankmax._arrays import F64, I64
from rankmax.data.dataset import RankingDataset
from rankmax.errors import UnknownNameError
from rankmax.models import LinearModel
from rankmax.models.model import Model
from rankmax.preprocessing.binning import features_by_name


@dataclass(frozen=True, slots=True)
class Placed:
    """The rank and score of a document, with the contributions of the features.

    Attributes
    ----------
    rank : int
        Rank, starting at 1.
    score : float
    contributions : mapping of str to float
        Normalized value times weight of each feature; they add up to the score. Empty for a model that is not linear.
    """

    rank: int
    score: float
    contributions: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class ComparedDocument:
    """A document in two rankings.

    Attributes
    ----------
    id : str
        Document id, or its position in the data where it has none.
    grade : float or None
        None where the document is not judged.
    first, second : Placed
    """

    id: str
    grade: float | None
    first: Placed
    second: Placed


def side_by_side(
    data: RankingDataset, query_id: str, first: Model, second: Model, *, depth: int = 20
) -> list[ComparedDocument]:
    """Return the top documents of a query by either of two models, in the order of the first model.

    Parameters
    ----------
    data : RankingDataset
    query_id : str
    first, second : Model
    depth : int
        Number of top documents of each ranking.

    Examples
    --------
    >>> data = RankingDataset.from_arrays([[0.0, 1.0], [1.0, 0.5]], [1, 0], qid=[7, 7], feature_names=["a", "b"])
    >>> models = (LinearModel([1.0, 1.0], ("a", "b")), LinearModel([0.0, 1.0], ("a", "b")))
    >>> for document in side_by_side(data, "7", *models):
    ...     print(document.id, document.grade, document.first.rank, document.second.rank, document.first.contributions)
    2 0.0 1 2 {'a': 1.0, 'b': 0.5}
    1 1.0 2 1 {'a': 0.0, 'b': 1.0}
    """
    if query_id not in data.query_ids:
        raise UnknownNameError("query", query_id, data.query_ids)
    own = data.select([data.query_ids.index(query_id)])
    sides = [_Side(model, own) for model in (first, second)]
    shown = [d for d in sides[0].order.tolist() if min(side.ranks[d] for side in sides) <= depth]
    names = own.document_ids
    return [
        ComparedDocument(
            id=str(d + 1) if names is None else names[d],
            grade=None if np.isnan(own.grades[d]) else float(own.grades[d]),
            first=sides[0].placed(d),
            second=sides[1].placed(d),
        )
        for d in shown
    ]


class _Side:
    """A ranking of one query; ties are in the order of the data."""

    order: I64
    ranks: I64

    def __init__(self, model: Model, own: RankingDataset) -> None:
        self._scores = model.scores(own)
        self.order = np.argsort(-self._scores, kind="stable")
        self.ranks = np.empty_like(self.order)
        self.ranks[self.order] = np.arange(1, self.order.size + 1)
        self._names, self._parts = _contributions(model, own)

    def placed(self, document: int) -> Placed:
        parts = dict(zip(self._names, self._parts[document].tolist(), strict=True))
        return Placed(int(self.ranks[document]), float(self._scores[document]), parts)


def _contributions(model: Model, own: RankingDataset) -> tuple[tuple[str, ...], F64]:
    if not isinstance(model, LinearModel):
        return (), np.empty((own.n_documents, 0))
    used = np.flatnonzero(model.weights)
    named = features_by_name(own, [model.feature_names[j] for j in used])
    view = model.normalization.with_weights(model.weights[used]).apply(named)
    columns = [model.weights[j] * view.column(place) for place, j in enumerate(used)]
    return view.feature_names, np.column_stack(columns) if columns else np.empty((own.n_documents, 0))
