from __future__ import annotations

import gzip
from collections.abc import Callable
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZipFile

import numpy as np
import pytest

from rankmax.models import LinearModel
from rankmax.studio import app, uploads
from rankmax.studio.session import Session

LETOR = b"2 qid:1 1:0.5 2:1\n0 qid:1 1:0.1 2:0\n"


def test_data_and_models_come_in(client, project) -> None:
    assert client.post("/api/files/more.txt", LETOR).json == {"name": "more.txt"}
    assert client.post("/api/files/new.json", LinearModel([1.0], ("f1",)).to_json()).status == 200
    told = client.get("/api/project").json
    assert "more.txt" in told["data"]
    assert "new.json" in told["models"]


def test_runs_and_judgments_come_in(client, project) -> None:
    run, qrels = b"q1 Q0 d1 1 0.5 x\nq1 Q0 d2 2 0.4 x\n", b"q1 0 d1 1\n"
    assert client.post("/api/files/a.run.gz", gzip.compress(run)).json == {"name": "a.run"}
    assert client.post("/api/files/judged.txt", qrels).json == {"name": "judged.txt"}
    choices = client.get("/api/tunings/choices").json
    assert (choices["runs"], choices["qrels"]) == (["a.run"], ["judged.txt"])
    assert "judged.txt" not in client.get("/api/project").json["data"]
    for name in ("a.run", "judged.txt"):
        (project.folder / name).unlink()


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("b.run", b"q1 Q0 d1 1 0.5 x\nq1 Q0 d2 2 high x\n", "b.run:"),
        ("b.qrels", b"q1 0 d1 1\nq1 0 d1\n", "b.qrels:"),
        ("b.run", LETOR, "neither a run"),
        ("rankmax.toml", b"q1 Q0 d1 1 0.5 x\n", "rankmax.toml"),
        ("b.html", b"q1 Q0 d1 1 0.5 x\n", "b.html"),
    ],
)
def test_damaged_runs_and_other_names_are_refused(client, project, name: str, content: bytes, message: str) -> None:
    answer = client.post(f"/api/files/{name}", content)
    assert answer.status == 400
    assert message in answer.json["error"]
    assert not (project.folder / name).exists()


@pytest.mark.parametrize(
    "name", ["..%2Fout.txt", "%2Ftmp%2Fout.txt", ".hidden.txt", "a%00b.txt", "x" * 200 + ".txt", "run.sh", "x.txt.gz"]
)
def test_only_names_of_the_project_are_taken(client, project, name: str) -> None:
    around = project.folder.parent
    before = sorted(path.name for path in around.rglob("*"))
    assert client.post(f"/api/files/{name}", LETOR).status in (400, 404)
    assert sorted(path.name for path in around.rglob("*")) == before


def test_nothing_is_overwritten(client, project) -> None:
    before = (project.folder / "train.npz").read_bytes()
    answer = client.post("/api/files/train.npz", LETOR)
    assert (answer.status, "exists already" in answer.json["error"]) == (400, True)
    assert client.post("/api/files/link.npz", LETOR).status == 400, "a link that leads out is no way out either"
    assert (project.folder / "train.npz").read_bytes() == before


@pytest.mark.parametrize(
    ("name", "content"),
    [("bad.txt", b"2 qid:1 1:x\n"), ("bad.npz", b"PK\x03\x04"), ("bad.json", b"{}"), ("bad.parquet", b"")],
)
def test_what_cannot_be_read_does_not_stay(client, project, name: str, content: bytes) -> None:
    answer = client.post(f"/api/files/{name}", content)
    assert answer.status == 400
    assert str(project.folder) not in answer.json["error"]
    assert not (project.folder / name).exists()


def deflated_zeros() -> bytes:
    file = BytesIO()
    with ZipFile(file, "w", ZIP_DEFLATED) as archive:
        archive.writestr("features.npy", bytes(8 << 20))
    return file.getvalue()


def repeated_rows() -> bytes:
    pyarrow = pytest.importorskip("pyarrow", reason="needs pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet", reason="needs pyarrow")
    file = BytesIO()
    parquet.write_table(pyarrow.table({"label": np.zeros(1 << 20, np.int8)}), file)
    return file.getvalue()


@pytest.mark.parametrize(("name", "bomb"), [("bomb.npz", deflated_zeros), ("bomb.parquet", repeated_rows)])
def test_what_would_fill_the_memory_is_not_unpacked(
    client, project, monkeypatch: pytest.MonkeyPatch, name: str, bomb: Callable[[], bytes]
) -> None:
    monkeypatch.setattr(uploads, "_MOST_UNPACKED", 4 << 20)
    content = bomb()
    assert len(content) < 1 << 16
    answer = client.post(f"/api/files/{name}", content)
    assert (answer.status, "decompressed, it would have 8 MB" in answer.json["error"]) == (400, True)
    assert not (project.folder / name).exists()


def test_size_is_bounded_whatever_is_claimed(client, project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, "MOST_BYTES", 1 << 20)
    assert client.post("/api/files/large.txt", LETOR * 40_000).status == 413
    assert client.post("/api/read", b" " * (1 << 20) + b"{}").status == 413
    assert not (project.folder / "large.txt").exists()
    assert uploads.MOST_BYTES == 64 << 20


@pytest.mark.parametrize(("name", "unpacked"), [("a1.txt.gz", "a1.txt"), ("a2.txt", "a2.txt"), ("a3.TXT.GZ", "a3.TXT")])
def test_packed_files_are_written_unpacked(client, project, name: str, unpacked: str) -> None:
    assert client.post(f"/api/files/{name}", gzip.compress(LETOR)).json == {"name": unpacked}
    assert (project.folder / unpacked).read_bytes() == LETOR
    assert client.post(f"/api/files/{name}", gzip.compress(LETOR)).status == 400, "nothing is overwritten"


def test_packed_models_come_in(client, project) -> None:
    model = LinearModel([1.0], ("f1",)).to_json()
    assert client.post("/api/files/packed.json.gz", gzip.compress(model)).json == {"name": "packed.json"}
    assert "packed.json" in client.get("/api/project").json["models"]


@pytest.mark.parametrize("name", ["a.txt", "a.txt.gz", "a.csv", "a.tsv", "a.jsonl", "a.npz", "a.parquet", "a.json"])
@pytest.mark.parametrize("packed", ["large", "twice", "cut", "followed by anything"])
def test_packed_files_have_the_limit_of_plain_ones(
    client, project, monkeypatch: pytest.MonkeyPatch, name: str, packed: str
) -> None:
    monkeypatch.setattr(uploads, "MOST_BYTES", 1 << 20)
    content, told = {
        "large": (gzip.compress(LETOR * 40_000), "more than the 1 MB that an upload may have; copy it to"),
        "twice": (gzip.compress(gzip.compress(LETOR * 40_000)), "compressed twice; decompress it first"),
        "cut": (gzip.compress(LETOR)[:-4], "damaged or truncated gzip file"),
        "followed by anything": (gzip.compress(LETOR) + b"anything", "damaged or truncated gzip file"),
    }[packed]
    before = sorted(path.name for path in project.folder.iterdir())
    answer = client.post(f"/api/files/{name}", content)
    assert (answer.status, told in answer.json["error"]) == (400, True), answer.json
    assert sorted(path.name for path in project.folder.iterdir()) == before


def test_archives_inside_a_packed_file_are_bounded_too(client, project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "_MOST_UNPACKED", 4 << 20)
    answer = client.post("/api/files/bomb.npz.gz", gzip.compress(deflated_zeros()))
    assert (answer.status, "decompressed, it would have 8 MB" in answer.json["error"]) == (400, True)
    assert not (project.folder / "bomb.npz").exists()


def long_id_of_many_rows() -> bytes:
    pyarrow = pytest.importorskip("pyarrow", reason="needs pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet", reason="needs pyarrow")
    n_rows = 10_000
    columns = {"query": ["q" * 1000] * n_rows, "label": np.zeros(n_rows), "bm25": np.zeros(n_rows)}
    file = BytesIO()
    parquet.write_table(pyarrow.table(columns), file)
    return file.getvalue()


def test_ids_that_a_file_holds_once_for_many_rows_are_counted(client, project, monkeypatch) -> None:
    content = long_id_of_many_rows()
    assert len(content) < 1 << 14
    monkeypatch.setattr(uploads, "_MOST_UNPACKED", 4 << 20)
    answer = client.post("/api/files/long.parquet", content)
    assert (answer.status, "decompressed, it would have 9 MB" in answer.json["error"]) == (400, True)
    assert not (project.folder / "long.parquet").exists()


def intact_parquet() -> bytes:
    pyarrow = pytest.importorskip("pyarrow", reason="needs pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet", reason="needs pyarrow")
    file = BytesIO()
    columns = {"query": ["q1", "q1", "q2"], "doc": ["a", "b", "c"], "label": [1, 0, 1], "bm25": [0.5, 1.5, 2.5]}
    parquet.write_table(pyarrow.table(columns), file)
    return file.getvalue()


@pytest.mark.parametrize(
    "content",
    [
        b'{"query": "\\ud800", "doc": "d", "features": {"a": 1}}',
        b'{"query": "q", "doc": "d", "features": {"a": 1' + b"0" * 400 + b"}}",
        b'{"query": "q", "doc": "d", "features": {"a": ' + b"[" * 100_000,
        b'{"query": "q", "doc": "d\xff", "features": {"a": 1}}',
        b"\xff\xfe",
    ],
)
def test_damaged_lines_of_json_are_refused(client, project, content: bytes) -> None:
    answer = client.post("/api/files/bad.jsonl", content)
    assert (answer.status, answer.json["error"].startswith("bad.jsonl: ")) == (400, True)
    assert not (project.folder / "bad.jsonl").exists()


def test_parquet_files_damaged_anywhere_are_refused_or_read(client, project) -> None:
    content = intact_parquet()
    refused = 0
    for place in range(0, len(content), 7):
        damaged = bytearray(content)
        damaged[place] ^= 0x55
        answer = client.post("/api/files/damaged.parquet", bytes(damaged))
        assert answer.status in (200, 400), (place, answer.body)
        refused += answer.status == 400
        assert (project.folder / "damaged.parquet").exists() == (answer.status == 200)
        (project.folder / "damaged.parquet").unlink(missing_ok=True)
    assert refused


def test_whatever_a_reader_raises_the_file_does_not_stay(project, monkeypatch: pytest.MonkeyPatch) -> None:
    def stumble(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(type(project), "data", stumble)
    with pytest.raises(ZeroDivisionError):
        uploads.take_upload(Session(project), "stumble.txt", LETOR)
    assert not (project.folder / "stumble.txt").exists()
