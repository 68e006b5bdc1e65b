"""What to paste is what the exporters write, and files are named with their hashes."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from html import escape
from pathlib import Path

from oracles.tuning_pages import Reader, Tuned, page_of, planted, tuned
from rankmax._version import __version__
from rankmax.data.content_hash import data_hash
from rankmax.engines.registry import export_model


def test_what_is_recommended_can_be_pasted(tmp_path: Path, results: Tuned) -> None:
    tuning, confidence = results
    exported = export_model(tuning.model(), "python").text
    assert f'<pre id="export">{escape(exported)}</pre>' in page_of(tuning, confidence, tmp_path)
    exported = export_model(tuning.model(), "sql").text
    assert f'<pre id="export">{escape(exported)}</pre>' in page_of(tuning, confidence, tmp_path, target="sql")


def test_the_file_to_export_is_the_one_that_was_written(tmp_path: Path, results: Tuned) -> None:
    tuning, confidence = results
    page = page_of(tuning, confidence, tmp_path)
    assert "With <code>-o model.json</code> added to the command, <code>rankmax export model.json --to python" in page
    page = page_of(tuning, confidence, tmp_path, model=tuning.model(), model_path="my models/m.json")
    assert "<code>rankmax export &#x27;my models/m.json&#x27; --to python</code> writes it to a file." in page
    assert "added to the command" not in page
    assert f"The recommended fusion, <b>{escape(tuning.recommended_row.label)}</b>" in page


def test_what_was_written_instead_is_what_can_be_pasted(tmp_path: Path, results: Tuned) -> None:
    tuning, confidence = results
    written = tuning.model(tuning.row("f2" if len(tuning.signals.names) < 7 else "CombSUM").fusion)
    page = page_of(tuning, confidence, tmp_path, model=written, model_path="m.json")
    assert f"The written fusion, <b>{written.provenance.parameters['candidate']}</b>, as" in page
    assert f'<pre id="export">{escape(export_model(written, "python").text)}</pre>' in page
    learned = tuning.row("learned").fusion
    near = tuning.model(learned, weights=confidence.rounded)
    if near.weights.tolist() != tuning.model().weights.tolist():
        page = page_of(tuning, confidence, tmp_path, model=near, model_path="m.json")
        assert "</b> with round weights, as" in page


def test_a_target_that_refuses_gives_way_to_python(tmp_path: Path) -> None:
    tuning, confidence = tuned(planted(2), current="reciprocal-rank:f1=0.5,f2=0.5")
    kept = replace(tuning, verdict=replace(tuning.verdict, pick=tuning.verdict.current))
    page = page_of(kept, confidence, tmp_path, target="solr")
    assert "Not in the requested form: " in page
    assert escape(export_model(kept.model(), "python").text) in page


def test_provenance_names_files_with_their_hashes(tmp_path: Path, results: Tuned) -> None:
    run = tmp_path / "a&b.run"
    run.write_bytes(b"q Q0 d 1 1.0 x\n")
    command = "rankmax tune 'a&b.run' --current '<x>'"
    page = page_of(*results, tmp_path, command=command, files=[f"e5={run}", str(run), tmp_path / "gone.run"])
    seen = Reader(page)
    digest = hashlib.sha256(run.read_bytes()).hexdigest()[:12]
    assert [f"e5 = {run}", "15", digest] in seen.rows
    assert [str(run), "15", digest] in seen.rows
    assert [str(tmp_path / "gone.run"), "-", "-"] in seen.rows
    assert command in seen.text
    assert f"rankmax{__version__}" in seen.text
    assert data_hash(results[0].signals.data) in seen.text
