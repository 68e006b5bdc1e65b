from __future__ import annotations

import pytest

from rankmax.cli.export import TARGET_NAMES
from rankmax.errors import IncompatibleError, UnknownNameError
from rankmax.export.named import TARGETS, export_model
from rankmax.models import LinearModel
from rankmax.models.varying import VaryingModel


def test_the_command_knows_every_target() -> None:
    assert list(TARGETS) == TARGET_NAMES


def test_an_unknown_target_is_named_with_those_known() -> None:
    with pytest.raises(UnknownNameError, match="unknown target 'sorl'; did you mean 'solr'"):
        export_model(LinearModel([1.0], ("bm25",)), "sorl")


@pytest.mark.parametrize("target", [name for name in TARGETS if TARGETS[name].write_varying is None])
def test_weights_that_depend_on_the_query_are_refused_with_the_remedy(target: str) -> None:
    model = VaryingModel("kind", None, ("what",), [[1.0]], [2.0], ("bm25",))
    with pytest.raises(IncompatibleError, match=r"depend on 'kind': .*--at VALUE.*python or sql"):
        export_model(model, target)


@pytest.mark.parametrize("target", [name for name in TARGETS if name != "opensearch-hybrid"])
def test_names_of_features_stay_in_their_place(target: str) -> None:
    # A line break in a name must not end a comment.
    text = export_model(LinearModel([1.0, 1.0], ("a", "b\nEVIL"), metric="AP\nEVIL"), target).text
    assert [line for line in text.splitlines() if line == "EVIL"] == []
