"""Steps of a SQL query: common table expressions and window functions of standard SQL.

A step of a normalization computes columns from those of the steps before, such as x, over the documents of a query, the
window w. Window functions do not nest, and MariaDB takes long for each, so each step is a common table expression.

NULL means that a system did not retrieve the document. MIN, MAX, AVG, SUM and COUNT ignore it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

from rankmax.engines.sql.dialect import Dialect, double
from rankmax.errors import IncompatibleError
from rankmax.preprocessing.feature_normalization import Normalization, Unchanged
from rankmax.preprocessing.run_normalization import RetrievedNormalization

_Key = TypeVar("_Key")
WINDOW = "OVER (PARTITION BY query)"
"""The window of all documents of a query."""
_LOW_HIGH = {"low": "MIN({x}) {w}", "high": "MAX({x}) {w}"}
_NO_ZEROS = {"x": "NULLIF({x}, 0)"}  # to OpenSearch a score of 0 is no hit
_STRETCHED = "ELSE ({x} - {low}) / ({high} - {low}) END"
_STEPS: dict[str, list[dict[str, str]]] = {
    # Over all documents: NULL has become 0 before.
    "min-max": [
        _LOW_HIGH,
        {"x": "COALESCE(({x} - {low}) / NULLIF({high} - {low}, 0), 0e0)"},
    ],
    "z-score": [
        {**_LOW_HIGH, "mean": "AVG({x}) {w}"},
        {"x": "CASE WHEN {low} < {high} THEN {x} - {mean} ELSE 0e0 END"},
        {"x": "COALESCE({x} / NULLIF(SQRT(AVG({x} * {x}) {w}), 0), 0e0)"},
    ],
    "percentile": [  # CUME_DIST has ten digits in MariaDB
        {"x": "{one} * COUNT(*) OVER (PARTITION BY query ORDER BY {x}) / COUNT(*) {w}"},
    ],
    "sum": [
        {"x": "COALESCE({x} / NULLIF(SUM(ABS({x})) {w}, 0), 0e0)"},
    ],
    # Over retrieved documents only.
    "l2": [
        {"x": "COALESCE({x} / NULLIF(SQRT(SUM({x} * {x}) {w}), 0), 0e0)"},
    ],
    "retrieved-min-max": [
        _LOW_HIGH,
        {"x": f"CASE WHEN {{x}} IS NULL THEN 0e0 WHEN {{low}} = {{high}} THEN 1e0 {_STRETCHED}"},
    ],
    "elasticsearch-min-max": [
        _LOW_HIGH,
        {"x": f"CASE WHEN {{x}} IS NULL THEN 0e0 WHEN {{high}} - {{low}} < 1e-6 THEN 1e0 {_STRETCHED}"},
    ],
    "opensearch-min-max": [
        _NO_ZEROS,
        _LOW_HIGH,
        {
            "x": "CASE WHEN {x} IS NULL THEN 0e0 WHEN {low} = {high} THEN 1e0 WHEN {x} = {low} THEN 1e-3 " + _STRETCHED,
        },
    ],
    "retrieved-z-score": [
        {**_LOW_HIGH, "mean": "AVG({x}) {w}"},
        {"x": "CASE WHEN {low} < {high} THEN {x} - {mean} ELSE 0e0 END"},
        {"least": "MIN({x}) {w}", "deviation": "SQRT(AVG({x} * {x}) {w})"},
        {"x": "COALESCE(COALESCE({x}, {least}) / NULLIF({deviation}, 0), 0e0)"},
    ],
    "opensearch-z-score": [
        _NO_ZEROS,
        {"mean": "AVG({x}) {w}", "high": "MAX({x}) {w}", "largest": "MAX(ABS({x})) {w}"},
        {"x": "{x} - {mean}"},
        {"squares": "SUM({x} * {x}) {w}", "n": "COUNT({x}) {w}"},
        {
            "x": "CASE WHEN {x} IS NULL THEN 0e0 WHEN ABS({x}) <= 1e-9 * {largest} THEN {high} WHEN {x} < 0 THEN 1e-3 "
            "ELSE {x} / SQRT({squares} / ({n} - 1)) END",
        },
    ],
    "milvus-inner-product": [
        {"x": "CASE WHEN {x} IS NULL THEN 0e0 ELSE 0.5e0 + ATAN({x}) / 3.141592653589793e0 END"},
    ],
    "reciprocal-rank": [
        {
            "x": "CASE WHEN {x} IS NULL THEN 0e0 ELSE {one} / ({k} + ROW_NUMBER() OVER "
            "(PARTITION BY query, CASE WHEN {x} IS NULL THEN 0 ELSE 1 END ORDER BY {x} DESC, {document} DESC)) END",
        },
    ],
}
"""Steps of each normalization: expressions by column name; x is the column that is normalized."""


class Steps:
    """A chain of common table expressions, each of which adds columns to those of the last.

    The first keeps no column but query and document, so that no feature can have the name of a computed column.

    Parameters
    ----------
    dialect : Dialect
    first : sequence of str
        Common table expressions to begin with.

    Examples
    --------
    >>> from rankmax.engines.sql.dialect import POSTGRESQL
    >>> steps = Steps(POSTGRESQL)
    >>> steps.add({"bm25": "2 * bm25"})
    {'bm25': 'x1'}
    >>> print(steps.select("x1"))
    WITH step1 AS (
      SELECT query, document,
        2 * bm25 AS x1
      FROM "candidates"
    )
    SELECT query, document, x1 AS score
    FROM step1
    ORDER BY query, score DESC, CAST(document AS TEXT) COLLATE "C" DESC;
    """

    def __init__(self, dialect: Dialect, first: Sequence[str] = ()) -> None:
        self._first = list(first)
        self.dialect = dialect
        self._table = dialect.name("candidates")  # quoted: an error where quotes would make strings of features
        self._document = dialect.by_bytes.format(x="document")
        self._expressions: list[str] = []
        self._n_columns = 0
        self._filled = False

    def add(self, expressions: Mapping[_Key, str]) -> dict[_Key, str]:
        """Add a step that computes columns, and return their names.

        Parameters
        ----------
        expressions : mapping to str
            Expressions of the last step's columns.
        """
        names: dict[_Key, str] = {}
        for key in expressions:
            self._n_columns += 1
            names[key] = f"x{self._n_columns}"
        columns = "".join(f",\n    {expressions[key]} AS {name}" for key, name in names.items())
        kept = f"{self._table}.*" if self._expressions else "query, document"
        step = f"step{len(self._expressions) + 1}"
        self._expressions.append(f"{step} AS (\n  SELECT {kept}{columns}\n  FROM {self._table}\n)")
        self._table = step
        return names

    def begin(self, features: list[str], others: Mapping[str, str], *, missing: bool) -> dict[str, str]:
        """Add the first step: features as doubles, and other expressions of the table's columns.

        Parameters
        ----------
        features : list of str
        others : mapping of str to str
            Other expressions, by key.
        missing : bool
            Whether to keep NULL, for a normalization that needs to know; otherwise it becomes 0.
        """
        self._filled = not missing
        raw = {name: self.dialect.double.format(x=self.dialect.name(name)) for name in features}
        return self.add({**(raw if missing else {name: _filled(raw[name]) for name in raw}), **others})

    def normalize(self, columns: Mapping[str, str], normalization: Normalization) -> dict[str, str]:
        """Normalize columns within queries, and return the names of the results, which are never NULL.

        Parameters
        ----------
        columns : mapping of str to str
        normalization : Normalization
        """
        if columns and not (self._filled or isinstance(normalization, RetrievedNormalization)):
            columns = self.add({key: _filled(name) for key, name in columns.items()})
        if normalization == Unchanged():
            return dict(columns)
        if normalization.name not in _STEPS:
            raise IncompatibleError(f"no SQL is known for the normalization {normalization.name!r}")
        parameters = {key: double(value) for key, value in normalization.to_dict().items() if key != "name"}
        parameters |= {"w": WINDOW, "one": self.dialect.one, "document": self._document}
        names = {key: {"x": name} for key, name in columns.items()}
        for step in _STEPS[normalization.name]:
            expressions = {
                (key, column): template.format(**names[key], **parameters)
                for key in names
                for column, template in step.items()
            }
            for (key, column), name in self.add(expressions).items():
                names[key][column] = name
        return {key: known["x"] for key, known in names.items()}

    def select(self, score: str, limit: int | None = None) -> str:
        """Return the whole query.

        Parameters
        ----------
        score : str
            An expression of the last step's columns.
        limit : int, optional
            Number of rows to return; all by default.
        """
        least = "" if limit is None else f"\nLIMIT {limit}"
        tables = ", ".join([*self._first, *self._expressions])
        return (
            f"WITH {tables}\nSELECT query, document, {score} AS score\nFROM {self._table}\n"
            f"ORDER BY query, score DESC, {self._document} DESC{least};\n"
        )


def _filled(expression: str) -> str:
    return f"COALESCE({expression}, 0e0)"
