"""Sets of systems with judgments, of several kinds, for benchmarks/decisions.py.

DL19         Six systems of TREC 2019 Deep Learning.
text         Four collections, and the docstrings that come with the package: nine retrieval functions each, of three
             families (lexical with and without stemming, latent semantic indexing, character n-grams).
~            The same runs with scores as many TREC runs have them: exponentiated, reciprocal ranks, 1001 - rank.
LETOR        Two to six of the 24 best features of three collections, as a log.
"""

from __future__ import annotations

import tempfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import combinations
from pathlib import Path

import numpy as np
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer

from rankmax.data.runs import Qrels, Run
from rankmax.data.splits import concatenate
from rankmax.datasets import docstrings
from rankmax.formats.letor import read_letor
from rankmax.formats.topics import read_topics
from rankmax.formats.trec import read_qrels, read_run
from rankmax.fusion.signals import Signals, signals_of_features, signals_of_runs
from rankmax.metrics import AP, nDCG
from rankmax.retrieval.analysis.analyzer import Analyzer
from rankmax.retrieval.index.builder import build_index
from rankmax.retrieval.index.document_files import Document, read_documents
from rankmax.workflows.searching.topic_search import load_ranker, search_topics

METRICS = (AP(), nDCG(cutoff=10))
DEVELOPMENT = ("cacm", "cacm~", "cranfield", "cranfield~", "docstrings", "MQ2008")
"""Kinds of data on which rankmax.fusion.priors were chosen; all others are reported."""
REPORTED = ("DL19", "DL19~", "cisi", "cisi~", "npl", "npl~", "OHSUMED", "MQ2007")
LETOR = ("MQ2007", "MQ2008", "OHSUMED")
_FUNCTIONS = ("bm25", "dirichlet", "jelinek-mercer", "tfidf", "sdm")
_DEPTH, _MOST_QUERIES = 100, 200


def problems(kind: str, root: Path, sizes: Mapping[int, int]) -> Iterator[Signals]:
    """Yield sets of systems of one kind, so many of each size, drawn at random but always the same."""
    rng = np.random.default_rng(zlib.crc32(kind.encode()))
    if kind in LETOR:
        data = letor_features(root, kind, rng)
        for names in _drawn(data.names, sizes, rng):
            yield Signals(data.data.select_features(list(names)))
        return
    qrels, runs = systems(root, kind.rstrip("~"))
    if kind.endswith("~"):
        runs = {name: distorted(run, int(rng.integers(4))) for name, run in runs.items()}
    for names in _drawn(tuple(runs), sizes, rng):
        yield signals_of_runs({name: runs[name] for name in names}, qrels).counted_by(METRICS)


def _drawn(names: Sequence[str], sizes: Mapping[int, int], rng: np.random.Generator) -> Iterator[tuple[str, ...]]:
    for size, count in sizes.items():
        every = list(combinations(sorted(names), size))
        for i in rng.permutation(len(every))[:count]:
            yield every[i]


def letor_features(root: Path, name: str, rng: np.random.Generator) -> Signals:
    """Return the best features of a collection, for some of its queries."""
    parts = [read_letor(root / "letor" / name / f"S{i}.txt.gz") for i in range(1, 6)]
    signals = signals_of_features(concatenate(parts)).counted_by(METRICS)
    signals = signals_of_features(signals.select(_some(signals.data.n_queries, rng)).data)
    value = {name: float(signals.alone(name, METRICS[1:]).mean()) for name in signals.names}
    return Signals(signals.data.select_features(sorted(value, key=value.__getitem__)[-24:]))


def _some(n_queries: int, rng: np.random.Generator) -> np.ndarray:
    return np.sort(rng.permutation(n_queries)[:_MOST_QUERIES])


@lru_cache
def systems(root: Path, kind: str) -> tuple[Qrels, dict[str, Run]]:
    """Return judgments, and runs by system."""
    if kind == "DL19":
        folder = root / "runs" / "dl19-passage"
        runs = {path.name.split(".")[0]: read_run(path) for path in sorted(folder.glob("*.run.gz"))}
        return read_qrels(folder / "qrels.trec.gz"), runs
    if kind == "docstrings":
        collection = docstrings()
        names = list(collection.topics)
        chosen = [names[i] for i in _some(len(names), np.random.default_rng(0))]
        topics = {name: collection.topics[name] for name in chosen}
        return collection.qrels, _retrieved(list(collection.documents), topics, "name")
    folder = root / "text" / kind
    nosource = folder / "qrels_nosource.trec.gz"
    qrels = read_qrels(nosource if nosource.exists() else folder / "qrels.trec.gz")
    judged = set(qrels.query_ids)
    topics = {name: text for name, text in read_topics(folder / "queries.tsv.gz").items() if name in judged}
    documents = list(read_documents(folder / "docs.jsonl.gz"))
    titled = any(document.fields.get("title") for document in documents)
    return qrels, _retrieved(documents, topics, "title" if titled else None)


def _retrieved(documents: list[Document], topics: dict[str, str], title: str | None) -> dict[str, Run]:
    runs = {}
    with tempfile.TemporaryDirectory() as place:
        index = build_index(documents, Path(place) / "stemmed", analyzer=Analyzer(stemmer="porter2"))
        for name in (*_FUNCTIONS, *([f"bm25:{title}"] if title else [])):
            runs[name.replace(":", "-")] = search_topics(index, topics, load_ranker(name), _DEPTH)
        index = build_index(documents, Path(place) / "words", analyzer=Analyzer(stemmer="none"))
        runs["bm25-words"] = search_topics(index, topics, load_ranker("bm25(k1=0.9,b=0.4)"), _DEPTH)
    texts = [" ".join(map(str, document.fields.values())) for document in documents]
    words = TfidfVectorizer(sublinear_tf=True, stop_words="english", min_df=2)
    reduced = TruncatedSVD(100, random_state=0)
    vectors = _unit(reduced.fit_transform(words.fit_transform(texts)))
    queries = _unit(reduced.transform(words.transform(topics.values())))
    ids = [document.id for document in documents]
    runs["lsi"] = _nearest(queries @ vectors.T, list(topics), ids)
    grams = TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 5), sublinear_tf=True, min_df=2)
    by_grams = grams.fit_transform(texts)
    runs["chars"] = _nearest((grams.transform(topics.values()) @ by_grams.T).toarray(), list(topics), ids)
    return runs


def _unit(vectors: np.ndarray) -> np.ndarray:
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)


def _nearest(scores: np.ndarray, topics: list[str], ids: list[str]) -> Run:
    best = np.argsort(-scores, axis=1, kind="stable")[:, :_DEPTH]
    rows = zip(topics, scores, best, strict=True)
    return Run.from_dict({query: {ids[d]: float(row[d]) for d in top if row[d] > 0} for query, row, top in rows})


def distorted(run: Run, how: int) -> Run:
    """Return the run with other scores for the same ranking."""
    lists = {}
    for query, scored in run.to_dict().items():
        scores = np.array(list(scored.values()))
        z = (scores - scores.mean()) / (scores.std() + 1e-9)
        ranks = np.argsort(np.argsort(-scores, kind="stable")) + 1.0
        other = (scores - scores.min() + 0.001, np.exp(2 * z), 1 / ranks, 1001 - ranks)[how]
        lists[query] = dict(zip(scored, other.tolist(), strict=True))
    return Run.from_dict(lists)
