from __future__ import annotations

import pytest

from rankmax.engines.registry import TARGETS, export_model
from rankmax.errors import IncompatibleError
from rankmax.models import LinearModel
from rankmax.models.expected_gain_model import ExpectedGainModel

SUMS = ["elasticsearch-ltr", "elasticsearch-retriever", "opensearch-hybrid", "opensearch-ltr", "solr"]


@pytest.mark.parametrize("target", SUMS)
def test_an_expected_gain_is_no_weighted_sum(target: str) -> None:
    model = ExpectedGainModel([0, 1], [0, 1], [[0.0], [1.0]], [0.0, 0.0], ("bm25",))
    with pytest.raises(IncompatibleError, match="cannot compute an expected gain: export to vespa, python or sql"):
        export_model(model, target)


@pytest.mark.parametrize("target", SUMS)
def test_binned_features_are_no_plain_features(target: str) -> None:
    with pytest.raises(IncompatibleError, match=r"thresholds such as 'bm25>2': .*without rankmax train --bins"):
        export_model(LinearModel([1.0], ("bm25>2",)), target)


@pytest.mark.parametrize("target", TARGETS)
def test_a_model_of_zeros_ranks_nothing(target: str) -> None:
    with pytest.raises(IncompatibleError, match="every weight of the model is 0"):
        export_model(LinearModel([0.0], ("bm25",)), target)
