"""Files uploaded to the project."""

from __future__ import annotations

import gzip
import zlib
from io import BytesIO
from pathlib import Path
from zipfile import BadZipFile, ZipFile

from rankmax._io.files import GZIP_MAGIC, atomic_writer
from rankmax.errors import DataFormatError, RankmaxError
from rankmax.formats.interchange import as_qrels, as_run
from rankmax.formats.registry import require_format
from rankmax.models.model_files import model_from_json
from rankmax.studio.session import Session
from rankmax.workflows.projects.trec_files import trec_kind

MOST_BYTES = 64 << 20
"""Size limit of an uploaded file, and of its decompressed content; larger ones should be copied to the folder."""

_TREC = (".run", ".qrels", ".trec", ".res", ".results", ".out")  # names of runs and of judgments
_MOST_UNPACKED = 16 * MOST_BYTES  # in memory: a few compressed bytes can expand to any number of equal ones


def take_upload(session: Session, name: str, content: bytes) -> dict[str, str]:
    """Write an uploaded model, run, qrels or data file, if it can be read in the format of its name or content.

    A gzip file is decompressed, and its name loses the ``.gz``.

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
    if name.lower().endswith(".gz") or content.startswith(GZIP_MAGIC):  # readers go by the content
        content = _unpacked(name, content)
        name = name[:-3] if name.lower().endswith(".gz") else name
    suffix = Path(name).suffix.lower()
    kind = trec_kind(content) if suffix in (*_TREC, ".txt") else None
    if suffix == ".json":
        model_from_json(content, source=name)
    elif kind is None and suffix in _TREC:
        raise DataFormatError(
            name, "neither a run (query Q0 document rank score tag) nor judgments (query 0 document grade)"
        )
    elif kind is None:
        require_format(name)
        _require_bounded(name, suffix, content)
    path = session.project.new_file(name)
    with atomic_writer(path) as file:
        file.write(content)
    try:
        if kind is not None:
            (as_run if kind == "run" else as_qrels)(path)
        elif suffix != ".json":
            session.project.data(path.name)
    except BaseException as error:  # whatever happens, the file is removed
        path.unlink()
        if isinstance(error, RankmaxError):
            raise DataFormatError(name, str(error).removeprefix(f"{path}:").strip()) from None
        raise
    return {"name": path.name}


def _unpacked(name: str, content: bytes) -> bytes:
    """Return the content of a gzip file, if it is within the limits of an upload."""
    try:
        with gzip.open(BytesIO(content)) as file:
            unpacked = file.read(MOST_BYTES + 1)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise DataFormatError(name, f"damaged or truncated gzip file ({error})") from None
    if len(unpacked) > MOST_BYTES:
        raise DataFormatError(
            name,
            f"decompressed, it has more than the {MOST_BYTES >> 20} MB that an upload may have; "
            "copy it to the project's folder instead",
        )
    if unpacked.startswith(GZIP_MAGIC):  # its reader would decompress it again, without limit
        raise DataFormatError(name, "is compressed twice; decompress it first")
    return unpacked


def _require_bounded(name: str, suffix: str, content: bytes) -> None:
    """Raise if reading a file would take far more memory than the file has bytes."""
    n_bytes = {".npz": _npz_bytes, ".parquet": _parquet_bytes}.get(suffix, len)(content)
    if n_bytes > _MOST_UNPACKED:
        raise DataFormatError(
            name,
            f"decompressed, it would have {n_bytes >> 20} MB, and {_MOST_UNPACKED >> 20} are allowed for an upload; "
            "copy it to the project's folder instead",
        )


def _npz_bytes(content: bytes) -> int:
    try:
        with ZipFile(BytesIO(content)) as archive:
            return sum(member.file_size for member in archive.infolist())
    except BadZipFile:  # its reader has a better message
        return 0


def _parquet_bytes(content: bytes) -> int:
    try:
        from pyarrow import ArrowException
        from pyarrow.parquet import ParquetFile
    except ModuleNotFoundError:  # its reader has a better message
        return 0
    try:
        table = ParquetFile(BytesIO(content)).metadata
        packed = sum(table.row_group(i).total_byte_size for i in range(table.num_row_groups))
        cells = int(max(packed, 8 * table.num_rows * table.num_columns))
        return max(cells, _text_bytes(content)) if cells <= _MOST_UNPACKED else cells
    except (ArrowException, OSError, ValueError, MemoryError):
        return 0


def _text_bytes(content: bytes) -> int:
    """Return the total bytes of the ids: a file may store a long one once for many rows."""
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
