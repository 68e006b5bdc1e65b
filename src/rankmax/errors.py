"""Exceptions and warnings of rankmax; every exception derives from :class:`RankmaxError`.

A message says what was given, what is allowed and how to fix it; for files it names the path and the line.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from os import PathLike, fspath

_LONGEST, _END = 2000, 500  # characters of a message, and of its end, which holds the remedy
_LONGEST_NAME = 60  # characters
_MOST_SHOWN = 40  # known names listed in a message; a data set may have thousands of features


class RankmaxError(Exception):
    """Base class of errors caused by the input, never by the program itself."""

    def __str__(self) -> str:
        return _message(super().__str__())


class DataFormatError(RankmaxError):
    """A file does not conform to its format.

    Examples
    --------
    >>> print(DataFormatError("bm25.run", "expected 6 columns, found 4", line=17))
    bm25.run:17: expected 6 columns, found 4
    """

    def __init__(self, path: str | PathLike[str], reason: str, *, line: int | None = None) -> None:
        self.path = fspath(path)
        self.reason = reason
        self.line = line
        super().__init__(self.path, reason, line)

    def __str__(self) -> str:
        where = self.path if self.line is None else f"{self.path}:{self.line}"
        return _message(f"{where}: {self.reason}")

    def __reduce__(self) -> tuple[Callable[..., DataFormatError], tuple[str, str]]:
        return partial(type(self), line=self.line), (self.path, self.reason)  # files are read in other processes too


class CannotWriteError(DataFormatError):
    """A file or folder cannot be written: no space, no permission, or no folder to put it in.

    Examples
    --------
    >>> print(CannotWriteError("model.json", "No space left on device"))
    model.json: cannot write: No space left on device
    """

    def __init__(self, path: str | PathLike[str], why: str) -> None:
        super().__init__(path, f"cannot write: {why}")
        self.why = why

    def __reduce__(self) -> tuple[Callable[..., CannotWriteError], tuple[str, str]]:
        return type(self), (self.path, self.why)


def not_utf8(error: UnicodeDecodeError) -> str:
    r"""Return what to say of a file that is not UTF-8 text.

    Examples
    --------
    >>> try:
    ...     b"caf\xe9".decode()
    ... except UnicodeDecodeError as error:
    ...     not_utf8(error)
    'not UTF-8 text (byte 0xe9); convert it, as with iconv -t utf-8'
    """
    return f"not UTF-8 text (byte 0x{error.object[error.start]:02x}); convert it, as with iconv -t utf-8"


class InvalidDataError(RankmaxError, ValueError):
    """Arrays that do not make a ranking problem: lengths that differ, NaN, negative grades, ..."""


class InvalidParameterError(RankmaxError, ValueError):
    """A parameter outside its range, such as a cutoff of 0."""


class UnknownNameError(RankmaxError, ValueError):
    """An unknown name; the message suggests the closest known ones.

    Examples
    --------
    >>> print(UnknownNameError("metric", "nDGC", ["nDCG", "DCG", "AP"]))
    unknown metric 'nDGC'; did you mean 'nDCG' or 'DCG'? Known: AP, DCG, nDCG
    """

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        self.kind = kind
        self.name = name
        self.known = sorted(known)
        super().__init__(kind, name, self.known)

    def __str__(self) -> str:
        by_folded = {known.casefold(): known for known in self.known}
        near = [by_folded[n] for n in difflib.get_close_matches(self.name.casefold(), by_folded, n=3, cutoff=0.5)]
        hint = f"; did you mean {' or '.join(repr(_beginning(name)) for name in near)}?" if near else "."
        more = f", ... ({len(self.known)} in all)" if len(self.known) > _MOST_SHOWN else ""
        known = ", ".join(_beginning(known) for known in self.known[:_MOST_SHOWN])
        return _message(f"unknown {self.kind} {_beginning(self.name)!r}{hint} Known: {known}{more}")


class IncompatibleError(RankmaxError):
    """Two parts that do not work together; the message says what is missing and what would work."""


class NotFittedError(IncompatibleError, ValueError, AttributeError):
    """A learner was used before it was fitted."""


class MissingDependencyError(RankmaxError, ImportError):
    """An optional package is needed but not installed.

    Examples
    --------
    >>> print(MissingDependencyError("pyarrow", "parquet", "reading Parquet"))
    reading Parquet needs the package pyarrow: pip install 'rankmax[parquet]'
    """

    def __init__(self, package: str, extra: str, purpose: str) -> None:
        self.package = package
        self.extra = extra
        self.purpose = purpose
        super().__init__(package, extra, purpose)

    def __str__(self) -> str:
        return f"{self.purpose} needs the package {self.package}: pip install 'rankmax[{self.extra}]'"


class ServerError(RankmaxError):
    """A server could not be reached or refused a request.

    Parameters
    ----------
    message : str
    status : int, optional
        The HTTP status, where there was one.
    """

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


class TransientServerError(ServerError):
    """A failure that may pass: no connection, a time limit, or a server that is busy or broken for now.

    Parameters
    ----------
    message : str
    retry_after : float, optional
        Seconds after which the server wants to be asked again.
    """

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


def _beginning(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else f"{name[:_LONGEST_NAME]}..."


def some_of(names: Sequence[str]) -> str:
    """Return the first three names, and whether there are more: for messages.

    Parameters
    ----------
    names : sequence of str

    Examples
    --------
    >>> some_of(["q1", "q2", "q3", "q4"])
    'q1, q2, q3, ...'
    """
    return ", ".join(names[:3]) + (", ..." if len(names) > 3 else "")


def counted(n: int, one: str, many: str) -> str:
    """Return a number with its noun: for messages.

    Parameters
    ----------
    n : int
    one, many : str
        The noun, singular and plural.

    Examples
    --------
    >>> counted(1, "query", "queries"), counted(2000, "query", "queries")
    ('1 query', '2,000 queries')
    """
    return f"{n:,} {one if n == 1 else many}"


def _message(text: str) -> str:
    """Return the message, shortened in the middle if very long: what was given may be a whole file."""
    if len(text) <= _LONGEST:
        return text
    return f"{text[: _LONGEST - _END]} [...] {text[-_END:]}"


class RankmaxWarning(UserWarning):
    """Base class of warnings: there is a result, but it deserves a look."""


class ConvergenceWarning(RankmaxWarning):
    """A search stopped before it converged; its result is returned all the same."""


class TiedScoresWarning(RankmaxWarning):
    """A model gives all documents of a query the same score, so only their order in the data ranks them."""


class OverfittingWarning(RankmaxWarning):
    """A model has a far higher metric on its training queries than cross-validated."""


class DividedQueriesWarning(RankmaxWarning):
    """A query is divided between training and test data, so that its metric on the test data means little."""


class CheckpointWarning(RankmaxWarning):
    """A checkpoint could not be written; the work goes on without it."""
