"""Features of text collections, as five folds like LETOR's.

Candidates are the 200 best of each query by BM25; unjudged ones are not relevant. Features are all retrieval functions,
Nallapati's six and proximity (``rankmax.retrieval.features``), scaled within queries as LETOR's are. Queries are dealt
to five parts at random. Of the docstrings of numpy and scipy, a collection for development, there is every third query.
"""

from __future__ import annotations

import tempfile

import numpy as np
from letor_collections import DATA

from rankmax import RankingDataset
from rankmax.data.splits import LetorFold, k_folds, letor_folds
from rankmax.datasets import docstrings
from rankmax.formats.topics import read_topics
from rankmax.formats.trec import read_qrels
from rankmax.preprocessing.feature_normalization import MinMax
from rankmax.retrieval.analysis.analyzer import Analyzer
from rankmax.retrieval.extraction.candidate_pools import top_candidates
from rankmax.retrieval.extraction.extraction import extract
from rankmax.retrieval.features import BM25
from rankmax.retrieval.features.feature_sets import choose_features
from rankmax.retrieval.index.builder import build_index
from rankmax.retrieval.index.document_files import read_documents

COLLECTIONS = ("cranfield", "npl", "cisi", "cacm")
_DEPTH = 200


def text_data(collection: str) -> RankingDataset:
    """Return the queries of a text collection, or of "docstrings"."""
    if collection == "docstrings":
        own = docstrings()
        documents, qrels, excluded = own.documents, own.qrels, own.excluded
        topics = {name: own.topics[name] for name in sorted(own.topics)[::3]}
    else:
        folder, excluded = DATA / "text" / collection, {}
        nosource = folder / "qrels_nosource.trec.gz"  # without the paper that a query was taken from
        qrels = read_qrels(nosource if nosource.exists() else folder / "qrels.trec.gz")
        topics, documents = read_topics(folder / "queries.tsv.gz"), read_documents(folder / "docs.jsonl.gz")
    with tempfile.TemporaryDirectory() as place:
        index = build_index(documents, place, analyzer=Analyzer(stop="english", stemmer="porter2"))
        features = choose_features(index, sets=("functions", "bag-of-words", "proximity"))
        candidates = top_candidates(index, topics, [BM25()], _DEPTH, excluded=excluded)
        found = extract(index, topics, candidates, features, qrels=qrels)
    query = np.array(found.query_ids)[found.judgments.query_of_document]
    data = RankingDataset.from_arrays(
        np.asarray(found.features), np.nan_to_num(found.grades), qid=query, feature_names=found.feature_names
    )
    return MinMax().apply(data)


def text_folds(collection: str) -> dict[int, LetorFold]:
    """Return a collection's folds by their number, from 1."""
    data = text_data(collection)
    parts = [data.select(fold.test) for fold in k_folds(data, 5, seed=0, stratified=True)]
    return dict(enumerate(letor_folds(parts), 1))
