"""Nallapati's six against Table 1."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from oracles.text_features import NALLAPATI, Definition
from oracles.texts import Case, cases
from rankmax.retrieval.features import (
    LogFrequency,
    LogInverseDocuments,
    LogInverseOccurrences,
    LogShare,
    LogShareByDocuments,
    LogShareByOccurrences,
    parse_feature,
)
from rankmax.retrieval.features.nallapati import SharedTerms

SIX = [LogFrequency, LogShare, LogInverseDocuments, LogInverseOccurrences, LogShareByDocuments, LogShareByOccurrences]


@pytest.mark.parametrize(("feature", "definition"), list(zip(SIX, NALLAPATI, strict=True)))
@settings(max_examples=15)
@given(cases())
def test_each_is_its_definition(feature: type[SharedTerms], definition: Definition, case: Case) -> None:
    case.check(feature(fields=case.fields), definition)


@pytest.mark.parametrize("feature", SIX)
def test_names_lead_back(feature: type[SharedTerms]) -> None:
    for one in (feature(), feature(fields=("title", "text"))):
        assert parse_feature(one.name) == one
