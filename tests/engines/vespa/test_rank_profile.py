from __future__ import annotations

import re

import pytest
from hypothesis import given, settings

from oracles.engines import vespa_scores
from oracles.exported import Problem, check_same_order, expected_gain_problems, linear_problems
from rankmax.engines.export_target import Destination
from rankmax.engines.query_templates import SystemTemplate
from rankmax.engines.registry import export_model
from rankmax.errors import IncompatibleError
from rankmax.models import LinearModel
from rankmax.preprocessing.feature_normalization import MinMax, Unchanged, ZScore
from rankmax.preprocessing.run_normalization import ReciprocalRank, RetrievedMinMax


@settings(max_examples=25)
@given(linear_problems([Unchanged()], indicators=["{}>12.5", "{}>3"]))
def test_ranks_as_the_model_does(problem: Problem) -> None:
    check_same_order(problem, "vespa", vespa_scores, tolerance=1e-12)


@settings(max_examples=25)
@given(linear_problems([MinMax()]))
def test_normalizes_in_the_global_phase(problem: Problem) -> None:
    check_same_order(problem, "vespa", vespa_scores, tolerance=1e-12)


@settings(max_examples=25)
@given(linear_problems([ReciprocalRank(10), ReciprocalRank(0.5)], missing=True))
def test_ranks_of_lists_in_the_global_phase(problem: Problem) -> None:
    check_same_order(problem, "vespa", vespa_scores, tolerance=1e-12)


@settings(max_examples=25)
@given(expected_gain_problems([Unchanged()], indicators=["{}>12.5"]))
def test_expected_gains(problem: Problem) -> None:
    check_same_order(problem, "vespa", vespa_scores, tolerance=1e-12)


@pytest.mark.parametrize("normalization", [Unchanged(), MinMax()])
def test_it_is_what_pyvespa_writes(normalization: Unchanged | MinMax) -> None:
    package = pytest.importorskip("vespa.package")
    model = LinearModel([0.3, -0.7, 0.5, 0.25], ("bm25(title)", "popularity", "e5", "splade"), normalization)
    text = export_model(model, "vespa", Destination("tuned", templates={"e5": SystemTemplate(field="vector")})).text
    ours = re.sub(r"\s*#.*", "", text)
    features = {
        "bm25_title": "bm25(title)",
        "popularity": "attribute(popularity)",
        "e5": "closeness(field, vector)",
        "splade": "sum(query(q_feature_splade_tokens) * attribute(feature_splade_tokens))",
    }
    functions = [package.Function(f"feature_{name}", expression) for name, expression in features.items()]
    score = "0.3 * {} - 0.7 * {} + 0.5 * {} + 0.25 * {}"
    names = [f"feature_{name}" for name in features]
    if normalization == Unchanged():
        phases = {"first_phase": score.format(*names)}
    else:
        phases = {
            "first_phase": " + ".join(names),
            "global_phase": package.GlobalPhaseRanking(
                score.format(*(f"normalize_linear({name})" for name in names)), rerank_count=1000
            ),
        }
    dense, sparse = "tensor<float>(x[384])", "tensor<float>(token{})"
    fields = [
        package.Field("title", "string", ["index", "summary"], index="enable-bm25"),
        package.Field("popularity", "double", ["attribute", "summary"]),
        package.Field("vector", dense, ["attribute", "index"], attribute=["distance-metric: angular"]),
        package.Field("feature_splade_tokens", sparse, ["attribute"]),
    ]
    inputs = [("query(q_vector)", dense), ("query(q_feature_splade_tokens)", sparse)]
    profile = package.RankProfile("tuned", functions=functions, inputs=inputs, **phases)
    schema = package.Schema(
        "tuned",
        package.Document(fields=fields),
        rank_profiles=[profile],
        fieldsets=[package.FieldSet("default", ["title"])],
    ).schema_to_text
    theirs = re.sub(r"expression \{\s*(.*)\s*\}", r"expression: \1", schema)
    assert ours.split() == theirs.split()
    services = package.ApplicationPackage("tuned").services_to_text
    elements = re.findall(r"^#\s+<(\w[\w-]*)", text, re.M)
    assert set(elements) - {"min-redundancy"} <= set(re.findall(r"<(\w[\w-]*)", services))


def test_vespa_is_said_to_know_every_feature_of_every_candidate() -> None:
    text = export_model(LinearModel([1.0, 2.0], ("bm25", "e5"), RetrievedMinMax()), "vespa").text
    assert "computes every feature of every candidate" in " ".join(text.replace("#", "").split())
    scores = vespa_scores(text, {"bm25": [3.0, 1.0, 2.0], "e5": [0.5, 0.25, 1.0]})
    assert scores == pytest.approx([1 + 2 / 3, 0.0, 2.5])


def test_features_that_are_no_identifiers() -> None:
    text = export_model(LinearModel([1.0, 2.0, 3.0], ("näher\nab", "a b", "a_b")), "vespa").text
    assert re.findall(r"# (.*)\n\s+function (\w+)\(\)", text) == [
        ("näher ab", "feature_n_her_ab"),
        ("a b", "feature_a_b"),
        ("a_b", "feature_a_b_2"),
    ]
    assert "attribute(a_b)" in text


@pytest.mark.parametrize(
    ("model", "name", "reason"),
    [
        (LinearModel([1.0], ("bm25",)), "my profile", "cannot be called 'my profile'"),
        (LinearModel([1.0], ("bm25",), ZScore()), "tuned", "'z-score'.*rankmax tune --engine vespa"),
        (LinearModel([1.0], ("bm25>2",), MinMax()), "tuned", "cannot compare them with thresholds such as 'bm25>2'"),
        (LinearModel([1.0], ("percentile(bm25)>0.5",)), "tuned", "cannot normalize before it compares"),
    ],
)
def test_what_it_cannot_express_is_refused(model: LinearModel, name: str, reason: str) -> None:
    with pytest.raises(IncompatibleError, match=reason):
        export_model(model, "vespa", Destination(name))
