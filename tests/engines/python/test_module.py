from __future__ import annotations

import ast
import sys

from oracles.engines import python_scores
from rankmax.engines.registry import export_model
from rankmax.models import LinearModel
from rankmax.models.varying_model import VaryingModel
from rankmax.preprocessing.feature_normalization import MinMax


def test_it_needs_the_standard_library_alone() -> None:
    text = export_model(LinearModel([1.0], ("percentile(bm25)>0.5",)), "python").text
    imports = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Import)]
    imported = {alias.name for node in imports for alias in node.names}
    assert imported == {"bisect"} <= sys.stdlib_module_names


def test_no_documents_have_no_scores() -> None:
    assert python_scores(export_model(LinearModel([1.0], ("bm25",), MinMax()), "python").text, {"bm25": []}) == []


def test_names_cannot_break_out_of_the_text() -> None:
    name = 'a\'\n"""\\'
    model = LinearModel([1.0], (name,), metric='"""\nraise SystemExit')
    assert python_scores(export_model(model, "python").text, {name: [2.0]}) == [2.0]


def test_a_column_cannot_break_out_of_the_text_either() -> None:
    column = '"""\nraise SystemExit'
    model = VaryingModel(column, None, ("'\n",), [[3.0]], [1.0], ("bm25",))
    text = export_model(model, "python").text
    assert [python_scores(text, {"bm25": [2.0]}, {column: group}) for group in ("'\n", "other")] == [[6.0], [2.0]]
