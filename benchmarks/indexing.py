"""How fast is text indexed, and looked up?

Data: the abstracts of the NPL collection (11,429 of about 25 words), once, four times and, with --large, 16 times.
Baseline: bm25s, which tokenises, stems (PyStemmer) and counts, but keeps no positions, and stays in memory.
Answers: the number of occurrences of every word of two letters or more must be equal before anything is timed.
"""

from __future__ import annotations

import argparse
import os
import shutil
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

import bm25s
import Stemmer
from harness import compare, format_seconds, machine, median_seconds, report

from rankmax.retrieval.analyzer import Analyzer
from rankmax.retrieval.builder import build_index
from rankmax.retrieval.documents import Document, read_documents

DATA = Path(os.environ.get("RANKMAX_DATA") or Path(__file__).parents[2] / "shared" / "data")


def ours(texts, folder, analyzer, n_jobs=1):
    shutil.rmtree(folder / "index", ignore_errors=True)
    documents = (Document(str(n), {"text": text}) for n, text in enumerate(texts))
    return build_index(documents, folder / "index", analyzer=analyzer, n_jobs=n_jobs)


def theirs(texts, stemmer):
    tokens = bm25s.tokenize(texts, stopwords="en", stemmer=stemmer, show_progress=False)
    bm25s.BM25().index(tokens, show_progress=False)


def check_answers(texts, folder):
    index = ours(texts, folder, Analyzer())
    tokens = bm25s.tokenize(texts, stopwords=None, return_ids=False, show_progress=False)
    counted = Counter(token for words in tokens for token in words)
    assert all(index.collection_frequency(term, "text") == n for term, n in counted.items())
    assert index.n_occurrences("text") >= sum(counted.values()) > 100_000


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--large", action="store_true", help="16 times the collection too, in one and two processes")
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    once = [document.fields["text"] for document in read_documents(DATA / "text" / "npl" / "docs.jsonl.gz")]
    stemmer, analyzer = Stemmer.Stemmer("english"), Analyzer(stop="english", stemmer="porter2")
    print(machine())
    with TemporaryDirectory() as name:
        folder = Path(name)
        check_answers(once, folder)
        for times in (1, 4, 16) if options.large else (1, 4):
            texts = once * times
            ratio = compare(
                lambda texts=texts: ours(texts, folder, analyzer),
                lambda texts=texts: theirs(texts, stemmer),
                repeats=options.repeats,
            )
            speed = f"{len(texts) / min(ratio.ours):,.0f} documents/s"
            report(f"indexing {times}x", documents=len(texts), ratio=ratio, fastest=speed)
        if options.large:
            two = compare(lambda: ours(texts, folder, analyzer, 2), lambda: ours(texts, folder, analyzer), repeats=3)
            report("two processes against one, 16x", ratio=two)
        index = ours(once * 4, folder, analyzer)
        for action, text in (
            (lambda: index.postings("comput", "text"), "postings"),
            (lambda: index.unordered_windows(["circuit", "frequenc"], "text"), "#uw8 of a frequent pair"),
            (lambda: index.ordered_windows(["circuit", "frequenc"], "text"), "#1 of a frequent pair"),
        ):
            report(text, median=format_seconds(median_seconds(action, repeats=201)))


if __name__ == "__main__":
    main()
