from __future__ import annotations

from pathlib import Path

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from rankmax.data.dataset import RankingDataset
from rankmax.data.judging import join_runs
from rankmax.data.runs import Qrels, Run
from rankmax.errors import InvalidDataError
from rankmax.formats.trec import write_run
from rankmax.models import LinearModel
from rankmax.models.ranking_model import fuse_runs, run_of
from rankmax.preprocessing.feature_normalization import Normalization
from rankmax.preprocessing.registry import normalization_names
from rankmax.workflows.proofs.proven_optimum import prove_optimum

LISTS = st.dictionaries(st.sampled_from("abcdeF"), st.sampled_from([0.0, 1.0, 2.0, -1.0]), min_size=1, max_size=6)
THREE_RUNS = st.fixed_dictionaries(
    {name: st.dictionaries(st.sampled_from(["q1", "q2", "10"]), LISTS, min_size=1) for name in ("a", "b", "c")}
)


def test_documents_keep_their_ids() -> None:
    data = RankingDataset.from_arrays([[1.0], [2.0]], [0, 1], qid=["q", "q"], document_ids=["x", "y"])
    run = run_of(data, data.scores([1.0]), tag="mine")
    assert (run.to_dict(), run.tag) == ({"q": {"x": 1.0, "y": 2.0}}, "mine")


def test_ids_with_blanks_are_refused() -> None:
    data = RankingDataset.from_arrays([[1.0]], [0], qid=["two words"])
    with pytest.raises(InvalidDataError, match="query id 'two words'"):
        run_of(data, data.scores([1.0]))


@pytest.mark.parametrize("normalization", normalization_names())
def test_the_order_of_the_runs_changes_no_byte(normalization: str, tmp_path: Path) -> None:
    model = LinearModel([0.2, 0.3, 0.5], ("a", "b", "c"), Normalization.named(normalization))

    @settings(max_examples=20)
    @given(THREE_RUNS, st.permutations("abc"))
    def check(scores: dict[str, dict[str, dict[str, float]]], order: list[str]) -> None:
        for name, runs in (("forth", scores), ("back", {name: scores[name] for name in order})):
            write_run(fuse_runs(model, {n: Run.from_dict(run) for n, run in runs.items()}), tmp_path / name)
        assert (tmp_path / "forth").read_bytes() == (tmp_path / "back").read_bytes()

    check()


def test_the_order_of_the_runs_changes_no_proof() -> None:
    runs = {
        "a": Run.from_dict({"q1": {"d1": 1.0, "d2": 1.0, "d3": 1.0}, "q2": {"d1": 2.0, "d4": 2.0}}),
        "b": Run.from_dict({"q1": {"d3": 3.0, "d2": 2.0}, "q2": {"d4": 1.0, "d1": 1.0, "d2": 1.0}}),
        "c": Run.from_dict({"q1": {"d4": 1.0, "d1": 1.0}, "q2": {"d2": 5.0}}),
    }
    qrels = Qrels.from_dict({"q1": {"d1": 1, "d4": 1}, "q2": {"d4": 2, "d1": 1}})
    proofs = [
        prove_optimum(join_runs({n: runs[n] for n in order}, qrels, missing="zero"), metric="AP", normalization=kind)
        for kind in ("reciprocal-rank",)
        for order in ("abc", "cba", "bac")
    ]
    assert {(proof.value, proof.bound) for proof in proofs} == {(proofs[0].value, proofs[0].bound)}


def test_a_score_of_zero_is_a_score_and_not_a_missing_document() -> None:
    runs = {"a": Run.from_dict({"q": {"x": 0.0, "y": 0.0}}), "b": Run.from_dict({"q": {"z": 4.0, "x": 2.0}})}
    l2 = fuse_runs(LinearModel([1.0, 1.0], ("a", "b"), Normalization.named("l2")), runs).to_dict()["q"]
    assert l2 == pytest.approx({"x": 0.2**0.5, "y": 0.0, "z": 0.8**0.5})
    stretched = fuse_runs(LinearModel([1.0, 1.0], ("a", "b"), Normalization.named("min-max")), runs).to_dict()["q"]
    assert stretched == {"x": 0.5, "y": 0.0, "z": 1.0}
