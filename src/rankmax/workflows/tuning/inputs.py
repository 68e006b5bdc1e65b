"""What there is to tune, from files: runs and qrels, or a log of features."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from rankmax.data.formats import read_dataset
from rankmax.data.join import grade_features
from rankmax.data.query_columns import read_query_column
from rankmax.data.trec import read_qrels, read_run
from rankmax.errors import IncompatibleError, InvalidDataError
from rankmax.fusion.signals import Signals, signals_of_features, signals_of_runs
from rankmax.fusion.varying import QueryColumn
from rankmax.workflows.named_files import named_files

_LOGS = (".jsonl", ".csv", ".tsv", ".parquet", ".npz")  # beside qrels, any other name is a run's


def read_signals(
    paths: Sequence[str], qrels_path: str | None = None, *, tick: Callable[[], None] = lambda: None
) -> Signals:
    """Read runs with qrels, or a data file, whose grades qrels may replace.

    Parameters
    ----------
    paths : sequence of str
        Runs, or one file of features; each may be ``name=path``.
    qrels_path : str, optional
        Needed for runs.
    tick : callable
        Called after each file.

    Examples
    --------
    >>> read_signals(["bm25.run", "e5.run"])
    Traceback (most recent call last):
    rankmax.errors.IncompatibleError: 2 files without qrels: runs need judgments (--qrels); a log of features is one
    file
    """
    files = named_files(paths)
    if qrels_path is None:
        if len(files) != 1:
            raise IncompatibleError(
                f"{len(files)} files without qrels: runs need judgments (--qrels); a log of features is one file"
            )
        data = read_dataset(files[0].path)
        tick()
        return signals_of_features(data)
    qrels = read_qrels(qrels_path)
    if len(files) == 1 and _is_log(files[0].path):
        graded = grade_features(read_dataset(files[0].path), qrels)
        tick()
        if not graded.n_queries:
            raise InvalidDataError(f"no query of {files[0].path} is judged in {qrels_path}; the ids must be the same")
        return signals_of_features(graded)
    runs = {}
    for name, path in files:
        runs[name] = read_run(path)
        tick()
    return signals_of_runs(runs, qrels)


def column_of(signals: Signals, topics_path: str, column: str) -> QueryColumn:
    """Read what weights shall depend on, for the signals' queries.

    Parameters
    ----------
    signals : Signals
    topics_path : str
        As :func:`~rankmax.data.query_columns.read_query_column` takes it.
    column : str
    """
    values = read_query_column(topics_path, column)
    missing = [query for query in signals.data.query_ids if query not in values]
    if missing:
        raise InvalidDataError(f"{topics_path} lacks {len(missing)} judged queries, such as {missing[0]!r}")
    return QueryColumn.of(column, [values[query] for query in signals.data.query_ids])


def _is_log(path: str) -> bool:
    name = os.fspath(path).lower().removesuffix(".gz")
    return name.endswith(_LOGS)
