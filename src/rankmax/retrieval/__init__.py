"""Retrieval: text analysis, a positional index, search, and features of documents."""

from rankmax.retrieval.analysis.analyzer import Analyzer
from rankmax.retrieval.extraction.candidate_pools import listed_candidates, top_candidates
from rankmax.retrieval.extraction.extraction import extract
from rankmax.retrieval.index.builder import build_index
from rankmax.retrieval.index.document_files import Document, DocumentFiles, read_documents
from rankmax.retrieval.index.index import Index
from rankmax.retrieval.queries.query import Query
from rankmax.retrieval.search.search import Searcher, search

__all__ = [
    "Analyzer",
    "Document",
    "DocumentFiles",
    "Index",
    "Query",
    "Searcher",
    "build_index",
    "extract",
    "listed_candidates",
    "read_documents",
    "search",
    "top_candidates",
]
