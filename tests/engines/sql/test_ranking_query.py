from __future__ import annotations

import pytest

from oracles.engines import sql_scores
from rankmax.engines.registry import export_model
from rankmax.errors import IncompatibleError
from rankmax.models import LinearModel
from rankmax.models.varying_model import VaryingModel


def test_logits_far_apart_neither_overflow_nor_underflow() -> None:
    from rankmax.models.expected_gain_model import ExpectedGainModel

    model = ExpectedGainModel([0, 1], [0, 1], [[0.0], [5000.0]], [0.0, 0.0], ("bm25",))
    assert sql_scores(export_model(model, "sql").text, {"bm25": [1.0, -1.0, 0.0]}) == [1.0, 0.0, 0.5]


def test_a_feature_called_query_is_refused() -> None:
    with pytest.raises(IncompatibleError, match="called query or document"):
        export_model(LinearModel([1.0], ("Query",)), "sql")


@pytest.mark.parametrize("column", ["document", "bm25"])
def test_a_column_of_the_query_needs_a_name_of_its_own(column: str) -> None:
    with pytest.raises(IncompatibleError, match="a table cannot have"):
        export_model(VaryingModel(column, None, ("what",), [[1.0]], [1.0], ("bm25",)), "sql")


def test_groups_may_be_numbers() -> None:
    text = export_model(VaryingModel("flag", None, ("0", "1"), [[1.0], [3.0]], [0.0], ("bm25",)), "sql").text
    assert [sql_scores(text, {"bm25": [2.0]}, {"flag": flag}) for flag in (0, 1, 2)] == [[2.0], [6.0], [0.0]]
