"""The file of a checkpoint: every bit comes back, damage is seen, and there is one writer."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankmax.errors import CannotWriteError, CheckpointWarning, DataFormatError, IncompatibleError
from rankmax.optimizers import journal_file as module
from rankmax.optimizers.journal import Entry
from rankmax.optimizers.journal_file import JournalFile

FINGERPRINT = {"data": "blake2b:12", "metric": "AP", "seed": 3, "directions": [[0.5, 1.0]]}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ap.journal"


finite = st.floats(allow_nan=False, allow_infinity=False)
entries = st.builds(
    Entry,
    st.sampled_from(["start", "line", "point", "points", "stop"]),
    st.integers(0, 2**32 - 1),
    st.lists(finite, max_size=4).map(tuple),
    st.none() | st.lists(finite, max_size=4).map(tuple),
    finite,
)


@given(entries=st.lists(st.tuples(st.text(max_size=5), entries), max_size=8))
def test_everything_comes_back_to_the_last_bit(entries, tmp_path_factory) -> None:
    path = tmp_path_factory.mktemp("journal") / "a"
    with JournalFile(path, FINGERPRINT) as file:
        for key, entry in entries:
            file.append(key, entry)
    with JournalFile(path, FINGERPRINT) as file:
        for key in {key for key, _ in entries}:
            expected = [entry for other, entry in entries if other == key]
            assert repr(file.ascent(key).entries) == repr(expected)  # tells -0.0 from 0.0
        assert file.ascent("of nobody's").entries == []


def test_ascents_are_kept_apart_and_go_on(path) -> None:
    with JournalFile(path, FINGERPRINT) as file:
        one, two = file.ascent("one"), file.ascent("two")
        one.record("point", np.ones(1), np.array([0.1]), seconds=1.0)
        two.record("point", np.ones(1), np.array([0.2]), seconds=1.0)
    with JournalFile(path, FINGERPRINT) as file:
        file.ascent("one").record("point", np.ones(1), np.array([0.3]), seconds=2.0)
        assert [entry.values for entry in file.ascent("one").entries] == [(0.1,), (0.3,)]
    with JournalFile(path, FINGERPRINT) as file:
        assert [entry.values for entry in file.ascent("one").entries] == [(0.1,), (0.3,)]
        assert [entry.values for entry in file.ascent("two").entries] == [(0.2,)]


def test_a_file_cut_anywhere_is_read_up_to_the_last_whole_line(path) -> None:
    with JournalFile(path, FINGERPRINT) as file:
        for i in range(3):
            file.ascent("a").record("point", np.ones(1), np.array([i / 3]), seconds=1.0)
    content = path.read_bytes()
    for length in range(len(content) + 1):
        path.write_bytes(content[:length])
        with JournalFile(path, FINGERPRINT) as file:
            n_whole = max(content[:length].count(b"\n") - 1, 0)
            assert len(file.ascent("a").entries) == n_whole
            file.ascent("a").record("stop", np.empty(0), np.empty(0), seconds=2.0)
        with JournalFile(path, FINGERPRINT) as file:
            assert [entry.kind for entry in file.ascent("a").entries] == ["point"] * n_whole + ["stop"]


def test_another_fingerprint_is_refused_with_what_differs(path) -> None:
    with JournalFile(path, FINGERPRINT) as file:
        file.ascent("a").record("point", np.ones(1), np.array([0.1]), seconds=1.0)
    content = path.read_bytes()
    changed = {"data": "blake2b:12", "metric": "nDCG@10", "directions": [[0.5, 1.0]], "space": "simplex"}
    with pytest.raises(IncompatibleError) as refusal:
        JournalFile(path, changed)
    message = str(refusal.value)
    assert message.startswith(f"{path} is the journal of another training: metric was 'AP', is 'nDCG@10'; seed was 3")
    assert "space was None, is 'simplex'" in message
    assert "data was" not in message
    assert path.read_bytes() == content


def test_what_json_cannot_tell_apart_is_the_same_fingerprint(path) -> None:
    JournalFile(path, {"directions": ((0.5, 1.0),)}).close()
    JournalFile(path, {"directions": [[0.5, 1.0]]}).close()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"1 qid:7 1:0.5\n", ":1: not a rankmax journal"),
        (b"1 qid:7 1:0.5", ": not a rankmax journal"),
        (b'{"schema": "rankmax/linear-model/1"}\n', ":1: not a rankmax journal"),
        (b'{"schema": "rankmax/journal/9", "fingerprint": {}}\n', ":1: schema is 'rankmax/journal/9', expected"),
        (b"\xff\xfe\n", ":1: not a rankmax journal"),
    ],
)
def test_another_file_is_refused_and_left_alone(path, content, message) -> None:
    path.write_bytes(content)
    with pytest.raises(DataFormatError) as refusal:
        JournalFile(path, FINGERPRINT)
    assert str(refusal.value).startswith(f"{path}{message}")
    assert path.read_bytes() == content


@pytest.fixture
def lines(path) -> list[bytes]:
    """Return the lines of a file with four entries of different lengths."""
    with JournalFile(path, FINGERPRINT) as file:
        for i in range(4):
            file.ascent("a").record("point", np.ones(1), np.arange(i + 1) / 3, seconds=1.0)
    return path.read_bytes().splitlines(keepends=True)


@pytest.mark.parametrize(
    "damage",
    [
        lambda lines: [lines[0], lines[1].replace(b'"seconds":1.0', b'"seconds":2.0'), *lines[2:]],
        lambda lines: [lines[0], b"00000000" + lines[1][8:], *lines[2:]],
        lambda lines: [lines[0], *lines[2:]],
        lambda lines: [lines[0], lines[2], lines[1], *lines[3:]],
        lambda lines: [lines[0].replace(b":", b": ", 1), *lines[1:]],
        lambda lines: [lines[0], b'{"ascent": "a"}\n', *lines[1:]],
        lambda lines: [lines[0], b"\n", *lines[1:]],
    ],
)
def test_a_damaged_line_is_named_and_the_file_left_alone(path, lines, damage) -> None:
    path.write_bytes(content := b"".join(damage(lines)))
    with pytest.raises(DataFormatError, match=r"ap\.journal:2: damaged: its checksum is wrong; .* to start over"):
        JournalFile(path, FINGERPRINT)
    assert path.read_bytes() == content


def test_the_lines_before_a_damaged_one_can_be_resumed_from(path, lines) -> None:
    """As the error advises."""
    path.write_bytes(b"".join([*lines[:3], b"0" + lines[3][1:], lines[4]]))
    with pytest.raises(DataFormatError, match=r"ap\.journal:4: damaged"):
        JournalFile(path, FINGERPRINT)
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:3]))
    with JournalFile(path, FINGERPRINT) as file:
        assert len(file.ascent("a").entries) == 2


@pytest.mark.parametrize("last", [b"\0" * 90 + b"\n", b'12345678 {"ascent":"a"}\n', b"\n"])
def test_a_damaged_last_line_is_dropped_as_a_torn_one_is(path, lines, last) -> None:
    path.write_bytes(b"".join([*lines[:4], last]))
    with JournalFile(path, FINGERPRINT) as file:
        assert len(file.ascent("a").entries) == 3
        file.ascent("a").record("stop", np.empty(0), np.empty(0), seconds=2.0)
    with JournalFile(path, FINGERPRINT) as file:
        assert [entry.kind for entry in file.ascent("a").entries] == ["point"] * 3 + ["stop"]


@given(where=st.integers(0), change=st.integers(1, 255))
def test_no_changed_byte_changes_what_is_replayed(where, change, tmp_path_factory) -> None:
    """It is refused, or only the last entry is missing."""
    path = tmp_path_factory.mktemp("journal") / "a"
    with JournalFile(path, FINGERPRINT) as file:
        for i in range(3):
            file.ascent("a").record("point", np.ones(1), np.array([i / 3]), seconds=1.0)
    content = bytearray(path.read_bytes())
    content[where % len(content)] ^= change
    path.write_bytes(content)
    try:
        with JournalFile(path, FINGERPRINT) as file:
            assert [entry.values for entry in file.ascent("a").entries] == [(0.0,), (1 / 3,)]
    except (DataFormatError, IncompatibleError):
        assert path.read_bytes() == content


def test_a_second_writer_is_refused(path) -> None:
    with JournalFile(path, FINGERPRINT) as file:
        file.ascent("a").record("point", np.ones(1), np.array([0.1]), seconds=1.0)
        with pytest.raises(CannotWriteError, match=r"ap\.journal: cannot write: another process is writing to it"):
            JournalFile(path, FINGERPRINT)
    with JournalFile(path, FINGERPRINT) as file:
        assert len(file.ascent("a").entries) == 1


def test_a_journal_of_before_checksums_is_refused_with_the_remedy(path) -> None:
    path.write_bytes(b'{"schema":"rankmax/journal/1","fingerprint":{}}\n')
    with pytest.raises(DataFormatError, match=r"started by another version of rankmax.* remove the file, or choose"):
        JournalFile(path, FINGERPRINT)


def test_a_full_disk_ends_the_recording_and_not_the_ascent(path, lines, monkeypatch) -> None:
    def full(self, content) -> None:
        raise CannotWriteError(path, "No space left on device")

    monkeypatch.setattr(module.AppendedFile, "append", full)
    monkeypatch.setattr(module, "_SECONDS_BETWEEN_FLUSHES", np.inf)
    with JournalFile(path, FINGERPRINT) as file:
        journal = file.ascent("a")
        journal.record("point", np.ones(1), np.array([0.1]), seconds=1.0)
        with pytest.warns(CheckpointWarning, match=r"ap\.journal: cannot write: No space.*the training goes on"):
            journal.flush()
        with warnings.catch_warnings(action="error"):  # said once
            journal.record("point", np.ones(1), np.array([0.1]), seconds=1.0)
            journal.flush()
    assert path.read_bytes() == b"".join(lines)


@pytest.mark.parametrize("where", [".", "no-such-folder/ap.journal"])
def test_a_place_that_cannot_be_written_is_said_so(tmp_path, where) -> None:
    with pytest.raises(DataFormatError, match="cannot write"):
        JournalFile(tmp_path / where, FINGERPRINT)


def test_written_once_in_a_while_and_when_asked(path, monkeypatch) -> None:
    monkeypatch.setattr(module, "_SECONDS_BETWEEN_FLUSHES", np.inf)
    with JournalFile(path, FINGERPRINT) as file:
        header = path.read_bytes()
        assert json.loads(header)["schema"] == "rankmax/journal/2"
        journal = file.ascent("a")
        journal.record("point", np.ones(1), np.array([0.1]), seconds=1.0)
        assert path.read_bytes() == header
        journal.flush()
        assert path.read_bytes().count(b"\n") == 2
        monkeypatch.setattr(module, "_SECONDS_BETWEEN_FLUSHES", 0.0)
        journal.record("point", np.ones(1), np.array([0.1]), seconds=1.0)
        assert path.read_bytes().count(b"\n") == 3
