"""Small runs with judgments, in which some ids are hostile."""

from __future__ import annotations

from pathlib import Path

import numpy as np

NASTY = "<img/src=x/onerror=document.title=1>"


def write_runs(folder: Path, systems: tuple[str, ...] = ("bm25", "e5", "splade"), n_queries: int = 12) -> None:
    """Write `qrels.txt` and a run for each system, the later ones better than the earlier."""
    rng = np.random.default_rng(2)
    queries = [NASTY, *(f"q{q}" for q in range(1, n_queries))]
    documents = [f"{NASTY}{d}" if d == 3 else f"d{d}" for d in range(12)]
    qrels: list[str] = []
    lines: dict[str, list[str]] = {name: [] for name in systems}
    for query in queries:
        relevant = np.isin(range(12), rng.choice(12, 4, replace=False))
        qrels += [f"{query} 0 {documents[d]} {int(relevant[d])}\n" for d in range(12)]
        for i, name in enumerate(systems):
            scores = rng.normal(size=12) + (0.6 + 0.6 * i) * relevant
            best = np.argsort(-scores)[:8]
            lines[name] += [f"{query} Q0 {documents[d]} {r} {scores[d]:.4f} x\n" for r, d in enumerate(best, start=1)]
    (folder / "qrels.txt").write_text("".join(qrels))
    for name, own in lines.items():
        (folder / f"{name}.run").write_text("".join(own))
