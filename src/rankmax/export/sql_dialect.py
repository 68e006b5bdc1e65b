"""How databases write names, texts and numbers, so that one query gives the same doubles and the same order in all."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain, count

from rankmax.errors import IncompatibleError
from rankmax.export.formulas import number


@dataclass(frozen=True)
class Dialect:
    """What differs between databases.

    Attributes
    ----------
    title : str
        As in sentences.
    quote : str
        Around names.
    one : str
        The double 1.
    double : str
        Template that makes a number a double.
    by_bytes : str
        Template that makes a text one that is compared byte by byte, as rankmax compares ids and groups.
    databases : str
        A sentence on where the query runs.
    """

    title: str
    quote: str
    one: str
    double: str
    by_bytes: str
    databases: str

    def name(self, name: str) -> str:
        """Return a name of a column or table, quoted.

        Parameters
        ----------
        name : str
            A backslash is refused: what it means in front of a quote depends on MySQL's sql_mode.

        Examples
        --------
        >>> ANY.name("the third"), MYSQL.name("the `third`")
        ('"the third"', '`the ``third```')
        """
        if not name or "\\" in name or "\0" in name:
            raise IncompatibleError(
                f"a column called {name!r} is not the same to all databases: give it a name that is not empty and has "
                "no backslash"
            )
        return f"{self.quote}{name.replace(self.quote, 2 * self.quote)}{self.quote}"


ANY = Dialect(
    "SQL",
    '"',
    "EXP(0)",  # the type of that precision has no name that all of them know
    "EXP(0) * {x}",
    "/*! BINARY */ CAST({x} AS CHAR(255))",  # a comment to all but MySQL and MariaDB
    "It runs in SQLite, DuckDB, PostgreSQL, and in MySQL 8 and MariaDB with sql_mode ANSI_QUOTES. Equal scores go by "
    'document, byte by byte; in PostgreSQL where that column has COLLATE "C", which the query of rankmax export --to '
    "postgresql asks for itself.",
)
"""What SQLite, DuckDB, PostgreSQL, MySQL and MariaDB all understand."""
POSTGRESQL = Dialect(
    "PostgreSQL",
    '"',
    "CAST(1 AS DOUBLE PRECISION)",
    "CAST({x} AS DOUBLE PRECISION)",
    'CAST({x} AS TEXT) COLLATE "C"',
    "Equal scores go by document, byte by byte.",
)
MYSQL = Dialect(
    "MySQL",
    "`",
    "1e0",
    "CAST({x} AS DOUBLE)",
    "CAST(CAST({x} AS CHAR CHARACTER SET utf8mb4) AS BINARY)",
    "It runs in MySQL 8.0.17 and later and in MariaDB. Equal scores go by document, byte by byte.",
)


def double(value: float) -> str:
    """Return a number that every database reads as the same double: without an exponent, some read a decimal.

    Parameters
    ----------
    value : float

    Examples
    --------
    >>> double(0.3), double(1e-9)
    ('0.3e0', '1.0e-09')
    """
    written = number(value)
    return written if "e" in written else f"{written}e0"


def text(value: str) -> str:
    r"""Return a literal that every database reads as the same text, whatever it makes of backslashes.

    A backslash is the first character of ``'\\'``, which holds one in MySQL and two elsewhere; it is put in the place
    of a character that the text lacks.

    Parameters
    ----------
    value : str

    Examples
    --------
    >>> text("it's"), text("a\\b")
    ("'it''s'", "REPLACE('a~b', '~', SUBSTR('\\\\', 1, 1))")
    """
    if "\0" in value:
        raise IncompatibleError(f"not every database holds texts such as {value!r}: leave the character 0 out")
    if "\\" not in value:
        return _literal(value)
    codes = chain(range(ord("~"), ord(" "), -1), count(0xA1))
    substitute = next(chr(code) for code in codes if chr(code) not in value + "\\'")
    return f"REPLACE({_literal(value.replace(chr(92), substitute))}, '{substitute}', SUBSTR('\\\\', 1, 1))"


def _literal(value: str) -> str:
    doubled = value.replace("'", "''")
    return f"'{doubled}'"
