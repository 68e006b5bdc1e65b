"""Collecting runs from a search engine: one per retriever, resumable, and a file only when it is complete."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from math import isfinite
from typing import Any, NamedTuple

import msgspec

from rankmax._io.files import make_folder, writing
from rankmax.data.query_documents import check_ids
from rankmax.data.runs import Run
from rankmax.engines.connectors.engine import Answer
from rankmax.errors import IncompatibleError, InvalidDataError, ServerError, counted
from rankmax.formats.trec import write_run
from rankmax.workflows.deployment.collection_journal import CollectionJournal
from rankmax.workflows.deployment.parallel_requests import ask_all
from rankmax.workflows.deployment.project_file import ProjectFile
from rankmax.workflows.deployment.query_vectors import query_vectors


@dataclass(frozen=True)
class CollectedRun:
    """A run that is complete.

    Attributes
    ----------
    retriever : str
    path : str
    queries : int
        Number of topics that were asked.
    documents : int
    without_results : int
        Number of topics for which nothing was found.
    asked : int
        Number of topics that were asked now, rather than before.
    """

    retriever: str
    path: str
    queries: int
    documents: int
    without_results: int
    asked: int


class Task(NamedTuple):
    """A query to be asked of a retriever.

    Attributes
    ----------
    retriever : str
    query : str
        Id of the query.
    """

    retriever: str
    query: str


@contextmanager
def collection(project: ProjectFile, *, restart: bool = False) -> Iterator[Collecting]:
    """Open a collection, whose journals are locked until the block ends.

    Parameters
    ----------
    project : ProjectFile
    restart : bool
        Whether to drop what was collected before.
    """
    check_ids("query id", list(project.topics()))
    make_folder(project.runs_folder, parents=True)
    with ExitStack() as stack:
        journals = {}
        for name in project.retrievers:
            path = project.runs_folder / f".{name}.collected"
            if not path.exists() and project.run_path(name).exists():
                raise IncompatibleError(
                    f"{project.run_path(name)} was not collected by rankmax, and would be overwritten: move it, or set "
                    "runs to another folder"
                )
            journals[name] = stack.enter_context(CollectionJournal(path, _asked(project, name), restart=restart))
        yield Collecting(project, journals)


class Collecting:
    """A collection under way.

    Parameters
    ----------
    project : ProjectFile
    journals : dict of str to CollectionJournal
        By retriever.
    """

    def __init__(self, project: ProjectFile, journals: dict[str, CollectionJournal]) -> None:
        self._project = project
        self._journals = journals
        self._topics = project.topics()
        of_files = [name for name, one in project.retrievers.items() if one.vector and one.vector.file is not None]
        self._vectors = vectors_of(project, self._topics, of_files)
        self.waiting = [
            task for query in self._topics for name in journals if self._answer(task := Task(name, query)) is None
        ]
        """What is still to be asked."""

    def run(self, tick: Callable[[], None] = lambda: None) -> list[CollectedRun]:
        """Ask for what is missing, and write the runs.

        Parameters
        ----------
        tick : callable
            Called after each answer.
        """
        project = self._project
        counts = {name: sum(task.retriever == name for task in self.waiting) for name in self._journals}
        for name in counts:
            if counts[name]:  # a file stands for all topics, or is not there
                with writing(project.run_path(name)):
                    project.run_path(name).unlink(missing_ok=True)
        if self.waiting:
            engine = project.connect()
            missing = [name for name in counts if counts[name] and name not in self._vectors]
            vectors = self._vectors | vectors_of(project, self._topics, missing)

            def ask(task: Task) -> Answer:
                given = placeholder_values(project, self._topics, vectors, task)
                try:
                    return engine.search(project.templates[task.retriever], given, project.depth)
                except ServerError as error:
                    error.args = (f"{task.retriever}, query {task.query!r}: {error}",)
                    raise

            with closing(ask_all(self.waiting, ask, project.requests)) as answers:  # also where this loop fails
                for task, answer in answers:
                    hits = _checked(task, answer, project.depth)
                    self._journals[task.retriever].add(task.query, self._key(task), hits)
                    tick()
        return [self._written(name, counts[name]) for name in self._journals]

    def _written(self, name: str, asked: int) -> CollectedRun:
        answers = {query: dict(self._answer(Task(name, query)) or ()) for query in self._topics}
        found = {query: hits for query, hits in answers.items() if hits}
        path = self._project.run_path(name)
        if not found:
            asked_for = counted(len(answers), "query", "queries")
            raise InvalidDataError(
                f"{name} found nothing for any of {asked_for}: check its template; then collect --restart"
            )
        write_run(Run.from_dict(found, tag=name), path, keep_ties=True)  # engines rank equal scores in their own order
        documents = sum(map(len, found.values()))
        return CollectedRun(name, str(path), len(answers), documents, len(answers) - len(found), asked)

    def _answer(self, task: Task) -> list[tuple[str, float]] | None:
        return self._journals[task.retriever].answer(task.query, self._key(task))

    def _key(self, task: Task) -> str:
        """Return what an answer depends on: the text of the query, and its vector if that is in a file."""
        text = self._topics[task.query]
        if task.retriever not in self._vectors:
            return text
        vector = msgspec.json.encode(self._vectors[task.retriever][task.query])
        return f"{text} {hashlib.sha256(vector).hexdigest()[:16]}"


def vectors_of(project: ProjectFile, topics: dict[str, str], names: list[str]) -> dict[str, dict[str, list[float]]]:
    """Return the query vectors of the retrievers that need some.

    Parameters
    ----------
    project : ProjectFile
    topics : dict of str to str
    names : list of str
        Retrievers.
    """
    sources = {name: project.retrievers[name].vector for name in names}
    folder = project.file("")
    return {name: query_vectors(source, topics, folder) for name, source in sources.items() if source is not None}


def placeholder_values(
    project: ProjectFile, topics: dict[str, str], vectors: dict[str, dict[str, list[float]]], task: Task
) -> dict[str, Any]:
    """Return the values of the placeholders of a retriever's template.

    Parameters
    ----------
    project : ProjectFile
    topics : dict of str to str
    vectors : dict
        Vectors by retriever and query.
    task : Task
    """
    values: dict[str, Any] = {"query": topics[task.query], "depth": project.depth}
    if task.retriever in vectors:
        values["vector"] = vectors[task.retriever][task.query]
    return values


def _asked(project: ProjectFile, name: str) -> dict[str, Any]:
    """Return everything that answers depend on besides the query."""
    connection, source = project.connection, project.retrievers[name].vector
    return {
        "engine": project.engine_name,
        "address": connection.address,
        "index": connection.index,
        "template": project.templates[name],
        "depth": project.depth,
        "command": None if source is None else source.command,
    }


def _checked(task: Task, answer: Answer, depth: int) -> list[tuple[str, float]]:
    """Return the hits of an answer, or refuse one that no run can hold."""
    hits = [(hit.document, hit.score) for hit in answer.hits[:depth]]
    where = f"{task.retriever}, query {task.query!r}"
    documents = [document for document, _ in hits]
    if len(set(documents)) < len(documents):
        twice = next(one for place, one in enumerate(documents) if one in documents[:place])
        raise InvalidDataError(
            f"{where}: the engine returned document {twice!r} twice; collapse duplicates in the template"
        )
    bad = next((hit for hit in hits if not isfinite(hit[1])), None)
    if bad is not None:
        raise InvalidDataError(f"{where}: the score of {bad[0]!r} is {bad[1]}; expected a finite number")
    try:
        check_ids("document id", documents)
    except InvalidDataError as error:
        raise InvalidDataError(f"{where}: {error}") from None
    return hits
