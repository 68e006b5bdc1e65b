"""Gey's six against their definitions."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from oracles.text_features import GEY, Definition
from oracles.texts import Case, cases
from rankmax.retrieval.features import (
    LogCollectionShare,
    LogFrequency,
    LogInverseDocuments,
    LogQueryFrequency,
    LogQueryShare,
    LogRelativeFrequency,
    parse_feature,
)
from rankmax.retrieval.features.nallapati import SharedTerms

SIX = [
    LogQueryFrequency,
    LogQueryShare,
    LogFrequency,
    LogRelativeFrequency,
    LogInverseDocuments,
    LogCollectionShare,
]


@pytest.mark.parametrize(("feature", "definition"), list(zip(SIX, GEY, strict=True)))
@settings(max_examples=15)
@given(cases())
def test_each_is_its_definition(feature: type[SharedTerms], definition: Definition, case: Case) -> None:
    case.check(feature(fields=case.fields), definition)


@pytest.mark.parametrize("feature", SIX)
def test_names_lead_back(feature: type[SharedTerms]) -> None:
    assert parse_feature(feature(fields=("text",)).name) == feature(fields=("text",))
