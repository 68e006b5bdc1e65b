"""Sets of runs submitted to an evaluation, with the judgments of their queries."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Self

from rankmax._io.files import read_bytes
from rankmax.data.runs import Qrels, Run
from rankmax.errors import DataFormatError
from rankmax.formats.trec import read_qrels, read_run
from rankmax.papers.fingerprints import content_fingerprint

_LIST = "runs.txt"


class RunSet:
    """A folder of TREC runs as base functions.

    Where it has a file ``runs.txt`` with one file name per line, only these files count.

    Parameters
    ----------
    folder : Path
    qrels : Path

    Examples
    --------
    >>> RunSet.of_folder(Path("no-such-folder")) is None
    True
    """

    def __init__(self, folder: Path, qrels: Path) -> None:
        self.folder, self.qrels = folder, qrels
        self.name = folder.resolve().name

    @classmethod
    def of_folder(cls, folder: Path) -> Self | None:
        """Return the runs of a folder that also has judgments (qrels*), else None.

        Parameters
        ----------
        folder : Path
        """
        found = sorted(folder.glob("qrels*")) if folder.is_dir() else []
        return cls(folder, found[0]) if found else None

    @property
    def paths(self) -> list[Path]:
        """Files of the runs."""
        if not self.folder.is_dir():
            raise DataFormatError(self.folder, "no such folder")
        if (listed := self.folder / _LIST).is_file():
            paths = list(self._listed(listed))
        else:
            found = [path for path in sorted(self.folder.iterdir()) if path.is_file() and path != self.qrels]
            paths = [path for path in found if not path.name.startswith(("qrels", "."))]
        if len(paths) < 2:
            raise DataFormatError(self.folder, f"{len(paths)} runs; combining needs at least two")
        return paths

    def _listed(self, file: Path) -> Iterator[Path]:
        for number, line in enumerate(read_bytes(file).decode("utf-8", "replace").splitlines(), 1):
            if name := line.strip():
                if not (path := self.folder / name).is_file():
                    raise DataFormatError(file, f"no file {name} in {self.folder}; name one run per line", line=number)
                yield path

    @cached_property
    def fingerprint(self) -> str:
        """Fingerprint of the files' content."""
        return content_fingerprint([*self.paths, self.qrels])

    @cached_property
    def content(self) -> tuple[dict[str, Run], Qrels]:
        """The runs by name, and the judgments."""
        runs = {path.name.removesuffix(".gz").removesuffix(".run"): read_run(path) for path in self.paths}
        return runs, read_qrels(self.qrels)
