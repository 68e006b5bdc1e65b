"""Models whose weights fit the query, lists to apply them to, and what `rankmax rank` makes of these."""

from __future__ import annotations

import dataclasses
from typing import Any

import hypothesis.strategies as st
import numpy as np

from rankmax.data.dataset import RankingDataset
from rankmax.data.runs import Run
from rankmax.models.query_weights_model import QueryWeightsModel
from rankmax.models.ranking_model import fuse_runs
from rankmax.preprocessing.feature_normalization import Normalization
from rankmax.preprocessing.query_features import QueryFeature

SYSTEMS = ("bm25", 'the "dense" one', "e5")
EVERY = (
    *(QueryFeature(kind, SYSTEMS[j]) for j, kind in enumerate(("gap", "entropy", "deviation"))),
    *(QueryFeature(kind) for kind in ("gap", "entropy", "deviation", "overlap", "agreement", "length", "question")),
    QueryFeature("column", "clicks"),
)
Scores = dict[str, dict[str, float]]  # of one query, by system and document
TEXTS = ["What is  flutter", "wing\u2003flutter ?", "wing", "", "ist Größe wichtig?", "heat\x1ctransfer\ufeff"]


def model_of(seed: int, normalization: str = "retrieved-min-max", **changes: Any) -> QueryWeightsModel:
    rng = np.random.default_rng(seed)
    n = len(EVERY)
    means = np.array([0.3, 0.8, 1.0, 0.2, 0.9, 1.5, 0.4, 0.1, 3.0, 0.5, 7.0])
    given = {
        "query_features": EVERY,
        "means": means,
        "deviations": rng.uniform(0.2, 2.0, n),
        "weights": np.array([0.5, 0.3, 0.0]),
        "variation": rng.normal(0, 0.2, (n, 3)) * (rng.random((n, 1)) < 0.8),
        "feature_names": SYSTEMS,
        "normalization": Normalization.named(normalization),
        "metric": "nDCG@10",
    }
    return QueryWeightsModel(**(given | changes))


@st.composite
def lists(draw: st.DrawFn) -> Scores:
    """Draw lists with ties, scores of 0 and below, and systems that found nothing; one is longer than a list counts."""
    ids = st.sampled_from(["a", "B", "b", "d10", "d2", "é", "\uffee", "\U0001f600", "7", "__proto__"])
    scores = st.sampled_from([0.0, 0.1, 0.2, 0.7, 1.0, 2.0, 5.0, -1.0, 12.5])
    found: Scores = {name: draw(st.dictionaries(ids, scores, max_size=10)) for name in SYSTEMS}
    if draw(st.booleans()):
        step = draw(st.sampled_from([0.0, 0.01]))
        found["bm25"] |= {f"x{i}": 3.0 - step * i for i in range(110)}
    found["e5"].setdefault("a", 1.0)
    return found


QUERIES = st.fixed_dictionaries({"text": st.sampled_from(TEXTS), "clicks": st.sampled_from(["7", "0.5", "1e3", "-2"])})


def expected(model: QueryWeightsModel, found: Scores, query: dict[str, str]) -> tuple[np.ndarray, dict[str, float]]:
    """Return the weights and scores that `rankmax rank` gives."""
    kept: list[np.ndarray] = []

    class Watched(QueryWeightsModel):
        def weights_of(self, data: RankingDataset, rows: Any = None) -> np.ndarray:
            found = super().weights_of(data, rows)
            kept.append(found[list(data.query_ids).index("q")])
            return found

    watched = Watched(*(getattr(model, name) for name in (one.name for one in dataclasses.fields(model))))
    other = {"other": {"zz": 0.0}}  # a run needs a document, and need not have one for the query
    runs = {name: Run.from_dict(other | ({"q": own} if own else {})) for name, own in found.items()}
    fused = fuse_runs(watched, runs, values={"q": query, "other": query}).to_dict()["q"]
    return kept[0], fused


def in_python(text: str) -> dict[str, Any]:
    module: dict[str, Any] = {}
    exec(text, module)
    return module


HOSTILE = st.one_of(
    st.sampled_from(['"""\nraise SystemExit', "'); DROP TABLE candidates; --", "*/ process.exit(7) /*", "__proto__"]),
    st.sampled_from(["\u2028process.exit(7)", "${process.exit(7)}", "</script>", "\\", "\n", "constructor", "\ud800"]),
    st.text(st.characters(codec="utf-8"), min_size=1, max_size=9),
)


def hostile_model(name: str, metric: str = "AP") -> QueryWeightsModel:
    features = (QueryFeature("gap", name), QueryFeature("column", name))
    return QueryWeightsModel(features, [0.0, 1.0], [1.0, 2.0], [1.0], [[0.5], [0.25]], (name,), metric=metric)
