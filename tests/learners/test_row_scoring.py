from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from rankmax.errors import IncompatibleError, InvalidDataError
from rankmax.learners.row_scoring import score_rows
from rankmax.models import LinearModel
from rankmax.preprocessing.feature_normalization import MinMax


def test_rows_keep_their_order() -> None:
    model = LinearModel([1.0], ("bm25",), MinMax())
    np.testing.assert_allclose(score_rows(model, [[1.0], [8.0], [3.0], [4.0]], ["a", "b", "a", "b"]), [0, 1, 1, 0])


def test_columns_of_a_frame_are_found_by_name() -> None:
    model = LinearModel([1.0, 10.0], ("bm25", "e5"))
    frame = pd.DataFrame({"e5": [1.0, 2.0], "other": [0.0, 0.0], "bm25": [3.0, 4.0]})
    np.testing.assert_allclose(score_rows(model, frame), [13.0, 24.0])


def test_a_matrix_must_have_as_many_columns() -> None:
    with pytest.raises(InvalidDataError, match="X has 2 features, but LinearModel is expecting 1"):
        score_rows(LinearModel([1.0], ("bm25",)), [[1.0, 2.0]])


@pytest.mark.parametrize("model", [LinearModel([1.0], ("bm25",), MinMax()), LinearModel([1.0], ("min-max(bm25)>0.5",))])
def test_what_looks_at_a_query_needs_queries(model: LinearModel) -> None:
    frame = pd.DataFrame({"bm25": [1.0, 2.0]})
    with pytest.raises(IncompatibleError, match="normalization 'min-max' within each query; give qid"):
        score_rows(model, frame)
    np.testing.assert_allclose(score_rows(model, frame, [1, 1]), [0.0, 1.0])
