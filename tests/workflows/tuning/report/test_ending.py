"""What to paste is what the exporters write, and files are named with their hashes."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from html import escape
from pathlib import Path

from oracles.tuning_pages import Reader, Tuned, page_of, planted, tuned
from rankmax._version import __version__
from rankmax.data.content_hash import data_hash
from rankmax.export.named import export_model


def test_what_is_recommended_can_be_pasted(tmp_path: Path, results: Tuned) -> None:
    tuning, confidence = results
    exported = export_model(tuning.model(), "python").text
    assert f'<pre id="export">{escape(exported)}</pre>' in page_of(tuning, confidence, tmp_path)
    exported = export_model(tuning.model(), "sql").text
    assert f'<pre id="export">{escape(exported)}</pre>' in page_of(tuning, confidence, tmp_path, target="sql")


def test_a_target_that_refuses_gives_way_to_python(tmp_path: Path) -> None:
    tuning, confidence = tuned(planted(2), current="reciprocal-rank:f1=0.5,f2=0.5")
    kept = replace(tuning, verdict=replace(tuning.verdict, pick=tuning.verdict.current))
    page = page_of(kept, confidence, tmp_path, target="solr")
    assert "Not as was asked for: " in page
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
