"""An index edited by someone who knows the format is refused, or does no harm: no kernel leaves its arrays."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from fuzzing.indexes import forge, forge_meta, small_index, use_index
from rankmax.errors import DataFormatError, RankmaxError
from rankmax.retrieval.index.file_format import TYPES
from rankmax.retrieval.index.inverted_index import Index

Change = Callable[[NDArray[Any]], NDArray[Any]]


def replaced(place: int, value: float) -> Change:
    def change(array: NDArray[Any]) -> NDArray[Any]:
        array[place % array.size] = value
        return array

    return change


CHANGES: dict[str, Change] = {
    "first negative": replaced(0, -1),
    "first large": replaced(0, 2**31 - 1),
    "middle negative": lambda array: replaced(array.size // 2, -(2**31))(array),
    "middle large": lambda array: replaced(array.size // 2, 2**31 - 1)(array),
    "last large": replaced(-1, 2**31 - 1),
    "last zero": replaced(-1, 0),
    "all zero": np.zeros_like,
    "all the largest": lambda array: np.full_like(array, 2**31 - 1),
    "reversed": lambda array: array[::-1],
    "swapped neighbors": lambda array: array.reshape(-1)[np.arange(array.size) ^ 1] if array.size % 2 == 0 else array,
    "longer": lambda array: np.append(array, array[-1:]),
    "shorter": lambda array: array[:-1],
    "empty": lambda array: array[:0],
}


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sound") / "index"
    small_index(folder)
    use_index(folder)
    return folder


@pytest.fixture
def folder(sound: Path, tmp_path: Path) -> Path:
    shutil.copytree(sound, tmp_path / "index")
    return tmp_path / "index"


def byte_safe(name: str, change: Change) -> Change:
    """Return the change with numbers that the array's type holds."""
    if TYPES[name] != "|u1":
        return change
    return lambda array: (change(array.astype(np.int64)) & 255).astype(np.uint8)


def test_every_array_edited_in_every_way_is_refused_or_harmless(sound: Path, tmp_path: Path) -> None:
    for name in TYPES:
        for number, change in enumerate(CHANGES.values()):
            forged = tmp_path / f"{name}-{number}"
            shutil.copytree(sound, forged)
            forge(forged, name, byte_safe(name, change))
    program = (
        "import sys; from pathlib import Path; from fuzzing.indexes import use_index\n"
        "from rankmax.errors import RankmaxError\n"
        "for folder in sorted(Path(sys.argv[1]).iterdir()):\n"
        "    print(folder.name, end=' ', flush=True)\n"
        "    try:\n"
        "        use_index(folder); print('harmless')\n"
        "    except RankmaxError as error:\n"
        "        print('refused', error)\n"
    )
    paths = f"import sys; sys.path[:0] = {[path for path in sys.path if path]}\n"
    # In a process of its own: what this is about ends in a signal, or never.
    done = subprocess.run(
        [sys.executable, "-c", paths + program, tmp_path], capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, (done.stdout.splitlines()[-1:], done.stderr[-2000:])
    told = [line.split(" ", 2) for line in done.stdout.splitlines()]
    assert len(told) == len(TYPES) * len(CHANGES)
    kinds = {name: {kind for case, kind, *_ in told if case.startswith(f"{name}-")} for name in TYPES}
    assert all("refused" in kinds[name] for name in TYPES)
    postings = ("posting_offsets", "position_starts", "position_offsets", "documents")
    harmless = [case for case, kind, *_ in told if kind == "harmless" and case.rpartition("-")[0] in postings]
    unchanged = [str(number) for number, what in enumerate(CHANGES) if what == "swapped neighbors"]
    assert all(case.rpartition("-")[2] in unchanged for case in harmless), harmless


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("term_offsets", replaced(3, 10**6), r"term_offsets\.bin: damaged: expected offsets that increase from 0 to"),
        ("id_offsets", replaced(3, -5), r"id_offsets\.bin: damaged: expected offsets that increase"),
        ("id_bytes", replaced(3, 10), r"id_bytes\.bin: damaged: expected identifiers without blanks"),
        ("lengths", replaced(3, -1), r"lengths\.bin: damaged: expected as many terms in each field as"),
        ("posting_offsets", replaced(3, 10**9), r"posting_offsets\.bin: damaged: expected offsets that increase"),
        ("position_starts", replaced(3, 10**9), r"position_starts\.bin: damaged: expected offsets that increase"),
        ("stored_firsts", replaced(1, 33), r"stored_firsts\.bin: damaged: expected blocks of 1 to 32 documents"),
        ("documents", lambda array: array[:-1], r"position_offsets\.bin: damaged: expected \d+ entries"),
    ],
)
def test_opening_names_the_file(folder: Path, name: str, change: Change, message: str) -> None:
    forge(folder, name, change)
    with pytest.raises(DataFormatError, match=message):
        Index.open(folder)


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("documents", lambda array: np.minimum(array, 3), r"documents\.bin: damaged: expected numbers below 80 that"),
        ("documents", lambda array: array + 80, r"documents\.bin: damaged: expected numbers below 80"),
        ("documents", lambda array: array - 80, r"documents\.bin: damaged: expected numbers below 80"),
        ("position_offsets", np.zeros_like, r"position_offsets\.bin: damaged: expected offsets that increase to the"),
        ("position_offsets", lambda array: array + 1, r"position_offsets\.bin: damaged: expected offsets"),
        ("position_offsets", lambda array: array * 2, r"position_offsets\.bin: damaged: expected offsets"),
    ],
)
def test_postings_are_checked_when_they_are_asked_for(folder: Path, name: str, change: Change, message: str) -> None:
    forge(folder, name, change)
    index = Index.open(folder)
    for ask in (
        lambda: index.postings("wing", "text"),
        lambda: index.ordered_windows(["wing", "flow"], "text"),
        lambda: index.vector_norms(["text"]),
        lambda: index.documents_by_kind(np.ones(80, np.uint8), 2, ["text"]),
    ):
        with pytest.raises(DataFormatError, match=message):
            ask()


@pytest.mark.parametrize("change", [lambda array: array[::-1], lambda array: array * 0, lambda array: array - 50])
def test_positions_that_do_not_ascend_would_never_end_a_search(folder: Path, change: Change) -> None:
    forge(folder, "positions", change)
    index = Index.open(folder)
    assert index.postings("wing", "text").documents.size  # nothing looks at the positions
    with pytest.raises(DataFormatError, match=r"positions\.bin: damaged: expected positions that ascend"):
        index.unordered_windows(["wing", "flow", "wing"], "text")


def put(key: str, value: Any) -> Callable[[dict[str, Any]], None]:
    return lambda meta: meta.__setitem__(key, value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (put("n_documents", -1), "is not as expected"),
        (put("n_documents", "80"), "is not as expected"),
        (put("n_documents", 10**400), "is not as expected"),
        (put("n_documents", 1.5), "is not as expected"),
        (put("n_documents", 79), r"id_offsets\.bin: damaged: expected 80 entries"),
        (put("n_terms", 0), r"term_offsets\.bin: damaged: expected 1 entries"),
        (put("n_terms", 2**62), "damaged: expected"),
        (put("fields", 7), "is not as expected"),
        (put("fields", [["title"]]), "is not as expected"),
        (put("fields", ["title"]), "damaged: expected"),
        (put("columns", {"depth": 1}), "is not as expected"),
        (put("columns", []), r"columns\.bin: damaged: expected 0 entries"),
        (put("arrays", []), "is not as expected"),
        (put("arrays", {}), "describes no term_bytes of type"),
        (put("analyzer", []), "is not as expected"),
        (put("analyzer", {"lowercase": True, "stop": "none", "stemmer": ["none"]}), "stemmer"),
        (put("analyzer", {"lowercase": True, "stop": "none"}), "an analyzer has"),
        (lambda meta: meta.pop("stored"), "is not as expected"),
        (lambda meta: meta["arrays"].pop("documents"), "describes no documents of type <i4"),
        (lambda meta: meta["arrays"]["documents"].update(type="<i8"), "describes no documents of type <i4"),
        (lambda meta: meta["arrays"]["documents"].update(length=-4), "is not as expected"),
    ],
)
def test_a_description_of_another_shape_is_refused(
    folder: Path, change: Callable[[dict[str, Any]], None], message: str
) -> None:
    forge_meta(folder, change)
    with pytest.raises(RankmaxError, match=message) as raised:
        Index.open(folder)
    assert re.match(re.escape(str(folder)), str(raised.value))
