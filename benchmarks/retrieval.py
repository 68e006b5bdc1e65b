"""How many queries a second find their 1000 best documents by BM25, from the whole collection?

Data: the NPL collection (11,429 abstracts, 93 queries), and 300,000 documents of words in a row taken from four small
collections of abstracts at random, with the queries of all four. Terms are the same on both sides.
Baseline: bm25s, which computes every score when it indexes: with numba in one thread and in two, and with numpy, as it
comes. We start with an index that knows no scores, so the first round computes them; that round is reported apart. Our
side also splits and stems the text of the queries, theirs is given terms.
Answers: the scores of both must agree to float32's precision at every rank before anything is timed.
"""

from __future__ import annotations

import argparse
import os
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

import bm25s
import numpy as np
from harness import compare, machine, report

from rankmax.formats.topics import read_topics
from rankmax.retrieval.analysis.analyzer import Analyzer
from rankmax.retrieval.features import BM25
from rankmax.retrieval.index.builder import build_index
from rankmax.retrieval.index.document_files import Document, read_documents
from rankmax.retrieval.queries.query import Query
from rankmax.retrieval.search.collection_search import Searcher

DATA = Path(os.environ.get("RANKMAX_DATA") or Path(__file__).parents[2] / "shared" / "data") / "text"
ANALYZER = Analyzer(stop="english", stemmer="porter2")
DEPTH = 1000
LARGE = 300_000


def texts_of(name):
    return [" ".join(document.fields.values()) for document in read_documents(DATA / name / "docs.jsonl.gz")]


def topics_of(name):
    return {f"{name}{i}": text for i, text in read_topics(DATA / name / "queries.tsv.gz").items()}


def resampled(texts, n_documents, rng):
    """Documents of one to five pieces of 25 words."""
    words = " ".join(texts).split()
    for n_pieces in rng.integers(1, 6, n_documents):
        yield " ".join(" ".join(words[first : first + 25]) for first in rng.integers(0, len(words) - 25, n_pieces))


class Theirs:
    """An index of bm25s, and the terms of the queries."""

    def __init__(self, texts, topics, backend):
        terms = [ANALYZER.analyze(text) for text in texts]
        self.model = bm25s.BM25(method="lucene", k1=1.2, b=0.75, backend=backend)
        self.model.index(terms, show_progress=False)
        known = self.model.vocab_dict
        self.queries = [[t for t in ANALYZER.analyze(text) if t in known] or [""] for text in topics.values()]

    def search(self, n_threads=0):
        """Search for all queries."""
        return self.model.retrieve(self.queries, k=DEPTH, show_progress=False, n_threads=n_threads)


def check_answers(index, topics, theirs):
    searcher = Searcher(index, BM25())
    scores = theirs.search().scores
    for text, found in zip(topics.values(), scores, strict=True):
        ours = searcher.search(Query(index, text), DEPTH).scores
        np.testing.assert_allclose(ours, found[: len(ours)], rtol=1e-5)
        assert not found[len(ours) :].any()


def measure(name, texts, topics, folder, repeats):
    index = build_index((Document(str(n), {"text": text}) for n, text in enumerate(texts)), folder, analyzer=ANALYZER)
    n_postings = sum(
        index.document_frequency(term, "text") for text in topics.values() for term in set(ANALYZER.analyze(text))
    ) / len(topics)
    report(name, documents=index.n_documents, queries=len(topics), postings_a_query=f"{n_postings:,.0f}")
    searcher = Searcher(index, BM25())

    def ours():
        for text in topics.values():
            searcher.search(Query(index, text), DEPTH)

    # As search_topics does, but with searchers that last from round to round.
    searchers, halves = (
        (Searcher(index, BM25()), Searcher(index, BM25())),
        [list(topics.values())[n::2] for n in (0, 1)],
    )

    def search_half(half):
        for text in halves[half]:
            searchers[half].search(Query(index, text), DEPTH)

    def ours_in_two():
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(search_half, (0, 1)))

    start = time.perf_counter()
    ours()
    report(f"{name}, first round", queries_a_second=f"{len(topics) / (time.perf_counter() - start):,.0f}")
    for backend in ("numba", "numpy"):
        theirs = Theirs(texts, topics, backend)
        check_answers(index, topics, theirs)
        ratio = compare(ours, theirs.search, repeats=repeats)
        speed = [f"{len(topics) / min(times):,.0f}" for times in (ratio.ours, ratio.theirs)]
        report(f"{name}, one thread, bm25s with {backend}", ratio=ratio, best_queries_a_second=" and ".join(speed))
        if backend == "numba":
            ratio = compare(ours_in_two, lambda theirs=theirs: theirs.search(n_threads=2), repeats=repeats)
            report(f"{name}, two threads", ratio=ratio)
        del theirs


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--small", action="store_true", help="only the NPL collection")
    parser.add_argument("--repeats", type=int, default=7)
    options = parser.parse_args()
    if not DATA.is_dir():
        print(f"skipped: no data in {DATA} (set RANKMAX_DATA)")
        return
    print(machine())
    with TemporaryDirectory() as folder:
        measure("NPL", texts_of("npl"), topics_of("npl"), Path(folder, "npl"), options.repeats)
        if not options.small:
            names = ("npl", "cranfield", "cacm", "cisi")
            pool = [text for name in names for text in texts_of(name)]
            topics = {i: text for name in names for i, text in topics_of(name).items()}
            texts = list(islice(resampled(pool, LARGE, np.random.default_rng(0)), LARGE))
            measure("resampled", texts, topics, Path(folder, "large"), options.repeats)


if __name__ == "__main__":
    main()
