from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from rankmax.data.dataset import RankingDataset
from rankmax.formats.registry import write_dataset
from rankmax.models import LinearModel
from rankmax.preprocessing.run_normalization import L2


@pytest.fixture
def models(tmp_path: Path) -> Path:
    LinearModel([0.3, 0.7], ("f1", "f2"), metric="nDCG@10").save(tmp_path / "model.json")
    LinearModel([0.3, -0.7], ("bm25", "e5"), L2()).save(tmp_path / "negative.json")
    LinearModel([1.0, 3.0], ("bm25", "e5"), L2()).save(tmp_path / "hybrid.json")
    return tmp_path


@pytest.fixture
def engine() -> Iterator[tuple[str, list[str]]]:
    """Start a server; yield its address and the paths that it was asked for."""
    paths: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_PUT(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            paths.append(self.path)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"acknowledged")

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", paths
        server.shutdown()


def test_to_standard_output(rankmax, models: Path) -> None:
    done = rankmax("export", "model.json", "--to", "sql")
    assert (done.status, done.err) == (0, "")
    assert "SELECT query, document, 0.3e0 * x1 + 0.7e0 * x2 AS score" in done.out


def test_to_a_file_named_after_the_model(rankmax, models: Path) -> None:
    done = rankmax("export", "model.json", "--to", "vespa", "-o", "profile.txt")
    assert (done.status, done.out, done.err) == (0, "", "note: wrote profile.txt\n")
    assert "rank-profile model {" in (models / "profile.txt").read_text()
    assert "rank-profile mine {" in rankmax("export", "model.json", "--to", "vespa", "--name", "mine").out


def test_json_holds_requests_with_their_bodies(rankmax, models: Path) -> None:
    printed = json.loads(rankmax("export", "model.json", "--to", "solr", "--feature-set", "books", "--json").out)
    (request,) = printed["requests"]
    assert (request["method"], request["path"], request["body"]["store"]) == ("PUT", "schema/model-store", "books")
    assert printed["text"].startswith("//")


def test_ranges_of_a_data_file(rankmax, models: Path) -> None:
    write_dataset(RankingDataset.from_arrays([[10.0, 5.0], [30.0, 5.0]], [1, 0], qid=[1, 1]), models / "log.npz")
    done = rankmax("export", "model.json", "--to", "solr", "--ranges", "log.npz", "--json")
    body = json.loads(done.out)["requests"][0]["body"]
    assert body["params"]["weights"] == {"f1": 6.0, "f2": 0.7}
    assert body["features"][0]["norm"]["params"] == {"min": "10.0", "max": "30.0"}
    done = rankmax("export", "model.json", "--to", "sql", "--ranges", "log.npz")
    assert (done.status, "elasticsearch-ltr, opensearch-ltr, solr" in done.err) == (2, True)


def test_it_loads_nothing_heavy(models: Path) -> None:
    program = (
        "import sys; sys.argv[1:] = ['export', 'model.json', '--to', 'sql']\n"
        "from rankmax.cli import main\n"
        "try:\n    main()\nexcept SystemExit as end:\n    assert not end.code\n"
        "assert not {'numba', 'scipy', 'pandas'} & {*sys.modules}, 'heavy'"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=models, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_refusal_says_what_would_do(rankmax, models: Path) -> None:
    done = rankmax("export", "negative.json", "--to", "opensearch-hybrid", "-o", "pipeline.txt")
    assert done.status == 1
    assert done.err == (
        "Error: OpenSearch's hybrid query takes no negative weight, and that of 'e5' is -0.7: "
        "learn nonnegative weights with rankmax tune, or rankmax train --space simplex\n"
    )
    assert not (models / "pipeline.txt").exists()


def test_push_is_a_dry_run_unless_told(rankmax, models: Path, engine, monkeypatch: pytest.MonkeyPatch) -> None:
    url, paths = engine
    monkeypatch.setenv("RANKMAX_API_KEY", "c2VjcmV0")
    done = rankmax("export", "hybrid.json", "--to", "opensearch-hybrid", "--push", url)
    assert (done.status, paths) == (0, [])
    assert done.out.startswith(f"PUT {url}/_search/pipeline/hybrid\n")
    assert done.err == "note: nothing was sent; --yes sends it\n"
    done = rankmax("export", "hybrid.json", "--to", "opensearch-hybrid", "--push", url, "--yes")
    assert (done.status, paths) == (0, ["/_search/pipeline/hybrid"])
    assert done.err == "note: sent; the engine responded: acknowledged\n"
    assert "c2VjcmV0" not in done.out + done.err


def test_yes_without_push_and_nothing_to_push(rankmax, models: Path) -> None:
    assert rankmax("export", "model.json", "--to", "solr", "--yes").status == 2
    done = rankmax("export", "model.json", "--to", "python", "--push", "http://localhost:1", "--yes")
    assert (done.status, done.err) == (1, "Error: there is nothing to push for python: write it to a file with -o\n")


def test_templates_fill_the_placeholders_in(rankmax, models: Path) -> None:
    (models / "systems.toml").write_text('[bm25]\nfield = "body"\n[e5]\nfield = "passage"\nmodel = "my-e5"\n')
    done = rankmax("export", "hybrid.json", "--to", "opensearch-hybrid", "--templates", "systems.toml")
    assert (done.status, done.err) == (0, "")
    assert '"body"' in done.out
    assert '"my-e5"' in done.out
    assert "YOUR-" not in done.out.replace("YOUR-INDEX", "")
    (models / "systems.toml").write_text("[bm25]\nfeld = 1\n")
    done = rankmax("export", "hybrid.json", "--to", "opensearch-hybrid", "--templates", "systems.toml")
    assert (done.status, done.err.startswith("Error: systems.toml: not a file of templates, ")) == (1, True)
