"""LETOR collections: five parts or five folds in a folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from rankmax.data.splits import LetorFold, letor_folds
from rankmax.formats.letor import read_letor
from rankmax.papers.fingerprints import fingerprint

_N_FOLDS = 5
_ROLES = ("train", "vali", "test")


class LetorCollection:
    """A folder with S1.txt to S5.txt, or Fold1 to Fold5 with train.txt, vali.txt and test.txt; plain or gzip.

    Parameters
    ----------
    folder : Path

    Examples
    --------
    >>> LetorCollection.fits(Path("no-such-folder"))
    False
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.name = folder.resolve().name

    @staticmethod
    def fits(folder: Path) -> bool:
        """Return whether a folder has the parts or the folds.

        Parameters
        ----------
        folder : Path
        """
        return len(_parts(folder)) == _N_FOLDS or len(_folds(folder)) == _N_FOLDS * len(_ROLES)

    @property
    def fingerprint(self) -> str:
        """Fingerprint of the names and sizes of the files."""
        return fingerprint(_parts(self.folder) or _folds(self.folder))

    def folds(self) -> Iterator[LetorFold]:
        """Yield the five folds, one at a time."""
        if parts := _parts(self.folder):
            yield from letor_folds([read_letor(part) for part in parts])
            return
        paths = _folds(self.folder)
        for first in range(0, len(paths), len(_ROLES)):
            yield LetorFold(*(read_letor(path) for path in paths[first : first + len(_ROLES)]))


def _parts(folder: Path) -> list[Path]:
    return [path for number in range(1, _N_FOLDS + 1) if (path := _file(folder, f"S{number}")) is not None]


def _folds(folder: Path) -> list[Path]:
    folds = [folder / f"Fold{number}" for number in range(1, _N_FOLDS + 1)]
    return [path for fold in folds for role in _ROLES if (path := _file(fold, role)) is not None]


def _file(folder: Path, stem: str) -> Path | None:
    return next((path for suffix in (".txt", ".txt.gz") if (path := folder / f"{stem}{suffix}").is_file()), None)
