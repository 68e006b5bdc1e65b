"""The default project, for users without data: the docstrings of numpy and scipy."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from rankmax._io.files import make_folder
from rankmax.datasets import docstrings
from rankmax.formats.npz import write_npz
from rankmax.retrieval.analysis.analyzer import Analyzer
from rankmax.retrieval.features import BM25, Dirichlet
from rankmax.retrieval.index.builder import build_index
from rankmax.workflows.demo.demo_models import families, training_data
from rankmax.workflows.demo.demonstration import split_by_text, write_queries
from rankmax.workflows.projects.project import Project

_SEED = 7  # the demonstration's
_LAST = "train.npz"  # written last, so that its presence means that all files are complete


def embedded_project(folder: Path, *, say: Callable[[str], None] = lambda _: None) -> Project:
    """Return the project in a folder, creating its index, topics, judgments and data where they do not exist yet.

    Queries are split into a training half and a test half, as in the demonstration; their features are functions of
    each field, phrases and windows, with default parameters.

    Parameters
    ----------
    folder : Path
        Folder of the project; it need not exist.
    say : callable
        Called with a message at each step.
    """
    if (folder / _LAST).is_file():
        return Project.at(folder)
    make_folder(folder, parents=True)
    say("Reading the docstrings of numpy and scipy")
    collection = docstrings()
    say("Indexing")
    index = build_index(
        collection.documents,
        folder / "index",
        analyzer=Analyzer(stop="english", stemmer="porter2"),
        store=("name", "signature", "body"),
        replace=True,
    )
    functions = (Dirichlet(), BM25())
    _, proximity, fields = families(index, *functions)
    train, test = split_by_text(collection.topics, seed=_SEED)
    for part, topics in (("test", test), ("train", train)):
        say(f"Working out features of the queries to {part}")
        write_queries(folder, part, topics, collection.qrels)
        write_npz(training_data(index, topics, collection, (fields, proximity), functions), folder / f"{part}.npz")
    return Project.at(folder)
