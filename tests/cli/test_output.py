from __future__ import annotations

import json

import pytest

from rankmax.cli import output


@pytest.mark.parametrize("total", [None, 1, 3])
def test_progress_is_shown_on_a_terminal_only(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, total: int | None
) -> None:
    with output.working("Reading", total=total) as work:
        work.advance()
        work.say("Still reading")
    assert capsys.readouterr() == ("", "")
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    with output.working("Reading", total=total) as work:
        work.advance()
        work.say("Still reading")
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "Reading" in captured.err


def test_json_writes_nan_as_null(capsys: pytest.CaptureFixture[str]) -> None:
    output.print_json({"value": float("nan"), "names": ("a", "b")})
    assert json.loads(capsys.readouterr().out) == {"value": None, "names": ["a", "b"]}


def test_a_wide_table_is_not_cut_in_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    header = [f"a rather long column name {i}" for i in range(30)]
    output.print_table(header, [["x"] * 30])
    printed = capsys.readouterr().out
    assert all(name in printed for name in header)


def test_markup_in_names_is_text(capsys: pytest.CaptureFixture[str]) -> None:
    output.print_table(["[bold]system[/bold]", "mean"], [["[red]x[/red]", "1"]])
    assert "[red]x[/red]" in capsys.readouterr().out


def test_facts_stand_below_each_other(capsys: pytest.CaptureFixture[str]) -> None:
    output.print_facts({"metric": "AP", "seed": 7})
    assert capsys.readouterr().out == " metric   AP\n seed     7\n\n"


@pytest.mark.parametrize("width", [60, 80, 120])
def test_lines_wrap_at_words(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    sentence = " ".join(f"{'x' * (1 + i % 9)}{i}" for i in range(60))
    header = ["system", *(f"column {i}" for i in range(15))]
    rows = [[f"row {i}", *(f"{i}.{j}" for j in range(15))] for i in range(2)]

    def show() -> str:
        output.print_facts({"advice": sentence, "best on these queries": "0.75"})
        output.note(sentence)
        output.print_table(header, rows, title=sentence)
        captured = capsys.readouterr()
        return captured.out + captured.err

    monkeypatch.delenv("COLUMNS", raising=False)
    whole = show()
    monkeypatch.setenv("COLUMNS", str(width))
    narrow = show()
    assert max(map(len, narrow.splitlines())) <= width
    assert max(map(len, whole.splitlines())) > 120
    words = [word for word in whole.split() if not word.startswith("─")]
    assert {word for word in narrow.split() if not word.startswith("─")} == set(words)
    assert narrow.count(" row 1 ") == narrow.count(" system ")  # each part of a table names its rows
    facts = narrow.splitlines()
    assert facts[0].startswith(" advice                  x0")
    assert facts[1].startswith(" " * 25)
    assert not facts[1].startswith(" " * 26)


def test_what_is_longer_than_a_line_is_not_broken(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "30")
    path = "/a/path-of-more/than-thirty/columns/model.json"
    output.note(f"wrote {path}")
    output.note(f"next: rankmax rank {path} a.run", wrap=False)
    assert capsys.readouterr().err == f"note: wrote\n      {path}\nnote: next: rankmax rank {path} a.run\n"


@pytest.mark.parametrize("columns", ["0", "wide", ""])
def test_a_width_that_is_none_is_ignored(monkeypatch: pytest.MonkeyPatch, columns: str) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    assert output.terminal_width() is None
