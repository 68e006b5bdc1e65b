"""A project with a search engine of its own: documents, topics, qrels and a server that computes in plain Python."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from oracles.opensearch_server import OpenSearchServer

WORDS = [f"w{n}" for n in range(30)]
N_QUERIES, N_DOCUMENTS, DEPTH = 12, 60, 30


@dataclass
class Deployed:
    """A project file and its engine."""

    path: Path
    server: OpenSearchServer

    def change(self, old: str, new: str) -> None:
        text = self.path.read_text()
        assert old in text
        self.path.write_text(text.replace(old, new))


@contextmanager
def deployed_project(tmp_path: Path) -> Iterator[Deployed]:
    """Write a project into a folder, and run its engine."""
    draw = random.Random(1)

    def documents(prefix: str) -> dict[str, tuple[str, list[float]]]:
        return {
            f"{prefix}{n}": (" ".join(draw.choices(WORDS, k=draw.randrange(5, 40))), [draw.gauss(0, 1) for _ in "abcd"])
            for n in range(N_DOCUMENTS)
        }

    server = OpenSearchServer({"docs": documents("d"), "old": documents("old")})
    queries = {f"q{n}": draw.sample(WORDS, 3) for n in range(N_QUERIES)}
    (tmp_path / "topics.tsv").write_text("".join(f"{q}\t{' '.join(words)}\n" for q, words in queries.items()))
    lines = [{"id": q, "vector": [draw.gauss(0, 1) for _ in "abcd"]} for q in queries]
    (tmp_path / "vectors.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    judged = [f"{q} 0 d{n} {draw.randrange(2)}\n" for q in queries for n in draw.sample(range(N_DOCUMENTS), 20)]
    (tmp_path / "qrels.txt").write_text("".join(judged))
    path = tmp_path / "rankmax.toml"
    path.write_text(f"""
engine = "opensearch"
address = "{server.url}"
index = "docs"
topics = "topics.tsv"
qrels = "qrels.txt"
depth = {DEPTH}

[requests]
parallel = 3
retries = 3
timeout = 5

[retrievers.bm25]
template = {{ query = {{ match = {{ body = "{{query}}" }} }} }}

[retrievers.dense]
template = '{{"query": {{"knn": {{"embedding": {{"vector": "{{vector}}", "k": "{{depth}}"}}}}}}}}'
vector = {{ file = "vectors.jsonl" }}
""")
    try:
        yield Deployed(path, server)
    finally:
        server.stop()
