"""JSON files that name their schema and are written completely or not at all."""

from __future__ import annotations

import os
import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar, Self

import msgspec

from rankmax._deprecation import RENAMED_KEYS
from rankmax._io.files import read_bytes, write_bytes
from rankmax._version import __version__
from rankmax.errors import DataFormatError, RankmaxError

# Line breaks are between tokens: in a string they are a backslash and a letter. So joining lines changes no value.
_NUMBERS = re.compile(rb"\[\n[^][{}\"]*\]")
_FLAT = re.compile(rb"\{\n[^{}]*\}")


class JsonFile(ABC):
    """Base class of objects with a JSON file format of their own, whose files name their schema.

    Attributes
    ----------
    schema : str
        Kind of file and its version, such as "rankmax/linear-model/1".
    noun : str
        Name of the object in error messages.
    """

    schema: ClassVar[str]
    noun: ClassVar[str] = "model"

    @abstractmethod
    def _document(self) -> msgspec.Struct:
        """Return the JSON document to write."""

    @classmethod
    @abstractmethod
    def _decoded(cls, content: bytes) -> Self:
        """Build the object from JSON of its schema."""

    def to_json(self) -> bytes:
        """Return the object as JSON, indented for reading; lists of numbers and innermost objects are one line."""
        text = msgspec.json.format(msgspec.json.encode(self._document()), indent=2)
        for short in (_NUMBERS, _FLAT):
            text = short.sub(_on_one_line, text)
        return text + b"\n"

    @classmethod
    def from_json(cls, content: bytes, *, source: str | os.PathLike[str] | None = None) -> Self:
        """Build the object from JSON.

        Parameters
        ----------
        content : bytes
        source : path
            Path to name in error messages.
        """
        source = f"<{cls.noun}>" if source is None else source
        check_schema(content, (cls.schema,), source, noun=cls.noun)
        for old, new in RENAMED_KEYS.items():
            if new not in content:
                content = content.replace(old, new)
        try:
            return cls._decoded(content)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, RankmaxError) as error:
            raise DataFormatError(source, f"not a rankmax {cls.noun}: {error}") from None

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the object to a JSON file, which appears complete or not at all."""
        write_bytes(path, self.to_json())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read the object from a JSON file."""
        return cls.from_json(read_bytes(path), source=path)


def _on_one_line(found: re.Match[bytes]) -> bytes:
    begin, *middle, end = (line.strip() for line in found[0].split(b"\n"))
    return begin + b" ".join(middle) + end


def check_schema(
    content: bytes, known: Sequence[str], source: str | os.PathLike[str], *, noun: str = "model", other: str = ""
) -> str:
    """Return the schema that a file names, or raise if it is not a known one.

    Parameters
    ----------
    content : bytes
        Content of the file.
    known : sequence of str
        Schemas, each a kind of file and a version, such as "rankmax/linear-model/1".
    source : path
        Path to name in error messages.
    noun : str
        Name of the file's content in error messages.
    other : str
        Other files that the caller reads, for error messages.

    Examples
    --------
    >>> check_schema(b'{"schema": "rankmax/tree/1"}', ["rankmax/linear-model/1"], "model.json")
    Traceback (most recent call last):
    rankmax.errors.DataFormatError: model.json: schema is 'rankmax/tree/1', expected 'rankmax/linear-model/1'
    """
    try:
        schema = msgspec.json.decode(content, type=_Header).schema
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        expected = "JSON with a schema, as rankmax writes it" + (f", or {other}" if other else "")
        reason = f"not a rankmax {noun}: expected {expected} ({error})"
        raise DataFormatError(source, reason) from None
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
