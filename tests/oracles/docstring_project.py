"""A project on real texts: docstrings of numpy as documents, and vectors of a small model made on the spot."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

from rankmax import Qrels, write_qrels
from rankmax.datasets import docstrings

N_QUERIES, DIMENSION, COLUMNS = 30, 16, 1024


@dataclass(frozen=True)
class Texts:
    """Documents as (id, name, body, vector); queries as (text, vector) and judgments by id."""

    documents: list[tuple[str, str, str, list[float]]]
    queries: dict[str, tuple[str, list[float]]]
    judged: dict[str, dict[str, int]]


@cache
def docstring_texts() -> Texts:
    """Return docstrings of numpy; queries are summaries of some that are left out, and "See Also" is relevant."""
    collection = docstrings()
    named = [name for name in collection.topics if name.startswith("numpy.")]
    ids = {document.id for document in collection.documents if document.id.startswith("numpy.")}
    relevant = {query: set(grades) & ids for query, grades in collection.qrels.to_dict().items()}
    queries = [name for name in named if len(relevant.get(name, ())) > 1][::3][:N_QUERIES]
    kept = [document for document in collection.documents if document.id in ids - set(queries)]
    judged = {query: dict.fromkeys(sorted(relevant[query] - set(queries)), 1) for query in queries}
    texts = [(d.id, re.sub(r"[._]", " ", d.id), d.fields["body"]) for d in kept]
    counts = np.array([_pieces(f"{name} {body[:500]}") for _, name, body in texts])
    rarity = np.log(len(texts) / (1 + (counts > 0).sum(axis=0)))
    directions = np.linalg.svd(_scaled(counts * rarity), full_matrices=False)[2][:DIMENSION]

    def embedded(rows: np.ndarray) -> list[list[float]]:
        return [[round(x, 6) for x in row] for row in _scaled(rows * rarity @ directions.T).tolist()]

    vectors = embedded(counts)
    asked = embedded(np.array([_pieces(collection.topics[query]) for query in queries]))
    return Texts(
        [(*text, vector) for text, vector in zip(texts, vectors, strict=True)],
        {query: (collection.topics[query], vector) for query, vector in zip(queries, asked, strict=True)},
        {query: grades for query, grades in judged.items() if grades},
    )


def write_project(folder: Path, head: dict[str, Any], retrievers: dict[str, dict[str, Any]]) -> Path:
    """Write topics, judgments, query vectors and a project file; templates with a vector get those of the queries."""
    texts = docstring_texts()
    lines = [f"{query}\t{' '.join(text.split())}\n" for query, (text, _) in texts.queries.items()]
    (folder / "topics.tsv").write_text("".join(lines))
    write_qrels(Qrels.from_dict(texts.judged), folder / "qrels.txt")
    rows = [json.dumps({"id": query, "vector": vector}) + "\n" for query, (_, vector) in texts.queries.items()]
    (folder / "vectors.jsonl").write_text("".join(rows))
    content = [f"{key} = {json.dumps(value)}" for key, value in head.items()]
    content += ['topics = "topics.tsv"', 'qrels = "qrels.txt"', 'metric = "nDCG@10"']
    for name, body in retrievers.items():
        content += [f"[retrievers.{name}]", f"template = '{json.dumps(body)}'"]
        content += ['vector = { file = "vectors.jsonl" }'] if "{vector}" in json.dumps(body) else []
    path = folder / "rankmax.toml"
    path.write_text("\n".join(content) + "\n")
    return path


def _pieces(text: str) -> np.ndarray:
    """Return counts of pieces of four letters, hashed to some columns."""
    counts = np.zeros(COLUMNS)
    for word in re.findall("[a-z]+", text.lower()):
        for start in range(max(1, len(word) - 1)):
            counts[crc32(f" {word} "[start : start + 4].encode()) % COLUMNS] += 1
    return np.log1p(counts)


def _scaled(vectors: np.ndarray) -> np.ndarray:
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
