"""Query of each system to an engine: guessed from the system's name, or given by the user once for all engines."""

from __future__ import annotations

import os
import re
import tomllib
from typing import Any, Literal, TypeAlias, get_args

import msgspec

from rankmax._io.files import read_bytes
from rankmax.errors import DataFormatError

Kind: TypeAlias = Literal["lexical", "dense", "sparse", "reranker"]
WORDS = "WORDS OF THE QUERY"
VECTOR = "VECTOR OF THE QUERY"

_NAMES: dict[Kind, str] = {  # the first match counts; rerankers are often named after the model that they start from
    "reranker": r"re-?rank|mono|duo|cross-?enc|ranker|rankt5|rankgpt",
    "sparse": r"splade|elser|unicoil|deepimpact|sparse",
    "dense": r"dense|vector|embed|knn|\bann\b|semantic|e5|ance\b|dpr|tas-?b|contriever|bge|gte|minilm|sbert|mpnet",
    "lexical": r"bm25|rm3|tf-?idf|lexical|keyword|\blm\b|\bql|dirichlet|\bdph|\bpl2|okapi|lucene",
}


class SystemTemplate(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Query template of a system.

    Attributes
    ----------
    kind : {"lexical", "dense", "sparse", "reranker"}, optional
        Kind of system; guessed from the system's name by default.
    field : str, optional
        Field of the index to search.
    model : str, optional
        Name, in the engine, of the model that embeds, expands or reranks.
    dimension : int
        Dimension of dense vectors, for Vespa's schema.
    elasticsearch : dict, optional
        A complete retriever, which replaces the one made from the other fields.
    opensearch : dict, optional
        A complete clause of a hybrid query, likewise.
    qdrant : dict, optional
        A complete prefetch, likewise.
    vespa : str, optional
        A complete ranking expression, likewise.
    table : str, optional
        Table to search, in SQL.
    sql : str, optional
        A complete SELECT of document and score, likewise.
    """

    kind: Kind | None = None
    field: str | None = None
    model: str | None = None
    dimension: int = 384
    elasticsearch: dict[str, Any] | None = None
    opensearch: dict[str, Any] | None = None
    qdrant: dict[str, Any] | None = None
    vespa: str | None = None
    table: str | None = None
    sql: str | None = None

    def kind_of(self, system: str) -> Kind | None:
        """Return the given kind, or the one guessed from the system's name.

        Parameters
        ----------
        system : str
        """
        return self.kind or guessed_kind(system)


def guessed_kind(system: str) -> Kind | None:
    """Return the kind of system guessed from a name, or None.

    Parameters
    ----------
    system : str

    Examples
    --------
    >>> [guessed_kind(name) for name in ("bm25", "splade-v3", "e5", "monot5", "clicks")]
    ['lexical', 'sparse', 'dense', 'reranker', None]
    """
    return next((kind for kind, pattern in _NAMES.items() if re.search(pattern, system.lower())), None)


def read_templates(path: str | os.PathLike[str]) -> dict[str, SystemTemplate]:
    r"""Read query templates: TOML with one table per system, or JSON (a file name that ends in .json).

    Parameters
    ----------
    path : str or path-like

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "templates.toml")
    >>> _ = path.write_text('[e5]\nfield = "passage_vector"\nmodel = "my-e5"')
    >>> read_templates(path)["e5"].field
    'passage_vector'
    """
    content = read_bytes(path)
    try:
        if os.fspath(path).endswith(".json"):
            return msgspec.json.decode(content, type=dict[str, SystemTemplate])
        return msgspec.convert(tomllib.loads(content.decode()), dict[str, SystemTemplate])
    except (msgspec.DecodeError, msgspec.ValidationError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        known = ", ".join(SystemTemplate.__struct_fields__).replace("kind", f"kind ({', '.join(get_args(Kind))})")
        raise DataFormatError(
            path, f"not a file of templates, which has one table per system with any of {known}: {error}"
        ) from None


def elasticsearch_retriever(system: str, template: SystemTemplate, depth: int) -> dict[str, Any]:
    """Return the Elasticsearch retriever of a system.

    Parameters
    ----------
    system : str
    template : SystemTemplate
    depth : int
        Number of documents that it shall return.

    Examples
    --------
    >>> elasticsearch_retriever("clicks", SystemTemplate(field="body"), 100)
    {'standard': {'_name': 'clicks', 'query': {'match': {'body': 'WORDS OF THE QUERY'}}}}
    """
    if template.elasticsearch is not None:
        return template.elasticsearch
    kind, model = template.kind_of(system), template.model or "YOUR-MODEL"
    match = {"match": {template.field or _field(kind): WORDS}}
    if kind == "dense":
        embedded = {"text_embedding": {"model_id": model, "model_text": WORDS}}
        near = {"k": depth, "num_candidates": max(depth, min(2 * depth, 10_000))}
        return {
            "knn": {"_name": system, "field": template.field or _field(kind), "query_vector_builder": embedded, **near}
        }
    if kind == "sparse":
        expanded = {"field": template.field or _field(kind), "inference_id": model, "query": WORDS}
        return {"standard": {"_name": system, "query": {"sparse_vector": expanded}}}
    if kind == "reranker":
        return {
            "text_similarity_reranker": {
                "_name": system,
                "retriever": {"standard": {"query": match}},
                "field": template.field or _field(kind),
                "inference_id": model,
                "inference_text": WORDS,
                "rank_window_size": depth,
            }
        }
    return {"standard": {"_name": system, "query": match}}


def opensearch_clause(system: str, template: SystemTemplate, depth: int) -> dict[str, Any]:
    """Return the clause of a system in a hybrid query, where no clause can rerank.

    Parameters
    ----------
    system : str
    template : SystemTemplate
    depth : int
        Number of documents that it shall return.

    Examples
    --------
    >>> opensearch_clause("bm25", SystemTemplate(), 100)
    {'match': {'YOUR-TEXT-FIELD': {'query': 'WORDS OF THE QUERY', '_name': 'bm25'}}}
    """
    if template.opensearch is not None:
        return template.opensearch
    kind = template.kind_of(system)
    field, model = template.field or _field(kind), template.model or "YOUR-MODEL"
    if kind == "dense":
        vector = [VECTOR]
        if template.model is None:
            return {"knn": {field: {"vector": vector, "k": depth, "_name": system}}}
        return {"neural": {field: {"query_text": WORDS, "model_id": model, "k": depth, "_name": system}}}
    if kind == "sparse":
        return {"neural_sparse": {field: {"query_text": WORDS, "model_id": model, "_name": system}}}
    return {"match": {field: {"query": WORDS, "_name": system}}}


def qdrant_prefetch(system: str, template: SystemTemplate, depth: int) -> dict[str, Any]:
    """Return the prefetch of a system in a query to Qdrant.

    Parameters
    ----------
    system : str
    template : SystemTemplate
    depth : int
        Number of documents that it shall return.

    Examples
    --------
    >>> qdrant_prefetch("e5", SystemTemplate(field="passage"), 100)
    {'query': ['VECTOR OF THE QUERY'], 'using': 'passage', 'limit': 100}
    """
    if template.qdrant is not None:
        return template.qdrant
    kind = template.kind_of(system)
    model = template.model or ("qdrant/bm25" if kind == "lexical" else None)
    query: Any = {"text": WORDS, "model": model} if model else [VECTOR]
    if kind == "sparse" and not model:
        query = {"indices": ["DIMENSIONS OF THE QUERY"], "values": ["THEIR VALUES"]}
    field = "YOUR-SPARSE-FIELD" if kind == "lexical" else _field(kind)  # Qdrant has BM25 as a sparse vector
    return {"query": query, "using": template.field or field, "limit": depth}


def _field(kind: Kind | None) -> str:
    return {"dense": "YOUR-VECTOR-FIELD", "sparse": "YOUR-SPARSE-FIELD", None: "YOUR-FIELD"}.get(
        kind, "YOUR-TEXT-FIELD"
    )
