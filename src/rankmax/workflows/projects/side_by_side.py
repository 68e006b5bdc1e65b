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
    values : mapping of str to float
        The features as they are in the data, of those that have a weight in either model.
    first, second : Placed
    """

    id: str
    grade: float | None
    values: Mapping[str, float]
    first: Placed
    second: Placed


@dataclass(frozen=True, slots=True)
class ComparedRankings:
    """Two rankings of a query.

    Attributes
    ----------
    documents : list of ComparedDocument
        The top documents of either ranking, in the order of the first.
    further : list of ComparedDocument
        Relevant documents that both rankings have further down, in the order of the second.
    n_absent : int
        Number of relevant documents that are no candidates: neither ranking can show them.
    """

    documents: list[ComparedDocument]
    further: list[ComparedDocument]
    n_absent: int


def side_by_side(
    data: RankingDataset, query_id: str, first: Model, second: Model, *, depth: int = 20
) -> ComparedRankings:
    """Return the top documents of a query by either of two models, and the relevant ones further down.

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
    >>> for document in side_by_side(data, "7", *models).documents:
    ...     print(document.id, document.grade, document.first.rank, document.second.rank, document.first.contributions)
    2 0.0 1 2 {'a': 1.0, 'b': 0.5}
    1 1.0 2 1 {'a': 0.0, 'b': 1.0}
    """
    if query_id not in data.query_ids:
        raise UnknownNameError("query", query_id, data.query_ids)
    own = data.select([data.query_ids.index(query_id)])
    sides = [_Side(model, own) for model in (first, second)]
    names = own.document_ids
    used = dict.fromkeys(name for side in sides for name in side.features if name in own.feature_names)
    columns = {name: own.column(own.feature_names.index(name)) for name in used}

    def compared(d: int) -> ComparedDocument:
        return ComparedDocument(
            id=str(d + 1) if names is None else names[d],
            grade=None if np.isnan(own.grades[d]) else float(own.grades[d]),
            values={name: float(column[d]) for name, column in columns.items()},
            first=sides[0].placed(d),
            second=sides[1].placed(d),
        )

    is_shown = np.minimum(sides[0].ranks, sides[1].ranks) <= depth
    return ComparedRankings(
        documents=[compared(d) for d in sides[0].order.tolist() if is_shown[d]],
        further=[compared(d) for d in sides[1].order.tolist() if own.grades[d] > 0 and not is_shown[d]],
        n_absent=int(np.count_nonzero(own.judgments.levels[own.judgments.unretrieved_levels] > 0)),
    )


class _Side:
    """A ranking of one query; ties are in the order of the data."""

    features: tuple[str, ...]
    order: I64
    ranks: I64

    def __init__(self, model: Model, own: RankingDataset) -> None:
        self._scores = model.scores(own)
        self.order = np.argsort(-self._scores, kind="stable")
        self.ranks = np.empty_like(self.order)
        self.ranks[self.order] = np.arange(1, self.order.size + 1)
        self.features, self._parts = _contributions(model, own)

    def placed(self, document: int) -> Placed:
        parts = dict(zip(self.features, self._parts[document].tolist(), strict=True))
        return Placed(int(self.ranks[document]), float(self._scores[document]), parts)


def _contributions(model: Model, own: RankingDataset) -> tuple[tuple[str, ...], F64]:
    if not isinstance(model, LinearModel):
        return (), np.empty((own.n_documents, 0))
    used = np.flatnonzero(model.weights)
    named = features_by_name(own, [model.feature_names[j] for j in used])
    view = model.normalization.with_weights(model.weights[used]).apply(named)
    columns = [model.weights[j] * view.column(place) for place, j in enumerate(used)]
    return view.feature_names, np.column_stack(columns) if columns else np.empty((own.n_documents, 0))
