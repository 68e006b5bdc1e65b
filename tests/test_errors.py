from __future__ import annotations

import pickle

import pytest

from rankmax.errors import (
    DataFormatError,
    IncompatibleError,
    InvalidDataError,
    MissingDependencyError,
    RankmaxError,
    UnknownNameError,
)


def test_a_long_list_of_known_names_is_cut() -> None:
    message = str(UnknownNameError("feature", "f7000", [f"f{i}" for i in range(1000)]))
    assert message.startswith("unknown feature 'f7000'; did you mean 'f700'")
    assert message.endswith("... (1000 in all)")
    assert len(message) < 400


def test_nothing_near_is_suggested_when_nothing_is() -> None:
    assert str(UnknownNameError("metric", "xyzzy", ["AP"])) == "unknown metric 'xyzzy'. Known: AP"


def test_the_line_is_named_where_there_is_one() -> None:
    assert str(DataFormatError("a.run", "empty file")) == "a.run: empty file"
    assert str(DataFormatError("a.run", "no", line=3)) == "a.run:3: no"


@pytest.mark.parametrize(
    "error",
    [
        DataFormatError("a.run", "no", line=3),
        MissingDependencyError("pyarrow", "parquet", "reading Parquet"),
        UnknownNameError("metric", "nDGC", ["nDCG"]),
    ],
    ids=lambda error: type(error).__name__,
)
def test_errors_reach_the_process_that_asked(error: RankmaxError) -> None:
    received = pickle.loads(pickle.dumps(error))
    assert (type(received), str(received)) == (type(error), str(error))


@pytest.mark.parametrize(
    "error",
    [
        DataFormatError("a.run", f"{'x' * 70_000}; do this", line=3),
        InvalidDataError(f"{'x' * 70_000}; do this"),
        IncompatibleError(f"it has {', '.join(map(str, range(20_000)))}; do this"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_a_very_long_message_keeps_its_beginning_and_its_end(error: RankmaxError) -> None:
    assert len(str(error)) < 2100
    assert str(error).startswith(("a.run:3: xxx", "xxx", "it has 0, 1, 2,"))
    assert str(error).endswith("; do this")
    assert " [...] " in str(error)


def test_very_long_names_are_cut() -> None:
    message = str(UnknownNameError("feature", "x" * 70_000, ["y" * 70_000, "x" * 69_999]))
    assert len(message) < 500
