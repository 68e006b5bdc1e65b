from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from rankmax.errors import RankmaxError
from rankmax.workflows.deployment.project_file import VectorSource
from rankmax.workflows.deployment.query_vectors import query_vectors

TOPICS = {"q1": "wing", "2": "größer"}
LENGTHS = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    print(json.dumps({"id": asked["id"], "vector": [len(asked["text"])]}))
"""


def test_from_npz(tmp_path: Path) -> None:
    np.savez(
        tmp_path / "v.npz", ids=np.array(["2", "q1", "other"]), vectors=np.array([[1, 2], [3, 4], [5, 6]], np.float32)
    )
    found = query_vectors(VectorSource("v.npz"), TOPICS, tmp_path)
    assert (found["q1"], found["2"]) == ([3.0, 4.0], [1.0, 2.0])


def test_from_json_lines(tmp_path: Path) -> None:
    (tmp_path / "v.jsonl").write_text('{"id": "q1", "vector": [1]}\n\n{"id": 2, "vector": [2.5], "model": "e5"}\n')
    assert query_vectors(VectorSource("v.jsonl"), TOPICS, tmp_path) == {"q1": [1.0], "2": [2.5]}


def test_from_a_command(tmp_path: Path) -> None:
    (tmp_path / "embed.py").write_text(LENGTHS)
    source = VectorSource(command=[sys.executable, "embed.py"])
    assert query_vectors(source, TOPICS, tmp_path) == {"q1": [4.0], "2": [6.0]}


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ('{"id": "q1", "vector": [1]}', "no vector for 1 queries: 2"),
        ('{"id": "q1", "vector": [1]}\n{"id": "q1", "vector": [2]}', r"v\.jsonl:2: query 'q1' occurs twice"),
        ('{"id": "q1", "vector": [1]}\n{"id": "2", "vector": [2, 3]}', "vectors of 1 and 2 numbers"),
        ('{"id": "q1", "vector": []}\n{"id": "2", "vector": []}', "vectors of 0 numbers"),
        ('{"id": "q1", "vector": 1}', r"v\.jsonl:1: expected JSON lines with id and vector"),
        ("[1, 2]", r"v\.jsonl:1: expected JSON lines"),
    ],
)
def test_bad_lines(tmp_path: Path, content: str, words: str) -> None:
    (tmp_path / "v.jsonl").write_text(content)
    with pytest.raises(RankmaxError, match=words):
        query_vectors(VectorSource("v.jsonl"), TOPICS, tmp_path)


@pytest.mark.parametrize(
    ("arrays", "words"),
    [
        ({"vectors": np.ones((2, 2))}, "expected arrays ids and vectors"),
        ({"ids": np.array(["q1"]), "vectors": np.ones((2, 2))}, "expected arrays ids and vectors"),
        ({"ids": np.array(["q1", "q1"]), "vectors": np.ones((2, 2))}, "query 'q1' occurs twice"),
        ({"ids": np.array(["q1", "2"]), "vectors": np.full((2, 2), np.nan)}, "the vector of 'q1' has a number"),
        ({"ids": np.array(["q1", None]), "vectors": np.ones((2, 2))}, "expected arrays ids and vectors"),
    ],
)
def test_bad_arrays(tmp_path: Path, arrays: dict[str, np.ndarray], words: str) -> None:
    np.savez(tmp_path / "v.npz", **arrays)
    with pytest.raises(RankmaxError, match=words):
        query_vectors(VectorSource("v.npz"), TOPICS, tmp_path)


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (["no-such-command"], "'no-such-command' cannot be run"),
        ([sys.executable, "-c", "import sys; sys.exit('out of memory')"], "ended with status 1: out of memory"),
        ([sys.executable, "-c", "print('hello')"], "expected JSON lines"),
        ([sys.executable, "-c", ""], "no vector for 2 queries: q1, 2"),
    ],
)
def test_bad_commands(tmp_path: Path, command: list[str], words: str) -> None:
    with pytest.raises(RankmaxError, match=words):
        query_vectors(VectorSource(command=command), TOPICS, tmp_path)
