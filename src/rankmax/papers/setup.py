"""Input data of the experiments: text collections, LETOR data and runs, found in folders."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rankmax.errors import DataFormatError
from rankmax.papers.corpora import Corpus, EmbeddedCorpus, FolderCorpus
from rankmax.papers.letor_folds import LetorCollection
from rankmax.papers.run_sets import RunSet

_BESIDE = Path("../shared/data")


@dataclass(frozen=True, eq=False)
class Setup:
    """The available data, and how much of it to use.

    Attributes
    ----------
    corpora : tuple of Corpus
        Text collections; at least the embedded one.
    letor : tuple of LetorCollection
    run_sets : tuple of RunSet
    workspace : Path
        Folder for indexes, which later executions reuse.
    small : bool
        Whether to run a reduced version on the embedded collection alone: to check that all works, and the direction
        of the claims.
    seed : int
        Random seed of splits and learners.
    trials : int, optional
        Smallest number of random trials, of papers that have them; by default as many as in the paper.
    methods : tuple of str, optional
        Methods to run, of papers that compare methods; by default all.
    bins : int
        Thresholds of each base function, of papers that bin scores.
    """

    corpora: tuple[Corpus, ...]
    letor: tuple[LetorCollection, ...]
    run_sets: tuple[RunSet, ...]
    workspace: Path
    small: bool = False
    seed: int = 7
    trials: int | None = None
    methods: tuple[str, ...] | None = None
    bins: int = 50


def find_setup(
    workspace: Path,
    *,
    corpus: str | os.PathLike[str] | None = None,
    runs: str | os.PathLike[str] | None = None,
    qrels: str | os.PathLike[str] | None = None,
    small: bool = False,
    seed: int = 7,
    trials: int | None = None,
    methods: tuple[str, ...] | None = None,
    bins: int = 50,
) -> Setup:
    """Return the data to use: the given data, else the content of the data folder, and the embedded collection.

    The data folder is given by the environment variable RANKMAX_DATA, by default ``../shared/data``. It has
    text collections in ``text/NAME``, LETOR data in ``letor/NAME`` and runs in ``runs/NAME``, as far as present.

    Parameters
    ----------
    workspace : Path
    corpus : path, optional
        Folder with one text collection or LETOR data, or a folder of such folders.
    runs, qrels : path, optional
        Folder of TREC runs, and the judgments of their queries.
    small, seed, trials, methods, bins
        See :class:`Setup`.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     setup = find_setup(Path(folder), small=True)
    >>> [corpus.name for corpus in setup.corpora], setup.letor
    (['docstrings'], ())
    """
    chosen: dict[str, Any] = {"seed": seed, "trials": trials, "methods": methods, "bins": bins}
    if small:
        return Setup((EmbeddedCorpus(),), (), (), workspace, small=True, **chosen)
    data = Path(os.environ.get("RANKMAX_DATA") or _BESIDE)
    own = [] if corpus is None else _folders(Path(corpus))
    texts = [FolderCorpus(folder) for folder in own if FolderCorpus.fits(folder)]
    letor = [LetorCollection(folder) for folder in own if LetorCollection.fits(folder)]
    if corpus is not None and not texts and not letor:
        raise DataFormatError(
            corpus,
            "neither text (docs.*, topics.* or queries.*, qrels.*) nor LETOR data (S1.txt to S5.txt, or Fold1 to "
            "Fold5), nor a folder of folders with either",
        )
    if corpus is None:
        texts = [FolderCorpus(folder) for folder in _children(data / "text") if FolderCorpus.fits(folder)]
        letor = [LetorCollection(folder) for folder in _children(data / "letor") if LetorCollection.fits(folder)]
    corpora: Sequence[Corpus] = texts if corpus is not None and texts else [*texts, EmbeddedCorpus()]
    if runs is not None and qrels is not None:
        run_sets = [RunSet(Path(runs), Path(qrels))]
    else:
        run_sets = [one for folder in _children(data / "runs") if (one := RunSet.of_folder(folder)) is not None]
    return Setup(tuple(corpora), tuple(letor), tuple(run_sets), workspace, **chosen)


def _folders(folder: Path) -> list[Path]:
    if not folder.is_dir():
        raise DataFormatError(folder, "no such folder")
    return [folder, *_children(folder)]


def _children(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.is_dir()) if folder.is_dir() else []
