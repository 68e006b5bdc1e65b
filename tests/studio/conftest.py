"""A small project with texts, a studio that serves it, and a client that holds the key."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from http.client import HTTPConnection
from typing import Any

import numpy as np
import pytest

pytest.importorskip("starlette", reason="the studio needs starlette")
pytest.importorskip("uvicorn", reason="the studio needs uvicorn")

from rankmax.data.dataset import RankingDataset
from rankmax.data.synthetic import planted_linear
from rankmax.formats.npz import write_npz
from rankmax.models import LinearModel
from rankmax.retrieval.index.builder import build_index
from rankmax.retrieval.index.document_files import Document
from rankmax.studio.security import Access
from rankmax.studio.server import StudioServer
from rankmax.workflows.projects.project import Project

NASTY = '<img src=x onerror="document.title=1"><script>document.title = 1</script>'


def named(data: RankingDataset) -> RankingDataset:
    """Return the data with ids of documents and queries that the index and the topics know."""
    ids = [f"d{number}" for number in range(data.n_documents)]
    queries = np.repeat([f"q{number}" for number in range(data.n_queries)], data.judgments.documents_by_query)
    return RankingDataset.from_arrays(data.features, data.grades, qid=queries, document_ids=ids)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Return a folder with training and test data, a model, topics and an index, some of it hostile."""
    outside = tmp_path_factory.mktemp("outside")
    folder = outside / "project"
    folder.mkdir()
    for seed, part in enumerate(("train", "test")):
        write_npz(named(planted_linear(24, 10, 4, noise=0.6, seed=seed).data), folder / f"{part}.npz")
    LinearModel([1.0, 0.5], ("f1", "f2")).save(folder / "baseline.json")
    topics = [f"q0\twing {NASTY}", *(f"q{number}\twing number {number}" for number in range(1, 24))]
    (folder / "topics.tsv").write_text("\n".join(topics))
    texts = [Document(f"d{number}", {"text": f"a wing {NASTY} {number}"}) for number in range(240)]
    build_index(texts, folder / "index", store=("text",))
    (outside / "secret.npz").write_bytes((folder / "train.npz").read_bytes())
    (folder / "link.npz").symlink_to(outside / "secret.npz")
    return Project.at(folder)


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def events(self) -> list[tuple[str, Any]]:
        blocks = self.body.decode().split("\n\n")[:-1]
        pairs = [block.split("\n") for block in blocks]
        return [(kind.removeprefix("event: "), json.loads(data.removeprefix("data: "))) for kind, data in pairs]


@dataclass(frozen=True)
class Client:
    """Talks to a studio as its own page does, unless told otherwise."""

    access: Access

    def send(self, method: str, path: str, body: Any = None, **headers: str | None) -> Answer:
        usual = {
            "Host": f"127.0.0.1:{self.access.port}",
            "Cookie": f"{self.access.cookie}={self.access.token}",
            "Origin": self.access.origin,
        }
        sent = {name: value for name, value in (usual | headers).items() if value is not None}
        connection = HTTPConnection("127.0.0.1", self.access.port, timeout=240)
        try:
            content = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
            connection.putrequest(method, path, skip_host=True)
            for name, value in sent.items():
                connection.putheader(name, value)
            if content is not None:
                connection.putheader("Content-Length", str(len(content)))
            connection.endheaders(content)
            response = connection.getresponse()
            return Answer(response.status, {k.lower(): v for k, v in response.getheaders()}, response.read())
        finally:
            connection.close()

    def get(self, path: str, **headers: str | None) -> Answer:
        return self.send("GET", path, **headers)

    def post(self, path: str, body: Any, **headers: str | None) -> Answer:
        return self.send("POST", path, body, **headers)


@pytest.fixture(scope="module")
def server(project: Project) -> Iterator[StudioServer]:
    with StudioServer(project, port=0).in_background() as serving:
        yield serving


@pytest.fixture(scope="module")
def client(server: StudioServer) -> Client:
    return Client(server.access)
