from __future__ import annotations

import re

import pytest
from hypothesis import given, settings

from oracles.engines import vespa_scores
from oracles.exported import Problem, check_same_order, expected_gain_problems, linear_problems
from rankmax.data.normalise import MinMax, Unchanged, ZScore
from rankmax.data.retrieved import ReciprocalRank
from rankmax.errors import IncompatibleError
from rankmax.export.base import Destination
from rankmax.export.named import export_model
from rankmax.models import LinearModel


@settings(max_examples=25)
@given(linear_problems([Unchanged()], indicators=["{}>12.5", "{}>3"]))
def test_ranks_as_the_model_does(problem: Problem) -> None:
    check_same_order(problem, "vespa", vespa_scores, tolerance=1e-12)


@settings(max_examples=25)
@given(linear_problems([MinMax()]))
def test_normalises_in_the_global_phase(problem: Problem) -> None:
    check_same_order(problem, "vespa", vespa_scores, tolerance=1e-12)


@settings(max_examples=25)
@given(linear_problems([ReciprocalRank(10), ReciprocalRank(0.5)], missing=True))
def test_ranks_of_lists_in_the_global_phase(problem: Problem) -> None:
    check_same_order(problem, "vespa", vespa_scores, tolerance=1e-12)


@settings(max_examples=25)
@given(expected_gain_problems([Unchanged()], indicators=["{}>12.5"]))
def test_expected_gains(problem: Problem) -> None:
    check_same_order(problem, "vespa", vespa_scores, tolerance=1e-12)


@pytest.mark.parametrize("normalisation", [Unchanged(), MinMax()])
def test_it_is_what_pyvespa_writes(normalisation: Unchanged | MinMax) -> None:
    package = pytest.importorskip("vespa.package")
    model = LinearModel([0.3, -0.7], ("bm25(title)", "popularity"), normalisation)
    ours = re.sub(r"\s*#.*", "", export_model(model, "vespa", Destination("tuned")).text)
    functions = [
        package.Function("feature_bm25_title", "bm25(title)"),
        package.Function("feature_popularity", "attribute(popularity)"),
    ]
    if normalisation == Unchanged():
        phases = {"first_phase": "0.3 * feature_bm25_title - 0.7 * feature_popularity"}
    else:
        score = "0.3 * normalize_linear(feature_bm25_title) - 0.7 * normalize_linear(feature_popularity)"
        phases = {
            "first_phase": "feature_bm25_title + feature_popularity",
            "global_phase": package.GlobalPhaseRanking(score, rerank_count=1000),
        }
    document = package.Document(fields=[package.Field("title", "string", ["index"])])
    profile = package.RankProfile("tuned", functions=functions, **phases)
    schema = package.Schema("page", document, rank_profiles=[profile]).schema_to_text
    theirs = re.sub(r"expression \{\s*(.*)\s*\}", r"expression: \1", schema[schema.index("    rank-profile") :])
    assert ours.split() == theirs.split()[:-1]  # the schema's closing brace


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
        (LinearModel([1.0], ("bm25",), ZScore()), "tuned", "'z-score'.*--normalise none, min-max or reciprocal-rank"),
        (LinearModel([1.0], ("bm25>2",), MinMax()), "tuned", "compares none with thresholds such as 'bm25>2'"),
        (LinearModel([1.0], ("percentile(bm25)>0.5",)), "tuned", "cannot normalise before it compares"),
    ],
)
def test_what_it_cannot_express_is_refused(model: LinearModel, name: str, reason: str) -> None:
    with pytest.raises(IncompatibleError, match=reason):
        export_model(model, "vespa", Destination(name))
