"""Indexes that were edited by someone who knows the format: the checksums fit, what they cover does not."""

from __future__ import annotations

import json
import random
import shutil
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzing.checks import require
from fuzzing.mutation import mutate_tree
from fuzzing.tables import changed_array
from rankmax.retrieval.features.registry import parse_feature as parse_feature
from rankmax.retrieval.features.term_selection import candidate_terms
from rankmax.retrieval.index.builder import build_index
from rankmax.retrieval.index.document_columns import Columns
from rankmax.retrieval.index.document_files import Document
from rankmax.retrieval.index.file_format import META, TYPES, map_array
from rankmax.retrieval.index.inverted_index import Index
from rankmax.retrieval.queries.query import Query
from rankmax.retrieval.search.collection_search import search

RANKERS = ("bm25", "cosine", "dirichlet(mu=100)", "sdm", "bm25:title", "column(depth)")


def small_index(folder: Path) -> Index:
    """Build an index with every part that the format has, of 80 short documents.

    Parameters
    ----------
    folder : path
        Made.
    """
    words = ["wing", "flow", "heat", "lift", "drag", "wave", "past", "swept", "body", "jet"]
    documents = [
        Document(
            f"d{n}",
            {
                "title": words[n % 7],
                "text": " ".join(words[(n * k + k) % len(words)] for k in range(1, 4 + n % 9)),
            },
        )
        for n in range(80)
    ]
    columns = Columns.from_dict([document.id for document in documents], {"depth": np.arange(80.0) % 5})
    return build_index(documents, folder, store=["title", "text"], columns=columns)


def forge(folder: Path, name: str, change: Callable[[NDArray[Any]], NDArray[Any]]) -> None:
    """Change an array of an index, and the checksums that cover it.

    Parameters
    ----------
    folder : path
    name : str
        Of the array.
    change : callable
        Takes a copy of the array, returns what to write.
    """
    written = np.asarray(change(np.array(map_array(folder, name, TYPES[name]))), TYPES[name])
    (folder / f"{name}.bin").write_bytes(written.tobytes())

    def describe(meta: dict[str, Any]) -> None:
        meta["arrays"][name].update(length=int(written.size), crc32=zlib.crc32(written.tobytes()))

    forge_meta(folder, describe)


def forge_meta(folder: Path, change: Callable[[dict[str, Any]], None]) -> None:
    """Change what describes an index, and its checksum.

    Parameters
    ----------
    folder : path
    change : callable
        Changes a dictionary.
    """
    meta = json.loads((folder / META).read_bytes())
    change(meta)
    meta.pop("crc32", None)
    checksum = zlib.crc32(json.dumps(meta, sort_keys=True, separators=(",", ":")).encode())
    (folder / META).write_text(json.dumps({**meta, "crc32": checksum}))


def write_mutated(rng: random.Random, sound: Path, folder: Path) -> Path:
    """Write an index with something changed, and return its folder.

    Parameters
    ----------
    rng : random.Random
    sound : path
        The index to begin with.
    folder : path
        Replaced.
    """
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(sound, folder)
    if rng.random() < 0.2:

        def change(meta: dict[str, Any]) -> None:
            new = mutate_tree(rng, meta)
            meta.clear()
            meta.update(new if isinstance(new, dict) else {})

        forge_meta(folder, change)
    else:
        name = rng.choice(sorted(TYPES))
        forge(folder, name, lambda array: _same_kind(changed_array(rng, array), array))
    return folder


def _same_kind(array: NDArray[Any], wanted: NDArray[Any]) -> NDArray[Any]:
    """Return numbers that the array's type can hold."""
    if wanted.dtype.kind == "f" or array.dtype == wanted.dtype:
        return array.reshape(-1) if array.dtype == wanted.dtype else wanted
    return wanted


def use_index(folder: Path) -> None:
    """Ask an index for all that searches, features and the studio ask for, and check the answers.

    Parameters
    ----------
    folder : path
    """
    index = Index.open(folder)
    for ranker in RANKERS:
        for text in ("wing flow", "swept body past the jet", "heat"):
            hits = search(Query(index, text), parse_feature(ranker), 20)
            require(np.isfinite(hits.scores).all(), f"{ranker}: scores that are not finite")
            known = hits.documents[(hits.documents >= 0) & (hits.documents < index.n_documents)]
            require(known.size == len(hits), f"{ranker}: documents that the index does not have")
            require(all(one and min(one) > " " for one in index.ids.take(known).to_list()), "ids with blanks")
    for field in index.fields:
        index.unordered_windows(["wing", "flow", "wing"], field)
        index.ordered_windows(["wing", "flow"], field, width=3)
    candidate_terms(index, np.arange(min(6, index.n_documents)), np.arange(min(6, index.n_documents)) % 2 == 0, 5)
    index.find(["d3", "d999"])
    for document in (0, 31, 32, 79):
        if document < index.n_documents:
            index.text(document)
