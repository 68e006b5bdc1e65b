"""Exports compiled and evaluated by Vespa's own libraries, against what `rankmax rank` writes.

Vespa knows no missing scores: they are 0, as `none`, `min-max` and `reciprocal-rank` count them. There is no content
node.
"""

from __future__ import annotations

import re
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from engines import vespa
from engines.replay import Runs, agreement, predicted, vespa_rankings, without_ties
from oracles.exported import Problem
from rankmax.engines.export_target import AnyModel
from rankmax.engines.registry import export_model
from rankmax.formats.trec import read_run
from rankmax.models import AdditiveModel, LinearModel
from rankmax.models.additive_model import Product
from rankmax.models.curve import Curve
from rankmax.models.expected_gain_model import ExpectedGainModel
from rankmax.preprocessing.feature_normalization import MinMax, Normalization, Unchanged
from rankmax.preprocessing.run_normalization import ReciprocalRank, RetrievedMinMax

FOLDER = Path(__file__).parents[3] / ".engines" / "vespa"
SYSTEMS = ("bm25", "splade", "monot5")
FEATURES = ("attribute(clicks)", "attribute(age)")
VALUES = [[12.0, -3.5], [50.0, 0.25], [51.0, 2.0], [0.0, 0.0], [700.0, -40.0]]
pytestmark = pytest.mark.skipif(
    not vespa.is_installed(FOLDER),
    reason="no libraries of Vespa: make engines installs them where they can be had",
)


@pytest.fixture(scope="module")
def runs(shared_data: Path) -> Runs:
    """Return the runs of DL19 without equal scores in a list, whose ranks Vespa counts in the first phase's order."""
    folder = shared_data / "runs" / "dl19-passage"
    return without_ties({name: read_run(folder / f"{name}.run.gz").to_dict() for name in SYSTEMS})


def in_all(runs: Runs) -> Runs:
    """Return the runs with only those documents that every system retrieved, as nothing is missing in Vespa."""
    kept = {q: set.intersection(*(set(run[q]) for run in runs.values())) for q in runs[SYSTEMS[0]]}
    return {name: {q: {d: run[q][d] for d in kept[q]} for q in run if kept[q]} for name, run in runs.items()}


def with_functions_expanded(schema: str) -> str:
    """Return the schema with logits in place of their names.

    Vespa's evaluator in Java overwrites the value of a function that is used twice: with f = 3, (f - 1) + f is 4. These
    functions are for the first phase, which content nodes compute in C++; what is checked here is their arithmetic.
    """
    bodies = dict(re.findall(r"function (logit_\d+|largest_logit)\(\) {\s+expression: (.*)\n", schema))
    before, phase, expression = schema.partition("first-phase")
    for _ in range(2):  # the largest logit is made of the others
        expression = re.sub(r"logit_\d+|largest_logit", lambda name: f"({bodies[name[0]]})", expression)
    return before + phase + expression


@pytest.mark.parametrize("normalization", [Unchanged(), MinMax(), ReciprocalRank(20)], ids=lambda each: each.name)
def test_ranks_all_queries_of_dl19_as_rank_does(runs: Runs, normalization: Normalization) -> None:
    weights = {2: [0.3, 0.7], 3: [0.2, 0.5, 0.3]}
    combined = [systems for size in weights for systems in combinations(SYSTEMS, size)]
    models = [LinearModel(weights[len(systems)], systems, normalization) for systems in combined]
    for model, found in zip(models, vespa_rankings(FOLDER, models, runs), strict=True):
        compared = agreement(found, predicted(model, runs))
        assert compared.alike == compared.queries == 43
        assert compared.difference < 1e-12


def test_min_max_over_retrieved_documents_where_nothing_is_missing(runs: Runs) -> None:
    model, complete = LinearModel([0.2, 0.5, 0.3], SYSTEMS, RetrievedMinMax()), in_all(runs)
    compared = agreement(vespa_rankings(FOLDER, [model], complete)[0], predicted(model, complete))
    assert compared.alike == compared.queries > 30


@pytest.mark.parametrize(
    "model",
    [
        LinearModel([0.3, -1.5e-7, 2.0], (*FEATURES, "attribute(clicks)>50")),
        ExpectedGainModel(
            [0, 1, 2], [0.0, 1.0, 3.0], [[0.0, 0.1], [0.01, -0.2], [-0.02, 0.3]], [0.5, 0.0, -0.5], FEATURES
        ),
    ],
    ids=["thresholds", "expected gain"],
)
def test_thresholds_and_expected_gains(model: AnyModel) -> None:
    rows = [("q", str(i), values) for i, values in enumerate(VALUES)]
    schema = with_functions_expanded(export_model(model, "vespa").text)
    found = dict(vespa.ranked(FOLDER, [vespa.Job(schema, "rankmax", list(FEATURES), rows)])[0]["q"])
    expected = Problem(model, dict(zip(FEATURES, zip(*VALUES, strict=True), strict=True))).scores
    assert [found[str(i)] for i in range(len(VALUES))] == pytest.approx(expected.tolist(), rel=1e-12)
    assert len(np.unique(expected)) > 1


def test_curves_and_their_products() -> None:
    steps = Curve([0.0, 50.0, 51.0], [0.5, -1.0, 2.0, 0.25], "constant")
    lines = Curve([-3.5, 0.25, 2.0], [1.0, -0.5, 3.0])
    model = AdditiveModel([steps, lines], FEATURES, [Product(FEATURES[0], FEATURES[1], -0.3)])
    schema = export_model(model, "vespa").text
    before, phase, expression = schema.partition("first-phase")
    for kind in ("curve", "feature"):  # a function that is used twice is written out, as with_functions_expanded says
        bodies = dict(re.findall(rf"function ({kind}_\w+)\(\) {{\s+expression: (.*)\n", schema))
        expression = re.sub(rf"{kind}_\w+", lambda name, bodies=bodies: f"({bodies[name[0]]})", expression)
    rows = [("q", str(i), values) for i, values in enumerate(VALUES)]
    job = vespa.Job(before + phase + expression, "rankmax", list(FEATURES), rows)
    found = dict(vespa.ranked(FOLDER, [job])[0]["q"])
    expected = Problem(model, dict(zip(FEATURES, zip(*VALUES, strict=True), strict=True))).scores
    assert [found[str(i)] for i in range(len(VALUES))] == pytest.approx(expected.tolist(), rel=1e-12)
    assert len(np.unique(expected)) > 1
