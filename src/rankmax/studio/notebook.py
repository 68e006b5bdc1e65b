"""`rankmax.studio`: the studio inside a notebook."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from contextlib import ExitStack
from html import escape
from pathlib import Path
from weakref import finalize

from rankmax._io.files import make_folder
from rankmax.data.content_hash import data_hash
from rankmax.data.dataset import RankingDataset
from rankmax.errors import InvalidDataError, MissingDependencyError
from rankmax.formats.npz import write_npz
from rankmax.formats.registry import read_dataset
from rankmax.workflows.projects.embedded import embedded_project
from rankmax.workflows.projects.project import Project

_FOLDER = "studio-project"


class Studio:
    """A studio that runs until it is closed, the result of :func:`rankmax.studio <rankmax.studio.notebook.studio>`.

    In a notebook it shows itself as a frame with the page.

    Parameters
    ----------
    project : Project
        The project to open.
    open_until_closed : ExitStack
        Resources that :meth:`close` releases, such as a temporary folder.
    port : int or None
        Port to listen on; None for 8765, or any free one where that is in use.
    height : int
        Height of the frame in pixels.

    Attributes
    ----------
    address : str
        Address of the page, with the token that gives access; it can be opened in another tab of the same machine.
    folder : Path
        Folder of the project, where models are saved.
    """

    def __init__(self, project: Project, open_until_closed: ExitStack, *, port: int | None, height: int) -> None:
        from rankmax.studio.server import StudioServer

        self.folder = project.folder
        self.height = height
        server = open_until_closed.enter_context(StudioServer(project, port=port, framed=True).in_background())
        self.address = server.access.address
        self._close = finalize(self, open_until_closed.close)

    def close(self) -> None:
        """End the studio and its trainings."""
        self._close()

    def __repr__(self) -> str:
        return f"<rankmax studio of {self.folder.name}: {self.address if self._close.alive else 'closed'}>"

    def _repr_html_(self) -> str:
        if not self._close.alive:
            return "<p>This studio was closed.</p>"
        name = escape(f"rankmax studio of {self.folder.name}")
        return (
            f'<iframe src="{escape(self.address)}" title="{name}" width="100%" height="{self.height}" '
            'allow="clipboard-write" style="border: 1px solid #868e99"></iframe>'
        )


def studio(
    data: RankingDataset | Mapping[str, RankingDataset] | str | os.PathLike[str] | None = None,
    *,
    folder: str | os.PathLike[str] | None = None,
    port: int | None = None,
    height: int = 860,
) -> Studio:
    """Open the studio, in a notebook as a frame below the cell.

    The frame loads from 127.0.0.1, so the browser must run on the machine of the kernel. The studio runs until
    :meth:`Studio.close`, until its result is forgotten, or until the kernel ends.

    Parameters
    ----------
    data : RankingDataset, mapping of str to RankingDataset, or path, optional
        A data set, several by name (``{"train": ..., "test": ...}``: names tell which queries are held out), a data
        file, or a project's folder. By default the docstrings of numpy and scipy, in the folder studio-project.
    folder : path, optional
        Folder to write data sets to, where the page saves models, too; by default a temporary one, which is removed
        when the studio is closed.
    port : int, optional
        Port to listen on; by default 8765, or any free one where that is in use.
    height : int, default 860
        Height of the frame in pixels.

    Examples
    --------
    >>> from rankmax import studio
    >>> from rankmax.data import planted_linear
    >>> page = studio(planted_linear(20, 10, 3, seed=1).data, port=0)
    >>> page
    <rankmax studio of rankmax-studio-...: http://127.0.0.1:.../.../>
    >>> page.close()
    """
    try:
        import starlette  # noqa: F401 - says what is missing before anything is written
        import uvicorn  # noqa: F401
    except ModuleNotFoundError as error:
        raise MissingDependencyError(error.name or "starlette", "studio", "the studio") from None
    with ExitStack() as opened:
        if data is None:
            project = embedded_project(Path(_FOLDER))
        elif isinstance(data, str | os.PathLike):
            project = Project.at(Path(data))
        else:
            place = Path(folder or opened.enter_context(tempfile.TemporaryDirectory(prefix="rankmax-studio-")))
            project = _written(data, place)
        return Studio(project, opened.pop_all(), port=port, height=height)


def _written(data: RankingDataset | Mapping[str, RankingDataset], folder: Path) -> Project:
    """Return a project with data sets of this process, each as a file."""
    by_name = {"data": data} if isinstance(data, RankingDataset) else dict(data)
    if not by_name or not all(isinstance(one, RankingDataset) for one in by_name.values()):
        raise InvalidDataError("the studio takes a RankingDataset, several by name, or the path of a file or folder")
    make_folder(folder, parents=True)
    project = Project(folder.resolve(), None)
    for name, one in by_name.items():
        known = folder / f"{name}.npz"
        if not (known.is_file() and data_hash(read_dataset(known)) == data_hash(one)):  # a cell may be run again
            write_npz(one, project.new_file(name, ".npz"))
    return Project.at(folder)
