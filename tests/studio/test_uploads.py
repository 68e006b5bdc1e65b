from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZipFile

import numpy as np
import pytest

from rankmax.models import LinearModel
from rankmax.studio import app, uploads

LETOR = b"2 qid:1 1:0.5 2:1\n0 qid:1 1:0.1 2:0\n"


def test_data_and_models_come_in(client, project) -> None:
    assert client.post("/api/files/more.txt", LETOR).json == {"name": "more.txt"}
    assert client.post("/api/files/new.json", LinearModel([1.0], ("f1",)).to_json()).status == 200
    told = client.get("/api/project").json
    assert "more.txt" in told["data"]
    assert "new.json" in told["models"]


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
    assert (answer.status, "unpacked it would have 8 MB" in answer.json["error"]) == (400, True)
    assert not (project.folder / name).exists()


def test_size_is_bounded_whatever_is_claimed(client, project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, "MOST_BYTES", 1 << 20)
    assert client.post("/api/files/large.txt", LETOR * 40_000).status == 413
    assert client.post("/api/read", b" " * (1 << 20) + b"{}").status == 413
    assert not (project.folder / "large.txt").exists()
    assert uploads.MOST_BYTES == 64 << 20
