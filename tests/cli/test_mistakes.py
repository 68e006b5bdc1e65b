"""Mistakes on the command line: each gets one message that says what is wrong, the right status, and loses nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

EVALUATE = ("evaluate", "qrels.txt", "good.run")
COMPARE = ("compare", "qrels.txt", "good.run", "bad.run")
CHECK = ("check", "--qrels", "qrels.txt", "--baseline", "good.run", "--candidate", "bad.run")


@pytest.fixture
def files(rankmax, trec_files: Path, letor_files: Path) -> Path:
    """Add what users take for something else: an empty file, Latin-1, a folder, other qrels, JSON and a project."""
    (trec_files / "empty.txt").write_text("")
    (trec_files / "latin.run").write_bytes(b"q1 Q0 d\xe9 1 2.0 x\n")
    (trec_files / "folder").mkdir()
    (trec_files / "other.txt").write_text("x1 0 d1 1\n")
    (trec_files / "some.json").write_text('{"a": 1}')
    assert rankmax("init", "opensearch", "-o", "project.toml").status == 0
    return letor_files


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (("evaluate", "good.run", "qrels.txt"), 1, "good.run:1: expected 4 columns"),
        (("evaluate", "good.run", "qrels.txt"), 1, "found 6: this looks like a run"),
        (("evaluate", "qrels.txt", "qrels.txt"), 1, "found 4: this looks like qrels"),
        (("evaluate", "qrels.txt", "data.txt"), 1, "this looks like a data file with features"),
        (("evaluate", "data.txt", "good.run"), 2, "data.txt is data with features: give models with --model"),
        (("evaluate", "qrels.txt", "latin.run"), 1, "latin.run:1: not UTF-8 text (byte 0xe9); convert it"),
        (("evaluate", "qrels.txt", "empty.txt"), 1, "empty.txt: empty file; expected lines of 6 columns"),
        (("evaluate", "other.txt", "good.run"), 1, "no query in common with other.txt; the ids must be the same"),
        (("evaluate", "folder", "good.run"), 2, "folder is a folder without manifest.json: give a file"),
        (("evaluate", "data.txt", "--model", "some.json"), 1, "some.json: not a rankmax model: expected JSON with a"),
        ((*EVALUATE, "-m", "ncdg@10"), 2, "unknown metric 'ncdg'; did you mean 'nDCG'"),
        ((*EVALUATE, "--json", "--csv"), 2, "give --json or --csv, not both"),
        ((*EVALUATE, "--seed", "-1"), 2, "-1 is not in the range x>=0"),
        ((*COMPARE, "--seed", "-1"), 2, "-1 is not in the range x>=0"),
        ((*COMPARE, "--csv", "--json"), 2, "give --json or --csv, not both"),
        (("compare", "qrels.txt", "good.run"), 2, "at least two systems"),
        (("tune", "--qrels", "good.run", "good.run", "bad.run"), 1, "this looks like a run"),
        (("train", "good.run", "-o", "model.json"), 1, "of runs and qrels, rankmax data join makes data"),
        (("train", "qrels.txt", "-o", "model.json"), 1, "qrels.txt:1: grade 'q1' is not a number"),
        (("check",), 2, "give qrels, baseline and candidate, or a project file with a section [check]"),
        (CHECK[:-2], 2, "no candidate: give one (--candidate)"),
        (("check", "qrels.txt"), 2, "qrels.txt: not a project file (TOML with a section [check])"),
        ((*CHECK, "--seed", "-1"), 2, "-1 is not in the range x>=0"),
        ((*CHECK, "--unjudged", "20"), 2, "--unjudged 20: expected a share from 0 to 1"),
        ((*CHECK, "--unjudged", "0.2@0"), 2, "--unjudged 0.2@0: expected a share from 0 to 1"),
        (("export", "data.txt", "--to", "solr"), 1, "data.txt: not a rankmax model: expected JSON with a schema"),
        (("export", "project.toml"), 1, "model.json: no such file; rankmax tune project.toml writes it"),
        (("push", "project.toml"), 1, "model.json: no such file; rankmax tune project.toml writes it"),
        (("collect", "qrels.txt"), 1, "qrels.txt: not a project file (TOML; rankmax init ENGINE writes one)"),
        (("verify", "data.txt", "some.json"), 1, "data.txt: not a rankmax certificate: expected JSON"),
        (("data", "split", "data.txt", "a.txt", "a.txt"), 2, "a.txt would be written twice"),
        (("evalute", "qrels.txt", "good.run"), 2, "No such command 'evalute'. Did you mean evaluate?"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_is_explained(rankmax, arguments: tuple[str, ...], status: int, message: str) -> None:
    done = rankmax(*arguments)
    assert done.status == status
    assert message in " ".join(done.err.split())


@pytest.mark.parametrize(
    "arguments",
    [
        ("train", "data.txt", "-o", "./data.txt"),
        ("train", "-o", "data.txt", "data.txt"),
        ("train", "data.txt", "-o", "model.json", "--checkpoint", "data.txt"),
        ("rank", "model.json", "data.txt", "-o", "data.txt"),
        ("rank", "some.json", "a=data.txt", "-o", "data.txt"),
        ("data", "convert", "data.txt", "data.txt"),
        ("data", "split", "data.txt", "train.txt", "data.txt"),
    ],
    ids=" ".join,
)
def test_no_command_overwrites_what_it_reads(rankmax, files: Path, arguments: tuple[str, ...]) -> None:
    (files / "model.json").write_text("{}")
    before = (files / "data.txt").read_bytes()
    done = rankmax(*arguments)
    assert (done.status, "data.txt is an input, and would be overwritten" in done.err) == (2, True)
    assert (files / "data.txt").read_bytes() == before


def test_a_device_is_not_an_input_that_is_lost(rankmax, files: Path) -> None:
    (files / "model.json").write_text("{}")
    assert "would be" not in rankmax("data", "convert", "data.txt", "/dev/null", "--to", "letor").err
    assert "would be" not in rankmax("data", "split", "data.txt", "/dev/null", "/dev/null").err
