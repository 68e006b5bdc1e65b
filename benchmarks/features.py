"""How many pairs of query and document get their features in a second?

Data: the NPL and Cranfield collections (11,429 and 1,400 abstracts); the judged documents of each query, and the 1,000
best by BM25. Queries are those of the collection, and, as short ones, all pairs of neighboring terms in them.
Baseline: the definition of the proximity features in plain Python, from lists of positions by term and document.
Answers: both give the same values, to rounding, before anything is timed.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections import defaultdict
from itertools import combinations, pairwise
from math import log
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from harness import compare, machine, report, seconds

from rankmax.data.runs import Qrels
from rankmax.formats.topics import read_topics
from rankmax.formats.trec import read_qrels
from rankmax.retrieval.analysis.analyzer import Analyzer
from rankmax.retrieval.extraction.candidate_pools import listed_candidates, top_candidates
from rankmax.retrieval.extraction.extraction import extract
from rankmax.retrieval.features import BM25, feature_set
from rankmax.retrieval.index.builder import build_index
from rankmax.retrieval.index.document_files import read_documents
from rankmax.retrieval.queries.query import Query

DATA = Path(os.environ.get("RANKMAX_DATA") or Path(__file__).parents[2] / "shared" / "data")
TARGET = 100_000


def short_queries(index, topics, qrels):
    """Return every pair of neighboring terms as a query, judged as the query that it comes from."""
    texts, grades = {}, {}
    judged = qrels.to_dict()
    for query_id, text in topics.items():
        if query_id in judged:
            for number, pair in enumerate(pairwise(Query(index, text).terms)):
                texts[f"{query_id}.{number}"] = " ".join(pair)
                grades[f"{query_id}.{number}"] = judged[query_id]
    return texts, Qrels.from_dict(grades)


class PlainPython:
    """The proximity features from positions in dictionaries; it has looked them up before it is timed."""

    def __init__(self, index, mu):
        self.mu, self.total = mu, sum(index.n_occurrences(field) for field in index.fields)
        self.lengths = sum(index.lengths(field) for field in index.fields).tolist()
        self.places = defaultdict(lambda: defaultdict(list))
        for term in index.terms:
            for field in index.fields:
                found = index.postings(term, field)
                offsets = found.offsets.tolist()
                for d, a, b in zip(found.documents.tolist(), offsets[:-1], offsets[1:], strict=True):
                    self.places[term][d].append((field, found.positions[a:b].tolist()))

    def features(self, terms, documents):
        """Return the three features of each document, for a query of two different terms."""
        pairs = list(combinations(terms, 2))
        counts = [{d: len(self._positions(t, d)) for d in self.places[t]} for t in terms]
        ordered = [self._pair_counts(a, b, self._phrases) for a, b in pairs]
        unordered = [self._pair_counts(a, b, self._windows) for a, b in pairs]
        return [[self._smoothed(group, d) for group in (counts, ordered, unordered)] for d in documents]

    def _positions(self, term, document):
        # Fields are kept apart by a gap that no window spans.
        fields = sorted(self.places[term][document])
        return [(1_000_000 if field == "title" else 0) + p for field, positions in fields for p in positions]

    def _pair_counts(self, a, b, count):
        common = self.places[a].keys() & self.places[b].keys()
        counted = {d: count(sorted(self._positions(a, d)), sorted(self._positions(b, d))) for d in common}
        return {d: n for d, n in counted.items() if n}

    def _phrases(self, first, second):
        following = set(second)
        return sum(p + 1 in following for p in first)

    def _windows(self, first, second):
        count = i = j = 0
        while i < len(first) and j < len(second):
            if abs(first[i] - second[j]) < 8:
                count += 1
                after = max(first[i], second[j])
                i = next((k for k in range(i, len(first)) if first[k] > after), len(first))
                j = next((k for k in range(j, len(second)) if second[k] > after), len(second))
            elif first[i] < second[j]:
                i += 1
            else:
                j += 1
        return count

    def _smoothed(self, groups, d):
        total = 0.0
        for counts in groups:
            cf = sum(counts.values())
            if cf:
                total += log((counts.get(d, 0) + self.mu * cf / self.total) / (self.lengths[d] + self.mu))
        return total


def check_answers(index, texts, candidates, features, plain):
    """Hold a sample of queries of two different terms to the definition; return them."""
    chosen = [q for q, text in texts.items() if len(set(Query(index, text).terms)) == 2]
    chosen = [q for q in chosen[::40] if q in candidates.query_ids][:10]
    sample = candidates.select(chosen)
    ours = extract(index, texts, sample, features)
    for q, query_id in enumerate(ours.query_ids):
        rows = slice(*ours.query_offsets[q : q + 2])
        expected = plain.features(Query(index, texts[query_id]).terms, sample.documents[rows].tolist())
        np.testing.assert_allclose(ours.features[rows], expected, rtol=1e-9)
    return sample


def pairs_per_second(index, texts, candidates, features, qrels, n_jobs, repeats):
    """Return the median over repeats, and the pairs of one processor second (for a machine that others use too)."""
    n_pairs = extract(index, texts, candidates, features, qrels=qrels).n_documents
    wall, processor = [], []
    for _ in range(repeats):
        before = time.process_time()
        wall.append(seconds(lambda: extract(index, texts, candidates, features, qrels=qrels, n_jobs=n_jobs)))
        processor.append(time.process_time() - before)
    return n_pairs, n_pairs / statistics.median(wall), n_pairs / statistics.median(processor)


def against_plain_python(index, texts, candidates, features, repeats):
    """Compare on a few queries, after holding them to the definition."""
    plain = PlainPython(index, features[0].mu)
    sample = check_answers(index, texts, candidates, features, plain)

    def theirs():
        for query_id, (a, b) in zip(sample.query_ids, pairwise(sample.query_offsets.tolist()), strict=True):
            plain.features(Query(index, texts[query_id]).terms, sample.documents[a:b].tolist())

    return sample, compare(lambda: extract(index, texts, sample, features), theirs, repeats=repeats)


def measure(collection, folder, index, *, n_jobs, repeats):
    """Report all figures of a collection."""
    topics, qrels = read_topics(folder / "queries.tsv.gz"), read_qrels(folder / "qrels.trec.gz")
    proximity = feature_set("proximity", index)
    texts, grades = short_queries(index, topics, qrels)
    candidates = listed_candidates(index, grades) | top_candidates(index, texts, [BM25()], 1000)
    sample, ratio = against_plain_python(index, texts, candidates, proximity, repeats)
    report(f"{collection}, against plain Python", queries=sample.n_queries, pairs=sample.n_documents, speed=ratio)
    for jobs in sorted({1, n_jobs}):
        n_pairs, wall, processor = pairs_per_second(index, texts, candidates, proximity, grades, jobs, repeats)
        figures = {"pairs": f"{n_pairs:,}", "pairs/s": f"{wall:,.0f}", "of the target": f"{wall / TARGET:.1f}x"}
        if jobs == 1:
            figures["pairs a processor second"] = f"{processor:,.0f}"
        report(f"{collection}, proximity, two terms, {jobs} processes", **figures)

    candidates = listed_candidates(index, qrels) | top_candidates(index, topics, [BM25()], 1000)
    for name in ("bag-of-words", "proximity", "gey", "primitive", "functions"):
        features = feature_set(name, index)
        n_pairs, wall, processor = pairs_per_second(index, topics, candidates, features, qrels, 1, repeats)
        report(
            f"{collection}, {name}, whole queries",
            features=len(features),
            pairs=f"{n_pairs:,}",
            **{"pairs/s": f"{wall:,.0f}", "pairs a processor second": f"{processor:,.0f}"},
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--collections", nargs="+", default=["npl", "cranfield"])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    print(machine())
    with TemporaryDirectory() as name:
        for collection in options.collections:
            if not (DATA / "text" / collection).is_dir():
                print(f"skipped: no folder {DATA / 'text' / collection}")
                continue
            folder, analyzer = DATA / "text" / collection, Analyzer(stop="english", stemmer="porter2")
            index = build_index(read_documents(folder / "docs.jsonl.gz"), Path(name, collection), analyzer=analyzer)
            measure(collection, folder, index, n_jobs=options.jobs, repeats=options.repeats)


if __name__ == "__main__":
    main()
