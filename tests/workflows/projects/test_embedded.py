from __future__ import annotations

from pathlib import Path

import pytest

from rankmax.data.runs import Qrels
from rankmax.datasets import TextCollection
from rankmax.retrieval.index.document_files import Document
from rankmax.workflows.projects import embedded as module
from rankmax.workflows.projects.embedded import embedded_project
from rankmax.workflows.projects.texts import ProjectTexts


def collection() -> TextCollection:
    words = ("sine", "cosine", "tangent", "secant", "matrix", "vector")
    documents = [
        Document(word, {"name": word, "signature": f"{word}(x)", "body": f"the {word} of x and {words[i - 1]}"})
        for i, word in enumerate(words)
    ]
    topics = {word: f"compute the {words[i - 1]} of a number" for i, word in enumerate(words)}
    qrels = Qrels.from_dict({word: {words[i - 1]: 1} for i, word in enumerate(words)})
    return TextCollection("six words", tuple(documents), topics, qrels, {word: word for word in words})


def test_the_project_is_made_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "docstrings", collection)
    said: list[str] = []
    folder = tmp_path / "studio-project"
    project = embedded_project(folder, say=said.append)
    assert (project.chosen, project.data_names) == ("train.npz", ["train.npz", "test.npz"])
    train, test = (project.data(name) for name in project.data_names)
    assert set(train.query_ids).isdisjoint(test.query_ids)
    assert {"dirichlet", "bm25", "bm25:name", "ordered"} <= set(train.feature_names)
    texts = ProjectTexts.of(folder)
    assert set(train.query_ids) | set(test.query_ids) <= set(texts.topics)
    assert texts.snippets(train.query_ids[0], [train.document_ids[0]])
    assert len(said) == 4
    assert embedded_project(folder, say=said.append) == project
    assert len(said) == 4
