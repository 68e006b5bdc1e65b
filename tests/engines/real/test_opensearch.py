"""Exports in a real OpenSearch, which fuses or reranks replayed runs, against what `rankmax rank` writes."""

from __future__ import annotations

from pathlib import Path

import pytest

from engines import opensearch
from engines.replay import OpenSearchReplay, Runs, agreement, in_single_precision, predicted
from engines.server import call
from rankmax.engines.connectors.engine import Connection
from rankmax.engines.connectors.opensearch import OpenSearch
from rankmax.formats.trec import read_run
from rankmax.models import LinearModel, Provenance
from rankmax.preprocessing.feature_normalization import Normalization
from rankmax.preprocessing.run_normalization import L2, OpenSearchMinMax, OpenSearchZScore, ReciprocalRank

FOLDER = Path(__file__).parents[3] / ".engines" / "opensearch"
NORMALIZATIONS = [OpenSearchMinMax(), L2(), OpenSearchZScore(), ReciprocalRank(60)]
SYSTEMS = ("bm25", "splade", "monot5")
WEIGHTS = {"bm25": 0.2, "splade": 0.5, "monot5": 0.3}
SINGLE = 2e-5  # z-scores near the mean lose digits

TOY: Runs = {
    "lexical": {
        "ties": {"a": 3.0, "b": 2.0, "c": 2.0, "d": 1.0},
        "equal": {"a": 2.0, "b": 2.0},
        "single": {"a": 5.0},
        "mean": {"a": 3.0, "b": 2.0, "c": 1.0},
        "missing": {"a": 3.0, "b": 1.0},
    },
    "dense": {
        "ties": {"d": 0.9, "c": 0.5, "b": 0.5, "e": 0.1},
        "equal": {"b": 0.25, "c": 0.75},
        "single": {"b": 0.5, "c": 0.25},
        "mean": {"a": 0.25, "b": 0.75, "c": 0.5},
        "missing": {"c": 0.75, "d": 0.5},
    },
}


@pytest.fixture(scope="module")
def address(opensearch_address: str) -> str:
    return opensearch_address


@pytest.fixture(scope="module")
def runs(shared_data: Path) -> Runs:
    folder = shared_data / "runs" / "dl19-passage"
    return in_single_precision({name: read_run(folder / f"{name}.run.gz").to_dict() for name in SYSTEMS})


@pytest.fixture(scope="module")
def replay(address: str, runs: Runs) -> OpenSearchReplay:
    return OpenSearchReplay(address, runs)


def weighing(systems: tuple[str, ...], normalization: Normalization, depth: int = 100) -> LinearModel:
    weights = [WEIGHTS.get(name, 0.4) for name in systems]
    weights = [weight / sum(weights) for weight in weights]
    return LinearModel(weights, systems, normalization, provenance=Provenance(parameters={"depth": depth}))


def check(found: dict[str, list[tuple[str, float]]], model: LinearModel, runs: Runs) -> None:
    expected = predicted(model, runs)
    compared = agreement(found, expected)
    assert compared.alike == compared.queries == len(expected)
    assert compared.difference < SINGLE


@pytest.mark.parametrize("normalization", NORMALIZATIONS, ids=lambda each: each.name)
@pytest.mark.parametrize("systems", [SYSTEMS[:2], SYSTEMS], ids="-".join)
def test_hybrid_queries_rank_all_queries_of_dl19_as_rank_does(
    replay: OpenSearchReplay, runs: Runs, systems: tuple[str, ...], normalization: Normalization
) -> None:
    model = weighing(systems, normalization)
    check(replay.hybrid(model), model, runs)


@pytest.mark.parametrize("shards", [1, 3])
@pytest.mark.parametrize("normalization", NORMALIZATIONS, ids=lambda each: each.name)
def test_ties_equal_scores_single_hits_and_missing_documents(
    address: str, normalization: Normalization, shards: int
) -> None:
    if shards > 1 and isinstance(normalization, ReciprocalRank):
        pytest.skip("equal scores on different shards have no order that the index decides")
    call(f"{address}/toy*", "DELETE")
    model = weighing(tuple(TOY), normalization)
    check(OpenSearchReplay(address, TOY, index="toy", shards=shards).hybrid(model), model, TOY)


def test_a_depth_below_that_of_the_runs(replay: OpenSearchReplay, runs: Runs) -> None:
    model = weighing(SYSTEMS, OpenSearchMinMax(), depth=20)
    check(replay.hybrid(model), model, in_single_precision(runs, depth=20))


def test_several_shards_fuse_more_documents_than_the_depth(address: str) -> None:
    runs: Runs = {"lexical": {"q": {f"d{i}": 1.0 + i for i in range(40)}}, "dense": {"q": {"d0": 1.0}}}
    call(f"{address}/toy*", "DELETE")
    model = weighing(("lexical", "dense"), OpenSearchMinMax(), depth=10)
    one = OpenSearchReplay(address, runs, index="toy1").hybrid(model)["q"]
    several = OpenSearchReplay(address, runs, index="toy3", shards=3).hybrid(model)["q"]
    assert dict(one)["d31"] < dict(several)["d31"]  # it is the second lowest of the list's ten, and not of thirty


@pytest.mark.skipif(
    not opensearch.is_installed(FOLDER) or opensearch.LEARNING_TO_RANK not in opensearch.plugins(FOLDER),
    reason=f"no Learning to Rank plugin, which not every Maven mirror has: {opensearch.PLUGINS} may name a folder",
)
@pytest.mark.parametrize("ranges", [None, {"bm25": (0.0, 80.0), "splade": (10.0, 40.0)}], ids=["plain", "ranges"])
def test_the_plugin_reranks_all_queries_of_dl19_as_rank_does(
    replay: OpenSearchReplay, runs: Runs, ranges: dict[str, tuple[float, float]] | None
) -> None:
    weights = {"bm25": 0.3, "splade": 1.5, "monot5": -2.0}
    model = LinearModel(list(weights.values()), SYSTEMS)
    shift = sum(weights[name] * low for name, (low, _) in (ranges or {}).items())  # the same for all documents
    found = {q: [(d, s + shift) for d, s in hits] for q, hits in replay.reranked(model, ranges).items()}
    check(found, model, runs)


ZEROS: Runs = {
    "lexical": {"q": {"a": 2.0, "d": 1.0, "e": 0.5, "b": 0.0}},
    "dense": {"q": {"b": 0.5, "c": 0.25, "d": 0.125, "a": 0.0}},
}


@pytest.mark.parametrize("normalization", NORMALIZATIONS, ids=lambda each: each.name)
def test_a_hit_with_score_zero_is_no_hit_to_a_hybrid_query(address: str, normalization: Normalization) -> None:
    call(f"{address}/toy*", "DELETE")
    model = weighing(("lexical", "dense"), normalization)
    found = OpenSearchReplay(address, ZEROS, index="toy").hybrid(model)
    nonzero = {name: {"q": {d: s for d, s in run["q"].items() if s}} for name, run in ZEROS.items()}
    check(found, model, nonzero)
    if not isinstance(normalization, ReciprocalRank):  # ranks are those of the run, as in every other engine
        check(found, model, ZEROS)


def test_a_hit_with_score_zero_is_not_collected(address: str) -> None:
    call(f"{address}/toy*", "DELETE")
    OpenSearchReplay(address, ZEROS, index="toy")
    script = {"source": "doc['score_lexical'].value"}
    scored = {"script_score": {"query": {"exists": {"field": "score_lexical"}}, "script": script}}
    template = {"query": {"bool": {"must": [scored], "filter": [{"term": {"query": "{query}"}}]}}}
    answer = OpenSearch(Connection(address, "toy")).search(template, {"query": "q"}, 10)
    assert [hit.score for hit in answer.hits] == [2.0, 1.0, 0.5]
