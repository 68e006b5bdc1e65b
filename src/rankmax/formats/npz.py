"""Data sets in numpy's .npz container: fast to load, exact to the bit, without pickle.

The file is a zip archive of ``.npy`` arrays::

    format                                          "rankmax/dataset/1"
    features                                        dense; or instead, for sparse features,
    sparse_values, sparse_rows, sparse_offsets      the arrays of the CSC form; or, for binned features,
    codes, code_bases, code_cuts                    those of a BinnedMatrix
    grades, query_offsets                           NaN: not judged
    unretrieved_grades, unretrieved_offsets
    {feature_names,query_ids,document_ids}_{bytes,lengths}    document ids only if there are any
    rows                                            only if the documents were reordered
"""

from __future__ import annotations

import os
import struct
import zipfile
from collections.abc import Sequence
from typing import IO, TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from rankmax._io.files import atomic_writer, open_binary
from rankmax.data.binned_matrix import BinnedMatrix
from rankmax.data.dataset import RankingDataset
from rankmax.data.feature_matrix import feature_matrix
from rankmax.data.ids import Ids
from rankmax.data.judgments import Judgments
from rankmax.data.packed_strings import pack, unpack
from rankmax.errors import DataFormatError, InvalidDataError

if TYPE_CHECKING:
    from rankmax._arrays import F64
    from rankmax.data.feature_matrix import Features

_FORMAT = "rankmax/dataset/1"
_CHUNK = 1 << 22
_LOCAL_HEADER = struct.Struct("<4s5H3L2H")  # of a zip archive's member; its name and extra fields follow
_ZIP64_FIELD = 20  # bytes of the extra field that zipfile adds
_ALIGNMENT = 64
_ALIGNMENT_FIELD = 0xD935  # the extra field that Android's zipalign pads with
_MAX_DEFLATE_RATIO = 1100  # deflate cannot pack tighter than 1:1032; a file that claims more is damaged


def write_npz(data: RankingDataset, path: str | os.PathLike[str]) -> None:
    """Write a data set as ``.npz``; the file appears complete or not at all.

    Parameters
    ----------
    data : RankingDataset
    path : path

    Examples
    --------
    >>> import tempfile
    >>> data = RankingDataset.from_arrays([[0.5], [0.1]], [1, 0], qid=["q7", "q7"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_npz(data, f"{folder}/data.npz")
    ...     read_npz(f"{folder}/data.npz").query_ids
    ('q7',)
    """
    judgments = data.judgments
    arrays: dict[str, NDArray[Any]] = {
        "format": np.array(_FORMAT),
        "grades": data.grades,
        "query_offsets": data.query_offsets,
        "unretrieved_grades": judgments.levels[judgments.unretrieved_levels],
        "unretrieved_offsets": judgments.unretrieved_offsets,
        **_packed("feature_names", data.feature_names),
        **_packed("query_ids", data.query_ids),
    }
    if isinstance(data.features, np.ndarray):
        arrays["features"] = data.features
    elif isinstance(data.features, BinnedMatrix):
        arrays["codes"] = data.features.codes
        arrays["code_bases"] = data.features.bases
        arrays["code_cuts"] = data.features.cuts
    else:
        arrays["sparse_values"] = data.features.data
        arrays["sparse_rows"] = data.features.indices
        arrays["sparse_offsets"] = data.features.indptr
    if data.document_ids is not None:
        arrays.update(_packed("document_ids", data.document_ids))
    if data.rows is not None:
        arrays["rows"] = data.rows
    with atomic_writer(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        for name, array in arrays.items():
            member = zipfile.ZipInfo(f"{name}.npy")
            member.extra = _padding(file.tell() + _LOCAL_HEADER.size + len(member.filename))
            with archive.open(member, "w", force_zip64=True) as target:
                np.lib.format.write_array(target, array, version=(1, 0), allow_pickle=False)


def _padding(start: int) -> bytes:
    """Return an extra field after which an array begins at a multiple of 64 bytes, so that it can be mapped."""
    size = -(start + _ZIP64_FIELD + 4) % _ALIGNMENT
    return struct.pack("<HH", _ALIGNMENT_FIELD, size) + bytes(size)


def read_npz(path: str | os.PathLike[str], *, mapped: bool = False) -> RankingDataset:
    """Read a data set written by :func:`write_npz`.

    Parameters
    ----------
    path : path
    mapped : bool
        Whether to leave dense features on disk, from where the system loads what is used and drops it when memory is
        short. They are read once to check that they are finite; their checksum in the archive is not compared.

    Examples
    --------
    >>> read_npz("no-such.npz")
    Traceback (most recent call last):
    rankmax.errors.DataFormatError: no-such.npz: no such file
    """
    with open_binary(path) as file:
        features = _mapped_features(file, path) if mapped else None
        arrays = _read_arrays(file, path, without=() if features is None else ("features",))
    _check_format(arrays, path)
    if features is not None:
        arrays["features"] = features
    try:
        return _assemble(arrays)
    except KeyError as error:
        raise DataFormatError(path, f"the array {error.args[0]!r} is missing") from None
    except InvalidDataError as error:
        raise DataFormatError(path, str(error)) from None


def _mapped_features(file: IO[bytes], path: str | os.PathLike[str]) -> NDArray[Any] | None:
    """Return the features as a memory map of the file, or None if they are sparse or cannot be mapped."""
    try:
        with zipfile.ZipFile(file) as archive:
            member = next((info for info in archive.infolist() if info.filename == "features.npy"), None)
        if member is None or member.compress_type != zipfile.ZIP_STORED:
            return None
        file.seek(member.header_offset)
        name_length, extra_length = _LOCAL_HEADER.unpack(file.read(_LOCAL_HEADER.size))[-2:]
        file.seek(name_length + extra_length, os.SEEK_CUR)
        begin = file.tell()
        if np.lib.format.read_magic(file) != (1, 0):
            return None
        shape, fortran_order, dtype = np.lib.format.read_array_header_1_0(file)
        offset, order = file.tell(), "F" if fortran_order else "C"
        n_bytes = int(np.prod(shape, dtype=object)) * dtype.itemsize
        if offset % _ALIGNMENT or offset - begin + n_bytes != member.file_size or not n_bytes:
            return None
        if dtype in (np.float32, np.float64):
            _require_finite(file, dtype, shape, order)
        return np.memmap(path, dtype, "r", offset, shape, order)  # type: ignore[call-overload,no-any-return]
    except InvalidDataError as error:
        raise DataFormatError(path, str(error)) from None
    except Exception as error:
        raise DataFormatError(path, f"not an intact .npz file ({error or type(error).__name__})") from None


def _require_finite(file: IO[bytes], dtype: np.dtype[Any], shape: tuple[int, ...], order: str) -> None:
    """Read features in pieces instead of through the map, whose pages would count as memory of this process."""
    n_entries, at_once = int(np.prod(shape)), _CHUNK // dtype.itemsize
    for first in range(0, n_entries, at_once):
        part = np.frombuffer(file.read(min(at_once, n_entries - first) * dtype.itemsize), dtype)
        finite = np.isfinite(part)
        if not finite.all():
            wrong = int(np.argmin(finite))
            place = ", ".join(map(str, np.unravel_index(first + wrong, shape, "F" if order == "F" else "C")))
            raise InvalidDataError(f"features[{place}] is {part[wrong]}; features must be finite numbers")


def _read_arrays(
    file: IO[bytes], path: str | os.PathLike[str], *, without: Sequence[str] = ()
) -> dict[str, NDArray[Any]]:
    # Damage shows as various errors of zip, zlib or numpy, from NotImplementedError to TokenError: any of
    # them means that the file is not intact.
    try:
        size = file.seek(0, os.SEEK_END)
        with zipfile.ZipFile(file) as archive:
            names = {info.filename.removesuffix(".npy"): info for info in archive.infolist()}
            return {name: _read_array(archive, names[name], size) for name in names if name not in without}
    except MemoryError:
        raise
    except Exception as error:
        raise DataFormatError(path, f"not an intact .npz file ({error or type(error).__name__})") from None


def _read_array(archive: zipfile.ZipFile, info: zipfile.ZipInfo, file_size: int) -> NDArray[Any]:
    """Read one array; its size is checked against that of the file before memory is allocated."""
    if info.compress_size > file_size or info.file_size > _MAX_DEFLATE_RATIO * file_size:
        raise ValueError(f"{info.filename} claims more bytes than the file has")
    with archive.open(info) as member:
        version = np.lib.format.read_magic(member)
        if version != (1, 0):
            raise ValueError(f"{info.filename} has npy version {version}, expected (1, 0)")
        shape, fortran_order, dtype = np.lib.format.read_array_header_1_0(member)
        n_bytes = int(np.prod(shape, dtype=object)) * dtype.itemsize
        if dtype.hasobject or min(shape, default=0) < 0 or member.tell() + n_bytes != info.file_size:
            raise ValueError(f"the header of {info.filename} does not fit its content")
        raw = np.empty(n_bytes, np.uint8)
        for first in range(0, n_bytes, _CHUNK):
            part = raw[first : first + _CHUNK]
            part[:] = np.frombuffer(member.read(part.size), np.uint8)
        if member.read(1):  # also makes zipfile compare the checksum
            raise ValueError(f"{info.filename} is longer than announced")
    array = raw.view(dtype).reshape(shape, order="F" if fortran_order else "C")
    return array.astype(dtype.newbyteorder("="), copy=False)


def _check_format(arrays: dict[str, NDArray[Any]], path: str | os.PathLike[str]) -> None:
    stored = arrays.get("format")
    found = str(stored) if stored is not None and stored.dtype.kind == "U" else None
    if found == _FORMAT:
        return
    if found is None or not found.startswith(_FORMAT.rpartition("/")[0]):
        raise DataFormatError(path, f"not a rankmax data set: its format should be {_FORMAT!r}")
    raise DataFormatError(path, f"has format {found!r}; this version of rankmax reads {_FORMAT!r}")


def _assemble(arrays: dict[str, NDArray[Any]]) -> RankingDataset:
    offsets = _typed(arrays, "query_offsets", np.int64)
    judgments = Judgments.from_grades(
        _typed(arrays, "grades", np.float64),
        offsets,
        query_ids=_unpacked(arrays, "query_ids").to_list(),
        document_ids=_unpacked(arrays, "document_ids") if "document_ids_bytes" in arrays else None,
        unretrieved_grades=_typed(arrays, "unretrieved_grades", np.float64),
        unretrieved_offsets=_typed(arrays, "unretrieved_offsets", np.int64),
    )
    names = tuple(_unpacked(arrays, "feature_names").to_list())
    rows = _typed(arrays, "rows", np.int64) if "rows" in arrays else None
    if rows is not None and rows.size != judgments.n_documents:
        raise InvalidDataError(f"{rows.size} rows for {judgments.n_documents} documents")
    return RankingDataset(_features(arrays, (judgments.n_documents, len(names))), names, judgments, rows)


def _features(arrays: dict[str, NDArray[Any]], shape: tuple[int, int]) -> Features:
    if "codes" in arrays:
        bases, cuts = (_typed(arrays, name, np.int64) for name in ("code_bases", "code_cuts"))
        return BinnedMatrix(arrays["codes"], bases, cuts)
    if "sparse_values" not in arrays:
        features = arrays["features"]
        if features.dtype not in (np.float32, np.float64):
            raise InvalidDataError(f"features are {features.dtype.name}, expected float32 or float64")
        return cast("F64", features) if isinstance(features, np.memmap) else feature_matrix(features, copy=False)
    from scipy.sparse import csc_array

    rows, offsets = (_vector(arrays, name, "i") for name in ("sparse_rows", "sparse_offsets"))
    values = _vector(arrays, "sparse_values", "f")
    # scipy's own check ignores the order of offsets whose last is 0, and its loops then leave their arrays.
    if (
        offsets.size != shape[1] + 1
        or offsets[0] != 0
        or offsets[-1] != rows.size
        or rows.size != values.size
        or (offsets[1:] < offsets[:-1]).any()
    ):
        raise InvalidDataError(
            "the sparse features do not fit together: sparse_offsets must increase from 0 to the number of values, "
            f"{values.size}, in {shape[1]} steps"
        )
    try:
        matrix = csc_array((values, rows, offsets), shape=shape)
        matrix.check_format(full_check=True)
    except ValueError as error:
        raise InvalidDataError(f"the sparse features do not fit together: {error}") from None
    return feature_matrix(matrix, copy=False)


def _typed(arrays: dict[str, NDArray[Any]], name: str, dtype: type[np.generic]) -> NDArray[Any]:
    array = _vector(arrays, name, np.dtype(dtype).kind)
    if array.dtype != dtype:
        raise InvalidDataError(f"{name} has type {array.dtype.name}, expected {np.dtype(dtype).name}")
    return array


def _vector(arrays: dict[str, NDArray[Any]], name: str, kind: str) -> NDArray[Any]:
    array = arrays[name]
    if array.ndim != 1 or array.dtype.kind != kind:
        raise InvalidDataError(f"{name} has shape {array.shape} and type {array.dtype.name}")
    return array


def _packed(name: str, strings: Sequence[str]) -> dict[str, NDArray[Any]]:
    packed, lengths = pack(strings)
    return {f"{name}_bytes": packed, f"{name}_lengths": lengths}


def _unpacked(arrays: dict[str, NDArray[Any]], name: str) -> Ids:
    return unpack(_typed(arrays, f"{name}_bytes", np.uint8), _typed(arrays, f"{name}_lengths", np.int64))
