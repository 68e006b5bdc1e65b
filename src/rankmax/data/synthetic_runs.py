"""A seeded collection of runs and judgments, to try tuning and comparing on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankmax.data.runs import Qrels, Run
from rankmax.errors import InvalidParameterError

SYSTEMS = {"bm25": (0.9, 0.3, 12.0, 2.5), "dense": (1.0, 0.3, 0.7, 0.04), "sparse": (1.1, 0.8, 20.0, 5.0)}
"""For each system: how well it sees relevance, its share of an error common to all, its scores' mean and spread."""

_RELEVANT_SHARES = (0.08, 0.02)  # of the documents have grade 1 or more, and grade 2


@dataclass(frozen=True, eq=False)
class SyntheticRuns:
    """Judgments, and the runs of three systems.

    Attributes
    ----------
    qrels : Qrels
    runs : dict of str to Run
    """

    qrels: Qrels
    runs: dict[str, Run]


def synthetic_runs(n_queries: int, n_documents: int, *, seed: int) -> SyntheticRuns:
    """Make runs of three systems that see relevance differently well and make different errors.

    Scores of each system have a range of their own, as those of BM25, of embeddings and of a sparse model do.

    Parameters
    ----------
    n_queries : int
    n_documents : int
        Judged documents of each query; each system retrieves half of them.
    seed : int

    Examples
    --------
    >>> made = synthetic_runs(5, 20, seed=1)
    >>> list(made.runs), len(made.runs["bm25"].to_dict()["q1"])
    (['bm25', 'dense', 'sparse'], 10)
    """
    if min(n_queries, n_documents) < 1:
        raise InvalidParameterError(f"{n_queries} queries of {n_documents} documents; expected at least 1 of each")
    depth = -(-n_documents // 2)
    rng = np.random.default_rng(seed)
    quality, shared = rng.standard_normal((2, n_queries, n_documents))
    best_first = np.argsort(np.argsort(-quality, axis=1), axis=1)
    grades = sum((best_first < np.ceil(share * n_documents)).astype(np.int64) for share in _RELEVANT_SHARES)
    queries = [f"q{q + 1}" for q in range(n_queries)]
    runs = {}
    for name, (sight, share, center, spread) in SYSTEMS.items():
        errors = share * shared + rng.standard_normal(quality.shape)
        scores = np.round(center + spread * (sight * quality + errors), 4)
        runs[name] = Run.from_dict(
            {
                query: {f"d{d + 1}": float(row[d]) for d in np.argsort(-row, kind="stable")[:depth]}
                for query, row in zip(queries, scores, strict=True)
            },
            tag=name,
        )
    judged = {
        query: {f"d{d + 1}": int(grade) for d, grade in enumerate(row)}
        for query, row in zip(queries, np.asarray(grades), strict=True)
    }
    return SyntheticRuns(Qrels.from_dict(judged), runs)
