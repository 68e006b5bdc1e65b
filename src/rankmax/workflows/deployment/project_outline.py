"""Outline of a project file, with comments, to be filled in."""

from __future__ import annotations

import os

from rankmax._io.files import write_bytes
from rankmax.engines.connectors.registry import ENGINES
from rankmax.errors import CannotWriteError

_HEAD = """\
# Project of rankmax: rankmax collect, tune, push and confirm read it. Paths are relative to this file.
# Credentials are never written here: set RANKMAX_API_KEY, or RANKMAX_USER and RANKMAX_PASSWORD.

engine = "{engine}"
{address}
topics = "topics.tsv"     # queries: lines of id, tab, text; or JSON lines
qrels = "qrels.txt"       # judgments: lines of query, 0, document, grade
metric = "nDCG@10"        # metric to maximize
depth = 100               # documents of each retriever to collect, and to fuse
runs = "runs"             # folder of the collected runs
model = "model.json"      # file of the tuned weights
name = "rankmax"          # name of the fusion in the engine

[requests]
parallel = 4              # requests at a time
# per_second = 20         # largest rate of requests
timeout = 30              # seconds
retries = 5               # after a lost connection, a time limit, 429 or 5xx

"""
_JSON_HELP = """\
# A retriever is the body of its search, as a table or as JSON text. {query} is the text of the query, {vector} its
# vector and {depth} the depth; they are filled in as values, so nothing in a query can change the request.
"""
_VECTOR = """\
vector = { file = "vectors.npz" }   # arrays ids and vectors; or JSON lines with id and vector
# vector = { command = ["python", "embed.py"] }   # reads JSON lines with id and text, prints id and vector
"""
_SQL_HELP = """\
# A retriever is a SELECT statement that returns document and score, the best first. $query is the text of the query,
# $vector its vector as JSON and $depth the depth; they are parameters, so nothing in a query can change the statement.
"""
_URLS = {
    "opensearch": "https://localhost:9200",
    "elasticsearch": "https://localhost:9200",
    "solr": "http://localhost:8983/solr",
}
_RETRIEVERS = {
    "opensearch": """\
[retrievers.bm25]
template = { query = { match = { body = "{query}" } } }

[retrievers.dense]
template = { query = { knn = { embedding = { vector = "{vector}", k = "{depth}" } } } }
""",
    "elasticsearch": """\
[retrievers.bm25]
template = { query = { match = { body = "{query}" } } }

[retrievers.dense]
template = { knn = { field = "embedding", query_vector = "{vector}", k = "{depth}", num_candidates = 200 } }
""",
    "solr": """\
[retrievers.bm25]
template = { query = "{!edismax qf=body v=$words}", params = { words = "{query}" } }

[retrievers.dense]
template = { query = "{!knn f=embedding topK={depth}}{vector}" }
""",
    "sqlite": '''\
[retrievers.bm25]         # docs is a table of FTS5; any_word(text) searches for any word of a text
template = """
SELECT document, -bm25(docs) AS score FROM docs
WHERE docs MATCH any_word($query) ORDER BY score DESC LIMIT $depth
"""

[retrievers.dense]        # vectors is a table with columns document, dimension and value
template = """
SELECT document, SUM(vectors.value * asked.value) AS score
FROM vectors JOIN json_each($vector) AS asked ON vectors.dimension = asked.key
GROUP BY document ORDER BY score DESC LIMIT $depth
"""
''',
    "duckdb": '''\
[retrievers.titles]
template = """
SELECT document, jaro_winkler_similarity(title, $query) AS score FROM docs ORDER BY score DESC LIMIT $depth
"""

[retrievers.dense]        # embedding is a column of type DOUBLE[]
template = """
SELECT document, list_cosine_similarity(embedding, CAST(CAST($vector AS JSON) AS DOUBLE[])) AS score
FROM docs ORDER BY score DESC LIMIT $depth
"""
''',
}


def outline(engine: str) -> str:
    """Return the outline of a project file.

    Parameters
    ----------
    engine : str

    Examples
    --------
    >>> outline("sqlite").splitlines()[3]
    'engine = "sqlite"'
    """
    if engine in _URLS:
        index = 'index = "YOUR-INDEX"     # index or collection to search'
        address = f'address = "{_URLS[engine]}"\n{index}'
    else:
        address = 'address = "documents.db"  # path of the database'
    help_text = _JSON_HELP if ENGINES.load(engine).needs_index else _SQL_HELP
    head = _HEAD.replace("{engine}", engine).replace("{address}", address)
    return f"{head}{help_text}\n{_RETRIEVERS[engine]}{_VECTOR}"


def write_outline(engine: str, path: str | os.PathLike[str]) -> None:
    """Write the outline of a project file to a path where nothing is.

    Parameters
    ----------
    engine : str
    path : str or path-like
    """
    if os.path.lexists(path):
        raise CannotWriteError(path, "it exists already, and is not overwritten; give another name with -o")
    write_bytes(path, outline(engine).encode())
