"""Files that the page brings into the project."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from zipfile import BadZipFile, ZipFile

from rankmax.data.formats import require_format
from rankmax.errors import DataFormatError, RankmaxError
from rankmax.files import GZIP_MAGIC, atomic_writer
from rankmax.models.files import model_from_json
from rankmax.studio.session import Session

MOST_BYTES = 64 << 20
"""Of a file that is uploaded; larger ones are better copied to the folder."""

_MOST_UNPACKED = 16 * MOST_BYTES  # in memory: a few packed bytes can stand for any number of equal ones


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
    if suffix == ".gz" or content.startswith(GZIP_MAGIC):  # readers go by the content
        raise DataFormatError(name, "a packed file could grow without bound; unpack it, or copy it to the folder")
    if suffix == ".json":
        model_from_json(content, source=name)
    else:
        require_format(name)
        _require_bounded(name, suffix, content)
    path = session.project.new_file(name)
    with atomic_writer(path) as file:
        file.write(content)
    if suffix != ".json":
        try:
            session.project.data(path.name)
        except BaseException as error:  # whatever it is, the file does not stay
            path.unlink()
            if isinstance(error, RankmaxError):
                raise DataFormatError(name, str(error).removeprefix(f"{path}:").strip()) from None
            raise
    return {"name": path.name}


def _require_bounded(name: str, suffix: str, content: bytes) -> None:
    """Raise if reading a file would take far more memory than the file has bytes."""
    n_bytes = {".npz": _npz_bytes, ".parquet": _parquet_bytes}.get(suffix, len)(content)
    if n_bytes > _MOST_UNPACKED:
        raise DataFormatError(
            name,
            f"unpacked it would have {n_bytes >> 20} MB, and {_MOST_UNPACKED >> 20} are allowed here; "
            "copy it to the project's folder instead",
        )


def _npz_bytes(content: bytes) -> int:
    try:
        with ZipFile(BytesIO(content)) as archive:
            return sum(member.file_size for member in archive.infolist())
    except BadZipFile:  # its reader says so better
        return 0


def _parquet_bytes(content: bytes) -> int:
    try:
        from pyarrow import ArrowException
        from pyarrow.parquet import ParquetFile
    except ModuleNotFoundError:  # its reader says so better
        return 0
    try:
        table = ParquetFile(BytesIO(content)).metadata
        packed = sum(table.row_group(i).total_byte_size for i in range(table.num_row_groups))
        cells = int(max(packed, 8 * table.num_rows * table.num_columns))
        return max(cells, _text_bytes(content)) if cells <= _MOST_UNPACKED else cells
    except (ArrowException, OSError, ValueError, MemoryError):
        return 0


def _text_bytes(content: bytes) -> int:
    """Return how many bytes the ids have when each is written out: a file may hold a long one once for many rows."""
    import pyarrow as pa
    import pyarrow.compute as pc
    from pyarrow.parquet import ParquetFile

    n_bytes = 0
    schema = ParquetFile(BytesIO(content)).schema_arrow
    for name in schema.names:
        if pa.types.is_string(schema.field(name).type) or pa.types.is_dictionary(schema.field(name).type):
            for chunk in ParquetFile(BytesIO(content), read_dictionary=[name]).read([name]).column(0).chunks:
                lengths = pc.binary_length(chunk.dictionary.cast(pa.binary()))
                n_bytes += pc.sum(pc.take(lengths, chunk.indices)).as_py() or 0
    return n_bytes
