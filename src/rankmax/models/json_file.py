"""Files of JSON that name their schema, complete or not there at all."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar, Self

import msgspec

from rankmax._version import __version__
from rankmax.errors import DataFormatError, RankmaxError
from rankmax.files import read_bytes, write_bytes


class JsonFile(ABC):
    """What has a file format of its own: JSON that names its schema, read and written in one way for all kinds.

    Attributes
    ----------
    schema : str
        The kind of file and its version, such as "rankmax/linear-model/1".
    noun : str
        What errors call it.
    """

    schema: ClassVar[str]
    noun: ClassVar[str] = "model"

    @abstractmethod
    def _document(self) -> msgspec.Struct:
        """Return the file as it stands on disk."""

    @classmethod
    @abstractmethod
    def _decoded(cls, content: bytes) -> Self:
        """Build it from JSON of its schema."""

    def to_json(self) -> bytes:
        """Return it as JSON, indented for reading."""
        return msgspec.json.format(msgspec.json.encode(self._document()), indent=2) + b"\n"

    @classmethod
    def from_json(cls, content: bytes, *, source: str | os.PathLike[str] | None = None) -> Self:
        """Build it from JSON.

        Parameters
        ----------
        content : bytes
        source : path
            Named in errors.
        """
        source = f"<{cls.noun}>" if source is None else source
        check_schema(content, (cls.schema,), source, noun=cls.noun)
        try:
            return cls._decoded(content)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, RankmaxError) as error:
            raise DataFormatError(source, f"no {cls.noun} of rankmax: {error}") from None

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it as a JSON file, which appears complete or not at all."""
        write_bytes(path, self.to_json())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read it from a JSON file."""
        return cls.from_json(read_bytes(path), source=path)


def check_schema(content: bytes, known: Sequence[str], source: str | os.PathLike[str], *, noun: str = "model") -> str:
    """Return the schema that a file names, or raise unless it is among those known.

    Parameters
    ----------
    content : bytes
        JSON.
    known : sequence of str
        Schemas, each a kind of file and a version, such as "rankmax/linear-model/1".
    source : path
        Named in errors.
    noun : str
        What errors call the file's content.

    Examples
    --------
    >>> check_schema(b'{"schema": "rankmax/tree/1"}', ["rankmax/linear-model/1"], "model.json")
    Traceback (most recent call last):
    rankmax.errors.DataFormatError: model.json: schema is 'rankmax/tree/1', expected 'rankmax/linear-model/1'
    """
    try:
        schema = msgspec.json.decode(content, type=_Header).schema
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise DataFormatError(source, f"no {noun} of rankmax: {error}") from None
    if schema in known:
        return schema
    kind, _, version = schema.rpartition("/")
    if version.isascii() and version.isdigit() and kind in {name.rpartition("/")[0] for name in known}:
        raise DataFormatError(
            source,
            f"schema {schema!r} is of another version than rankmax {__version__} reads "
            f"({' or '.join(known)}); upgrade rankmax to use a newer {noun}",
        )
    raise DataFormatError(source, f"schema is {schema!r}, expected {' or '.join(map(repr, known))}")


class _Header(msgspec.Struct):
    schema: str
