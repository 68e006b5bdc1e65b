from __future__ import annotations

import json
from pathlib import Path

import pytest


@pytest.fixture
def certificate(rankmax, letor_files: Path) -> Path:
    rankmax("prove", "data.txt", "-m", "RR", "-o", "proof.json")
    return letor_files / "proof.json"


def test_confirms_what_is_true(rankmax, certificate: Path) -> None:
    done = rankmax("verify", "proof.json", "data.txt")
    assert done.status == 0
    assert "no weights exceed 1.000000 on these queries (gap 0.000000)" in done.out
    told = json.loads(rankmax("verify", "proof.json", "data.txt", "--json").out)
    assert (told["verified"], told["value"], told["bound"], told["metric"]) == (True, 1.0, 1.0, "RR")


def test_status_1_for_a_false_claim_or_other_data(rankmax, certificate: Path) -> None:
    claimed = json.loads(certificate.read_text())
    certificate.write_text(json.dumps(claimed | {"value": 0.5}))
    false = rankmax("verify", "proof.json", "data.txt")
    assert (false.status, "the weights give 1.000000000, not 0.500000000" in false.err) == (1, True)
    certificate.write_text(json.dumps(claimed))
    (certificate.parent / "other.txt").write_text("1 qid:1 1:1 2:0\n0 qid:1 1:0 2:1\n")
    assert "other data" in rankmax("verify", "proof.json", "other.txt").err
    assert "not a rankmax certificate" in rankmax("verify", "data.txt", "data.txt").err
