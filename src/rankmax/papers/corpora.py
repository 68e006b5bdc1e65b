"""Text collections: the embedded one, and folders of documents, topics and judgments."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib.metadata import version
from pathlib import Path

import numpy as np

from rankmax._io.files import make_folder, read_bytes
from rankmax.data.runs import Qrels
from rankmax.errors import InvalidDataError
from rankmax.formats.topics import read_topics
from rankmax.formats.trec import read_qrels
from rankmax.papers.fingerprints import fingerprint
from rankmax.retrieval.analysis.analyzer import Analyzer
from rankmax.retrieval.index.builder import build_index
from rankmax.retrieval.index.document_files import Document, DocumentFiles
from rankmax.retrieval.index.inverted_index import Index

_LEAST_OTHERS = 1.0  # judged nonrelevant documents per query from which judgments suffice for training


@dataclass(frozen=True, eq=False)
class TopicsAndQrels:
    """Queries and their judgments.

    Attributes
    ----------
    topics : mapping of str to str
        Topics of the judged queries with a relevant document, in the order of the judgments.
    qrels : Qrels
    excluded : mapping of str to str
        Document excluded from the candidates, by query.
    """

    topics: Mapping[str, str]
    qrels: Qrels
    excluded: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def relevant(self) -> dict[str, list[str]]:
        """Relevant documents of each query."""
        return {q: [d for d, grade in grades.items() if grade >= 1] for q, grades in self.qrels.to_dict().items()}

    @property
    def has_others(self) -> bool:
        """Whether documents that are not relevant were judged too."""
        return int((self.qrels.grades < 1).sum()) >= _LEAST_OTHERS * len(self.qrels.query_ids)

    def sample(self, most: int, seed: int) -> dict[str, str]:
        """Return all topics, or a random sample of `most` where there are more.

        Parameters
        ----------
        most : int
        seed : int
        """
        names = list(self.topics)
        if len(names) > most:
            chosen = np.random.default_rng(seed).choice(len(names), most, replace=False)
            names = [names[i] for i in np.sort(chosen)]
        return {name: self.topics[name] for name in names}


class Corpus(ABC):
    """A collection of text, read when it is needed.

    Attributes
    ----------
    name : str
    """

    name: str

    @property
    @abstractmethod
    def fingerprint(self) -> str:
        """A short string that changes with the content."""

    @property
    @abstractmethod
    def documents(self) -> Iterable[Document]:
        """The documents, to be read as often as needed."""

    @property
    @abstractmethod
    def queries(self) -> TopicsAndQrels:
        """Topics and judgments."""

    def parts(self, seed: int, *, most: int) -> tuple[dict[str, str], dict[str, str]]:
        """Return training topics and test topics: two random halves.

        Parameters
        ----------
        seed : int
        most : int
            Largest number of topics in both together.
        """
        topics = self.queries.sample(most, seed)
        names = list(topics)
        order = np.random.default_rng(seed).permutation(len(names))
        first = {names[i] for i in order[: len(names) // 2]}
        return (
            {name: text for name, text in topics.items() if name in first},
            {name: text for name, text in topics.items() if name not in first},
        )

    def index(self, workspace: Path, analyzer: Analyzer) -> Index:
        """Return the index of the documents, building it first if it does not exist.

        Parameters
        ----------
        workspace : Path
        analyzer : Analyzer
        """
        path = workspace / "indexes" / f"{self.name}-{analyzer.stemmer}-{analyzer.stop}-{self.fingerprint}"
        if path.is_dir():
            return Index.open(path)
        make_folder(path.parent, parents=True)
        return build_index(self.documents, path, analyzer=analyzer)


class EmbeddedCorpus(Corpus):
    """The docstrings of numpy and scipy, which need no download.

    Examples
    --------
    >>> EmbeddedCorpus().name
    'docstrings'
    """

    name = "docstrings"

    @property
    def fingerprint(self) -> str:
        """Versions of numpy and scipy."""
        return f"numpy-{version('numpy')}-scipy-{version('scipy')}"

    @cached_property
    def _collection(self) -> tuple[tuple[Document, ...], TopicsAndQrels]:
        from rankmax.datasets import docstrings

        found = docstrings()
        return found.documents, TopicsAndQrels(found.topics, found.qrels, found.excluded)

    @property
    def documents(self) -> Iterable[Document]:
        """All public functions and classes."""
        return self._collection[0]

    @property
    def queries(self) -> TopicsAndQrels:
        """Summaries as topics; the functions that "See Also" lists are relevant."""
        return self._collection[1]


class FolderCorpus(Corpus):
    r"""A folder with documents (docs*), topics (topics* or queries*) and judgments (qrels*), plain or gzip.

    Files ``train.txt`` and ``test.txt``, lists of query ids, divide the topics where they exist.

    Parameters
    ----------
    folder : Path
        Documents in any format that `rankmax index` reads, topics as id, tab, text, or JSON lines. Of several files of
        topics or judgments, the first by name is used.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as name:
    ...     _ = Path(name, "docs.tsv").write_text("d1\twing\n")
    ...     _ = Path(name, "topics.tsv").write_text("q1\twings\n")
    ...     _ = Path(name, "qrels.txt").write_text("q1 0 d1 1\n")
    ...     FolderCorpus.fits(Path(name)), dict(FolderCorpus(Path(name)).queries.topics)
    (True, {'q1': 'wings'})
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.name = folder.resolve().name

    @staticmethod
    def fits(folder: Path) -> bool:
        """Return whether a folder has all files that a collection needs.

        Parameters
        ----------
        folder : Path
        """
        return all((_files(folder, "docs"), _files(folder, "topics", "queries"), _files(folder, "qrels")))

    @property
    def fingerprint(self) -> str:
        """Fingerprint of the names and sizes of the files."""
        return fingerprint(_files(self.folder, "docs", "topics", "queries", "qrels"))

    @property
    def documents(self) -> Iterable[Document]:
        """Documents of all files, one after the other."""
        return DocumentFiles(*_files(self.folder, "docs"))

    @cached_property
    def queries(self) -> TopicsAndQrels:
        """Topics and judgments of the first file of each kind."""
        topics = read_topics(_files(self.folder, "topics", "queries")[0])
        qrels = read_qrels(_files(self.folder, "qrels")[0])
        judged = {q for q, grades in qrels.to_dict().items() if any(grade >= 1 for grade in grades.values())}
        return TopicsAndQrels({q: topics[q] for q in qrels.query_ids if q in judged and q in topics}, qrels)

    def parts(self, seed: int, *, most: int) -> tuple[dict[str, str], dict[str, str]]:
        """Return the topics of train.txt and test.txt, else two random halves.

        Parameters
        ----------
        seed : int
        most : int
        """
        lists = [self.folder / "train.txt", self.folder / "test.txt"]
        if not all(path.is_file() for path in lists):
            return super().parts(seed, most=most)
        train, test = ({q: self.queries.topics[q] for q in _ids(path) if q in self.queries.topics} for path in lists)
        if not train or not test:
            raise InvalidDataError(f"{lists[0]} and {lists[1]} must each name a judged topic, one id per line")
        return train, test


def _files(folder: Path, *stems: str) -> list[Path]:
    return sorted(p for p in folder.iterdir() if p.is_file() and p.name.startswith(stems)) if folder.is_dir() else []


def _ids(path: Path) -> Sequence[str]:
    return read_bytes(path).decode("utf-8", "replace").split()
