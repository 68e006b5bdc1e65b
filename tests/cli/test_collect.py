"""The way from an engine to a confirmed fusion: init, collect, tune, export, push, confirm."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import pytest

from oracles.deployed_project import N_QUERIES, Deployed
from rankmax.models import LinearModel
from rankmax.preprocessing.run_normalization import OpenSearchMinMax


def test_from_collecting_to_confirming(rankmax, deployed: Deployed) -> None:
    done = rankmax("collect")
    assert (done.status, done.err) == (0, "note: next: rankmax tune rankmax.toml\n")
    assert done.out.split()[-10:] == ["bm25", "12", "360", "0", "12", "dense", "12", "360", "0", "12"]
    done = rankmax("collect", "rankmax.toml", "--json")
    assert [(run["retriever"], run["asked"]) for run in json.loads(done.out)["runs"]] == [("bm25", 0), ("dense", 0)]

    done = rankmax("tune", "--json")
    assert (done.status, json.loads(done.out)["metrics"]) == (0, ["nDCG@10"])
    assert "note: next: rankmax push rankmax.toml" in done.err
    model = LinearModel.load("model.json")
    assert model.provenance.parameters["depth"] == 30

    done = rankmax("export", "rankmax.toml")
    assert "POST docs/_search?search_pipeline=rankmax" in done.out
    assert '"body": "{query}"' in done.out

    done = rankmax("push")
    assert (done.status, deployed.server.pipelines) == (0, {})
    assert f"PUT {deployed.server.url}/_search/pipeline/rankmax" in done.out
    assert done.err == "note: nothing was sent; --yes sends it\n"
    done = rankmax("push", "--yes", "--json")
    assert json.loads(done.out)["sent"] is True
    assert list(deployed.server.pipelines) == ["rankmax"]
    assert "it replaces the 'rankmax' that is there" in rankmax("push").err

    done = rankmax("confirm")
    assert (done.status, done.err) == (0, "")
    assert "the engine ranks as the model predicts" in done.out

    assert rankmax("push", "--remove").status == 0
    assert list(deployed.server.pipelines) == ["rankmax"]
    assert rankmax("push", "--remove", "--yes").status == 0
    assert deployed.server.pipelines == {}
    assert "nothing was removed" in rankmax("push", "--remove", "--yes").err


def test_confirm_ends_with_1_where_rankings_differ_and_with_2_after_an_error(rankmax, deployed: Deployed) -> None:
    LinearModel([0.8, 0.2], ("bm25", "dense"), OpenSearchMinMax()).save("model.json")
    done = rankmax("confirm")
    assert done.status == 2
    assert done.err.startswith(
        "Error: bm25 is not collected, or not completely: there is no runs/bm25.run; run rankmax "
    )
    rankmax("collect")
    rankmax("push", "--yes")
    deployed.server.mistakes = {"ignores weights": True}
    done = rankmax("confirm")
    assert (done.status, done.err) == (1, "")
    assert f"the weights are ignored: all count the same (fits {N_QUERIES} of {N_QUERIES} queries)" in done.out
    done = rankmax("confirm", "--json", "--size", 3)
    told = json.loads(done.out)
    assert (done.status, told["same"], told["size"]) == (1, False, 3)
    assert told["explanations"][0]["kind"] == "ignored weights"
    deployed.server.stop()
    deployed.change("retries = 3", "retries = 0")
    done = rankmax("confirm")
    assert (done.status, "could not be reached" in done.err) == (2, True)


def test_errors_say_that_answers_are_kept(rankmax, deployed: Deployed) -> None:
    deployed.server.troubles.extend(["400"])
    done = rankmax("collect")
    assert done.status == 1
    assert "note: what was answered is kept" in done.err
    assert "Error: bm25, query 'q0'" in done.err or "Error: dense, query 'q0'" in done.err or "answered 400" in done.err


def test_an_interrupted_command_ends_at_once_and_goes_on_later(rankmax, deployed: Deployed) -> None:
    deployed.server.seconds = 0.2
    deployed.change("parallel = 3", "parallel = 1")
    command = [sys.executable, "-m", "rankmax", "collect"]
    with subprocess.Popen(command, cwd=deployed.path.parent, stderr=subprocess.PIPE, text=True) as process:
        journal = deployed.path.parent / "runs" / ".dense.collected"
        while not (journal.exists() and journal.read_bytes().count(b"\n") > 1):
            assert process.poll() is None
            time.sleep(0.02)
        deployed.server.seconds = 60.0  # whatever the server does
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "what was answered is kept" in said
    assert "Traceback" not in said
    n_kept = sum(path.read_bytes().count(b"\n") - 1 for path in journal.parent.glob(".*.collected"))
    deployed.server.seconds = 0.0
    done = rankmax("collect", "--json")
    assert sum(run["asked"] for run in json.loads(done.out)["runs"]) == 2 * N_QUERIES - n_kept < 2 * N_QUERIES


def test_init_never_overwrites(rankmax, tmp_path: Path) -> None:
    assert rankmax("init", "sqlite").status == 0
    assert tomllib.loads((tmp_path / "rankmax.toml").read_text())["engine"] == "sqlite"
    done = rankmax("init", "opensearch")
    assert (done.status, "is not overwritten" in done.err) == (1, True)
    assert tomllib.loads((tmp_path / "rankmax.toml").read_text())["engine"] == "sqlite"
    assert rankmax("init", "opensearch", "-o", "other.toml").status == 0
    assert rankmax("init", "lucene").status == 2


@pytest.mark.parametrize("verb", ["collect", "push", "confirm", "tune"])
def test_without_a_project(rankmax, verb: str) -> None:
    done = rankmax(verb)
    assert done.status in (1, 2)
    assert "rankmax init ENGINE writes one" in done.err


def test_options_that_do_not_go_together(rankmax, deployed: Deployed) -> None:
    assert "leave --to out" in rankmax("export", "rankmax.toml", "--to", "solr").err
    LinearModel([0.8, 0.2], ("bm25", "dense")).save("model.json")
    assert "give --to TARGET" in rankmax("export", "model.json").err
    assert "leave --model out" in rankmax("push", "--remove", "--model", "model.json").err
