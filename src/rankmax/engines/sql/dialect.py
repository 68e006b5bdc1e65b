"""SQL dialects: names, texts and numbers written so that every database computes the same doubles and order."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain, count

from rankmax.engines.formulas import number
from rankmax.errors import IncompatibleError


@dataclass(frozen=True)
class Dialect:
    """The syntax that differs between databases.

    Attributes
    ----------
    title : str
        Name in sentences.
    quote : str
        Character that quotes names.
    one : str
        Expression for 1 in double precision.
    double : str
        Template that converts a number to a double.
    by_bytes : str
        Template that converts a text to one compared byte by byte, as rankmax compares ids and groups.
    databases : str
        Sentence on the databases that run the query.
    """

    title: str
    quote: str
    one: str
    double: str
    by_bytes: str
    databases: str

    def name(self, name: str) -> str:
        """Return the quoted name of a column or table.

        Parameters
        ----------
        name : str
            Plain name. A backslash is refused: its meaning in front of a quote depends on MySQL's sql_mode.

        Examples
        --------
        >>> ANY.name("the third"), MYSQL.name("the `third`")
        ('"the third"', '`the ``third```')
        """
        if not name or "\\" in name or "\0" in name:
            raise IncompatibleError(
                f"databases read the column name {name!r} differently: give it a name that is not empty and has "
                "no backslash"
            )
        return f"{self.quote}{name.replace(self.quote, 2 * self.quote)}{self.quote}"


ANY = Dialect(
    "SQL",
    '"',
    "EXP(0)",  # there is no name for the type that all of them know
    "EXP(0) * {x}",
    "/*! BINARY */ CAST({x} AS CHAR(255))",  # a comment to all but MySQL and MariaDB
    "It runs in SQLite, DuckDB, PostgreSQL, and in MySQL 8 and MariaDB with sql_mode ANSI_QUOTES. Equal scores go by "
    'document, byte by byte; in PostgreSQL where that column has COLLATE "C", which the query of rankmax export --to '
    "postgresql asks for itself.",
)
"""The SQL that SQLite, DuckDB, PostgreSQL, MySQL and MariaDB all understand."""
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
    """Return a number that every database reads as the same double; without an exponent, some would read a decimal.

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
    r"""Return a literal that every database reads as the same text, whether or not a backslash is an escape.

    A backslash is the first character of ``'\\'``, which holds one in MySQL and two elsewhere; it replaces a character
    that the text lacks.

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
