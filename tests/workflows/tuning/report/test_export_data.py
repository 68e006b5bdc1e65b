"""What to paste is what the exporters write, and files are named with their hashes."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import pytest

from oracles.tuning_pages import Tuned, planted, tuned
from rankmax._version import __version__
from rankmax.data.content_hash import data_hash
from rankmax.engines.registry import export_model
from rankmax.workflows.tuning.report.export_data import export_data, provenance_data
from rankmax.workflows.tuning.tuning_summary import summarize


@pytest.mark.parametrize("target", ["python", "sql"])
def test_what_is_recommended_can_be_pasted(results: Tuned, target: str) -> None:
    model = results[0].model()
    told = export_data(model, summarize(*results), target)
    assert told["text"] == export_model(model, target).text
    assert (told["what"], told["name"]) == ("The recommended fusion", results[0].recommended_row.label)
    assert (told["target"], told["refused"]) == (target, None)


def test_the_file_to_export_is_the_one_that_was_written(results: Tuned) -> None:
    model, summary = results[0].model(), summarize(*results)
    told = export_data(model, summary, "python")
    assert (told["is_written"], told["command"]) == (False, "rankmax export model.json --to python")
    told = export_data(model, summary, "python", "my models/m.json")
    assert (told["is_written"], told["command"]) == (True, "rankmax export 'my models/m.json' --to python")


def test_what_was_written_instead_is_what_can_be_pasted(results: Tuned) -> None:
    tuning, confidence = results
    summary = summarize(*results)
    written = tuning.model(tuning.row("f2" if len(tuning.signals.names) < 7 else "CombSUM").fusion)
    told = export_data(written, summary, "python", "m.json")
    assert (told["what"], told["name"]) == ("The written fusion", written.provenance.parameters["candidate"])
    assert told["text"] == export_model(written, "python").text
    near = tuning.model(tuning.row("learned").fusion, weights=confidence.rounded)
    if near.weights.tolist() != tuning.model().weights.tolist():
        assert export_data(near, summary, "python")["name"].endswith(" with round weights")


def test_a_target_that_refuses_gives_way_to_python() -> None:
    tuning, confidence = tuned(planted(2), current="reciprocal-rank:f1=0.5,f2=0.5")
    kept = replace(tuning, verdict=replace(tuning.verdict, pick=tuning.verdict.current))
    told = export_data(kept.model(), summarize(kept, confidence), "solr")
    assert told["refused"]
    assert (told["target"], told["text"]) == ("python", export_model(kept.model(), "python").text)


def test_provenance_names_files_with_their_hashes(tmp_path: Path, results: Tuned) -> None:
    run = tmp_path / "a&b.run"
    run.write_bytes(b"q Q0 d 1 1.0 x\n")
    command = "rankmax tune 'a&b.run' --current '<x>'"
    told = provenance_data(results[0], command, [f"e5={run}", str(run), tmp_path / "gone.run"])
    digest = hashlib.sha256(run.read_bytes()).hexdigest()[:12]
    assert told["files"] == [
        [f"e5 = {run}", "15", digest],
        [str(run), "15", digest],
        [str(tmp_path / "gone.run"), "-", "-"],
    ]
    facts = dict(told["facts"])
    assert facts["command"] == command
    assert facts["rankmax"] == __version__
    assert facts["data"] == data_hash(results[0].signals.data)
