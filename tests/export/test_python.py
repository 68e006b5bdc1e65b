from __future__ import annotations

import ast
import sys

import numpy as np
import pytest
from hypothesis import given, settings

from oracles.engines import python_scores
from oracles.exported import Problem, check_same_order, expected_gain_problems, linear_problems
from rankmax.data.normalise import MinMax, Normalisation, Percentile, Sum, Unchanged, ZScore, normalisation_names
from rankmax.export.named import export_model
from rankmax.models import LinearModel

OF_LISTS = [
    Normalisation.named(name)
    for name in normalisation_names()
    if name == "l2" or name.startswith(("retrieved", "opensearch", "reciprocal"))
]


@settings(max_examples=25)
@given(linear_problems([Unchanged(), MinMax(), ZScore(), Percentile(), Sum()]))
def test_ranks_features_as_the_model_does(problem: Problem) -> None:
    check_same_order(problem, "python", python_scores, tolerance=1e-12)


@settings(max_examples=25)
@given(linear_problems(OF_LISTS, missing=True))
def test_ranks_lists_as_the_model_does(problem: Problem) -> None:
    check_same_order(problem, "python", python_scores, tolerance=1e-12)


@settings(max_examples=25)
@given(linear_problems([Unchanged(), Sum()], indicators=["{}>12.5", "percentile({})>0.4", "z-score({})>0"]))
def test_binned_features(problem: Problem) -> None:
    check_same_order(problem, "python", python_scores, tolerance=1e-12)


@settings(max_examples=25)
@given(expected_gain_problems([Unchanged(), MinMax()]))
def test_expected_gains(problem: Problem) -> None:
    check_same_order(problem, "python", python_scores, tolerance=1e-12)


@pytest.mark.parametrize("name", normalisation_names())
def test_scores_are_those_of_the_model(name: str) -> None:
    model = LinearModel([0.5, 2.0], ("bm25", "e5"), Normalisation.named(name))
    problem = Problem(model, {"bm25": [3.0, 7.0, 0.0, 4.0], "e5": [0.5, 0.0, 0.25, 0.5]})
    np.testing.assert_allclose(python_scores(export_model(model, "python").text, problem.columns), problem.scores)


def test_it_needs_the_standard_library_alone() -> None:
    text = export_model(LinearModel([1.0], ("percentile(bm25)>0.5",)), "python").text
    imports = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Import)]
    imported = {alias.name for node in imports for alias in node.names}
    assert imported == {"bisect", "math"} <= sys.stdlib_module_names


def test_no_documents_have_no_scores() -> None:
    assert python_scores(export_model(LinearModel([1.0], ("bm25",), MinMax()), "python").text, {"bm25": []}) == []


def test_names_cannot_break_out_of_the_text() -> None:
    name = 'a\'\n"""\\'
    model = LinearModel([1.0], (name,), metric='"""\nraise SystemExit')
    assert python_scores(export_model(model, "python").text, {name: [2.0]}) == [2.0]
