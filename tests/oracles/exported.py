"""Random models and lists of documents to rank by them, and what it means that two scores rank alike."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import hypothesis.strategies as st
import numpy as np

from oracles.engines import Columns
from rankmax.data.dataset import RankingDataset
from rankmax.engines.export_target import AnyModel, Destination
from rankmax.engines.registry import export_model
from rankmax.models import LinearModel
from rankmax.models.expected_gain_model import ExpectedGainModel
from rankmax.models.varying_model import VaryingModel
from rankmax.preprocessing.feature_normalization import Normalization

NAMES = ("bm25(title)", "e5", 'the "third"', "x1", "Größe", "f6")


@dataclass(frozen=True)
class Problem:
    """A model and one query's documents."""

    model: AnyModel | VaryingModel
    columns: Columns
    value: str = ""  # of the query, where weights depend on it

    @property
    def scores(self) -> np.ndarray:
        """What `rankmax rank` ranks by."""
        X = np.array(list(self.columns.values())).T
        data = RankingDataset.from_arrays(X, np.zeros(len(X)), qid=["q"] * len(X), feature_names=list(self.columns))
        if isinstance(self.model, VaryingModel):
            return self.model.scores(data, {"q": self.value})
        return self.model.scores(data)


@st.composite
def linear_problems(
    draw: st.DrawFn,
    normalizations: Sequence[Normalization],
    *,
    negative_weights: bool = True,
    missing: bool = False,
    indicators: Sequence[str] = (),
    most_features: int = 5,
) -> Problem:
    """Draw a linear model and documents.

    Values are eighths, exact in single precision too. No two documents share a value, but for those that are `missing`
    from a list (0), so that ranks and scores of lists have no ties.
    """
    columns = draw(_columns(missing=missing, most_features=most_features))
    weights = st.integers(-16 if negative_weights else 0, 16).map(lambda quarter: quarter / 4)
    names = [*columns, *(draw(st.sampled_from(indicators)).format(name) for name in columns if indicators)]
    values = draw(st.lists(weights, min_size=len(names), max_size=len(names)).filter(any))
    return Problem(LinearModel(values, tuple(names), draw(st.sampled_from(normalizations))), columns)


@st.composite
def expected_gain_problems(
    draw: st.DrawFn, normalizations: Sequence[Normalization], *, indicators: Sequence[str] = ()
) -> Problem:
    """Draw a model of expected gain and documents."""
    columns = draw(_columns(missing=False, most_features=3))
    names = [draw(st.sampled_from(["{}", *indicators])).format(name) for name in columns]
    n_levels = draw(st.integers(2, 4))
    numbers = st.integers(-16, 16).map(lambda eighth: eighth / 8)
    rows = st.lists(numbers, min_size=len(names), max_size=len(names))
    weights = draw(st.lists(rows, min_size=n_levels, max_size=n_levels).filter(lambda rows: any(map(any, rows))))
    intercepts = draw(st.lists(numbers, min_size=n_levels, max_size=n_levels))
    gains = [2.0**level - 1 for level in range(n_levels)]
    normalization = draw(st.sampled_from(normalizations))
    return Problem(ExpectedGainModel(range(n_levels), gains, weights, intercepts, tuple(names), normalization), columns)


@st.composite
def varying_problems(draw: st.DrawFn, normalizations: Sequence[Normalization]) -> Problem:
    """Draw a model whose weights depend on the query, and documents of a query, known to it or not."""
    columns = draw(_columns(missing=True, most_features=3))
    by_number = draw(st.booleans())
    groups = () if by_number else ("what", "it's", "7")
    weights = st.lists(
        st.integers(0, 16).map(lambda quarter: quarter / 4), min_size=len(columns), max_size=len(columns)
    )
    *rows, otherwise = draw(
        st.lists(weights, min_size=len(groups or "12") + 1, max_size=len(groups or "12") + 1).filter(
            lambda rows: any(map(any, rows))
        )
    )
    model = VaryingModel(
        "the 'kind'",
        (2.0, 6.5) if by_number else None,
        groups,
        np.array(rows),
        np.array(otherwise),
        tuple(columns),
        draw(st.sampled_from(normalizations)),
    )
    return Problem(model, columns, draw(st.sampled_from(["1", "2", "3.25", "9"] if by_number else [*groups, "who"])))


@st.composite
def _columns(draw: st.DrawFn, *, missing: bool, most_features: int) -> dict[str, list[float]]:
    n_documents = draw(st.integers(1, 7))
    columns = {}
    for name in NAMES[: draw(st.integers(1, most_features))]:
        eighths = draw(st.lists(st.integers(1, 400), min_size=n_documents, max_size=n_documents, unique=True))
        held = draw(st.lists(st.booleans(), min_size=n_documents, max_size=n_documents)) if missing else [True] * 7
        columns[name] = [eighth / 8 if there else 0.0 for eighth, there in zip(eighths, held, strict=False)]
    return columns


def check_same_order(
    problem: Problem,
    target: str,
    scored: Callable[..., list[float]],
    destination: Destination | None = None,
    tolerance: float = 1e-5,
) -> None:
    """Check that the exported text ranks as the model does, wherever this tells documents apart."""
    expected = problem.scores
    model = problem.model
    of_query: list[dict[str, str | float]] = []
    if isinstance(model, VaryingModel):
        of_query = [{model.column: problem.value if model.numbers is None else float(problem.value)}]
    found = np.array(scored(export_model(model, target, destination).text, problem.columns, *of_query))
    gaps = expected[:, None] - expected[None, :]
    apart = np.abs(gaps) > tolerance * max(1.0, float(np.abs(expected).max()))
    assert (np.sign(found[:, None] - found[None, :])[apart] == np.sign(gaps)[apart]).all(), (expected, found)
