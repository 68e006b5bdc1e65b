"""Files that the page brings into the project."""

from __future__ import annotations

from pathlib import Path

from rankmax.data.formats import require_format
from rankmax.errors import DataFormatError, RankmaxError
from rankmax.files import atomic_writer
from rankmax.models.files import model_from_json
from rankmax.studio.session import Session

MOST_BYTES = 64 << 20
"""Of a file that is uploaded; larger ones are better copied to the folder."""


def take_upload(session: Session, name: str, content: bytes) -> dict[str, str]:
    """Write an uploaded file, a model or data, if it can be read as what its name says.

    Parameters
    ----------
    session : Session
    name : str
    content : bytes

    Examples
    --------
    >>> import tempfile
    >>> from rankmax.workflows.projects.project import Project
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     take_upload(Session(Project.at(folder)), "test.txt", b"1 qid:7 1:0.5")
    {'name': 'test.txt'}
    """
    suffix = Path(name).suffix.lower()
    if suffix == ".gz":
        raise DataFormatError(name, "a packed file could grow without bound; unpack it, or copy it to the folder")
    if suffix == ".json":
        model_from_json(content, source=name)
    else:
        require_format(name)
    path = session.project.new_file(name)
    with atomic_writer(path) as file:
        file.write(content)
    if suffix != ".json":
        try:
            session.project.data(path.name)
        except RankmaxError as error:
            path.unlink()
            raise DataFormatError(name, str(error).removeprefix(f"{path}:").strip()) from None
    return {"name": path.name}
