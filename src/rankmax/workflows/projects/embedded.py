"""A project to begin with where nobody brings one: the docstrings of numpy and scipy."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from rankmax.data.npz import write_npz
from rankmax.datasets import docstrings
from rankmax.files import make_folder
from rankmax.retrieval.analyzer import Analyzer
from rankmax.retrieval.builder import build_index
from rankmax.retrieval.features import BM25, Dirichlet
from rankmax.workflows.demo.demo import split_by_text, write_queries
from rankmax.workflows.demo.models import families, training_data
from rankmax.workflows.projects.project import Project

_SEED = 7  # as the demonstration
_LAST = "train.npz"  # written when all else is there


def embedded_project(folder: Path, *, say: Callable[[str], None] = lambda _: None) -> Project:
    """Return the project in a folder, after making it if it is not there yet: index, topics, judgments, data.

    Queries are dealt into two halves, to train and to test, as in the demonstration; their features are functions of
    each field, phrases and windows, with the parameters as they are when left out.

    Parameters
    ----------
    folder : Path
        Existing or not.
    say : callable
        Told what is being done.
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
