"""Features of text collections, as five folds like LETOR's.

Candidates are the 200 best of each query by BM25; unjudged ones are not relevant. Features are all retrieval functions,
Nallapati's six and proximity (``rankmax.retrieval.features``), scaled within queries as LETOR's are. Queries are dealt
to five parts at random.
"""

from __future__ import annotations

import tempfile

import numpy as np
from letor_collections import DATA

from rankmax import RankingDataset
from rankmax.data.splits import LetorFold, k_folds, letor_folds
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


def text_folds(collection: str) -> dict[int, LetorFold]:
    """Return a collection's folds by their number, from 1."""
    folder = DATA / "text" / collection
    nosource = folder / "qrels_nosource.trec.gz"  # without the paper that a query was taken from
    qrels = read_qrels(nosource if nosource.exists() else folder / "qrels.trec.gz")
    topics = read_topics(folder / "queries.tsv.gz")
    with tempfile.TemporaryDirectory() as place:
        analyzer = Analyzer(stop="english", stemmer="porter2")
        index = build_index(read_documents(folder / "docs.jsonl.gz"), place, analyzer=analyzer)
        features = choose_features(index, sets=("functions", "bag-of-words", "proximity"))
        found = extract(index, topics, top_candidates(index, topics, [BM25()], _DEPTH), features, qrels=qrels)
    query = np.array(found.query_ids)[found.judgments.query_of_document]
    data = RankingDataset.from_arrays(
        np.asarray(found.features), np.nan_to_num(found.grades), qid=query, feature_names=found.feature_names
    )
    scaled = MinMax().apply(data)
    parts = [scaled.select(fold.test) for fold in k_folds(scaled, 5, seed=0, stratified=True)]
    return dict(enumerate(letor_folds(parts), 1))
