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


def test_small_p_values_are_not_zero() -> None:
    assert [output.format_p(p) for p in (0.25, 0.0001, 0.00009)] == ["0.2500", "0.0001", "<0.0001"]


def test_markup_in_names_is_text(capsys: pytest.CaptureFixture[str]) -> None:
    output.print_table(["[bold]system[/bold]", "mean"], [["[red]x[/red]", "1"]])
    assert "[red]x[/red]" in capsys.readouterr().out


def test_facts_stand_below_each_other(capsys: pytest.CaptureFixture[str]) -> None:
    output.print_facts({"metric": "AP", "seed": 7})
    assert capsys.readouterr().out == " metric   AP\n seed     7\n\n"
