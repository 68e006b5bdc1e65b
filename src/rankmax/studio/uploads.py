"""Files that the page brings into the project."""

from __future__ import annotations

from pathlib import Path

from rankmax.errors import DataFormatError, RankmaxError
from rankmax.files import atomic_writer
from rankmax.model_files import model_from_json
from rankmax.studio.session import Session

MOST_BYTES = 64 << 20
"""Of a file that is uploaded; larger ones are better copied to the folder."""

_SUFFIXES = (".txt", ".letor", ".svm", ".dat", ".npz", ".parquet", ".json")  # packed ones could grow without bound


def take_upload(session: Session, name: str, content: bytes) -> dict[str, str]:
    """Write an uploaded file, a model or data, if it can be read as what its name says.

    Parameters
    ----------
    session : Session
    name : str
    content : bytes
    """
    suffix = Path(name).suffix.lower()
    if suffix not in _SUFFIXES:
        raise DataFormatError(name, f"expected a model (.json) or data ({', '.join(_SUFFIXES[:-1])})")
    path = session.project.new_file(name)
    if suffix == ".json":
        model_from_json(content, source=name)
    with atomic_writer(path) as file:
        file.write(content)
    if suffix != ".json":
        try:
            session.project.data(path.name)
        except RankmaxError as error:
            path.unlink()
            raise DataFormatError(name, str(error).removeprefix(f"{path}:").strip()) from None
    return {"name": path.name}
