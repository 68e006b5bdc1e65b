from __future__ import annotations

import threading
from pathlib import Path

import pytest

import rankmax
from oracles.deployed_project import DEPTH, N_QUERIES, Deployed
from oracles.opensearch_server import clause_hits, top
from rankmax.errors import IncompatibleError, InvalidDataError, RankmaxError, ServerError
from rankmax.formats.trec import read_run
from rankmax.workflows.deployment.collecting import collection
from rankmax.workflows.deployment.project_file import ProjectFile

ALL = 2 * N_QUERIES


def runs_of(deployed: Deployed) -> list[str]:
    return sorted(path.name for path in (deployed.path.parent / "runs").glob("*.run"))


def test_runs_are_what_the_engine_returns(deployed: Deployed) -> None:
    collected = rankmax.collect(deployed.path)
    assert [(run.retriever, run.queries, run.asked) for run in collected.runs] == [
        ("bm25", N_QUERIES, N_QUERIES),
        ("dense", N_QUERIES, N_QUERIES),
    ]
    run = read_run(deployed.path.parent / "runs" / "bm25.run").to_dict()
    documents = deployed.server.indexes["docs"]
    for query, text in ProjectFile(deployed.path).topics().items():
        assert run[query] == top(clause_hits(documents, {"match": {"body": text}}), DEPTH)


def test_nothing_is_fetched_twice(deployed: Deployed) -> None:
    rankmax.collect(deployed.path)
    again = rankmax.collect(deployed.path)
    assert [run.asked for run in again.runs] == [0, 0]
    assert (len(deployed.server.answered), deployed.server.answered.total()) == (ALL, ALL)


def test_troubles_that_pass_are_survived(deployed: Deployed) -> None:
    deployed.server.troubles.extend(["429 0", "503", "drop", "500", "429 0", "partial", "504", "drop"])
    rankmax.collect(deployed.path)
    assert (len(deployed.server.answered), deployed.server.answered.total()) == (ALL, ALL)
    assert deployed.server.requests == ALL + 8


def test_a_server_that_is_killed_and_restarted(deployed: Deployed) -> None:
    deployed.change("parallel = 3", "parallel = 1")
    deployed.change("retries = 3", "retries = 0")
    deployed.server.troubles.extend(["none"] * 7 + ["die"])
    with pytest.raises(ServerError, match=r"(bm25|dense), query 'q\d+': .*could not be reached"):
        rankmax.collect(deployed.path)
    assert runs_of(deployed) == []
    assert deployed.server.answered.total() == 7
    with pytest.raises(ServerError, match="could not be reached"):
        rankmax.collect(deployed.path)
    deployed.server.start()
    assert sum(run.asked for run in rankmax.collect(deployed.path).runs) == ALL - 7
    assert runs_of(deployed) == ["bm25.run", "dense.run"]
    assert (len(deployed.server.answered), deployed.server.answered.total()) == (ALL, ALL)


def test_a_server_that_comes_back_meanwhile_is_waited_for(deployed: Deployed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rankmax.workflows.deployment.parallel_requests.FIRST_PAUSE", 0.2)
    deployed.server.stop()
    threading.Timer(0.15, deployed.server.start).start()
    rankmax.collect(deployed.path)
    assert deployed.server.answered.total() == ALL


def test_an_interrupt_leaves_it_resumable(deployed: Deployed) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    with collection(ProjectFile(deployed.path)) as collecting, pytest.raises(KeyboardInterrupt):
        collecting.run(interrupt)
    assert runs_of(deployed) == []
    with collection(ProjectFile(deployed.path)) as collecting:
        assert len(collecting.waiting) == ALL - 1
    assert [run.queries for run in rankmax.collect(deployed.path).runs] == [N_QUERIES, N_QUERIES]


def test_a_slow_server_exceeds_the_time_limit(deployed: Deployed) -> None:
    deployed.change("timeout = 5", "timeout = 0.05")
    deployed.change("retries = 3", "retries = 1")
    deployed.server.seconds = 0.5
    with pytest.raises(ServerError, match="timed out"):
        rankmax.collect(deployed.path)
    deployed.server.seconds = 0.0
    deployed.change("timeout = 0.05", "timeout = 5")
    rankmax.collect(deployed.path)
    assert runs_of(deployed) == ["bm25.run", "dense.run"]


def test_a_truncated_journal_loses_its_last_line_only(deployed: Deployed) -> None:
    rankmax.collect(deployed.path)
    journal = deployed.path.parent / "runs" / ".bm25.collected"
    journal.write_bytes(journal.read_bytes()[:-5])
    assert [run.asked for run in rankmax.collect(deployed.path).runs] == [1, 0]


def test_a_damaged_journal_is_refused(deployed: Deployed) -> None:
    rankmax.collect(deployed.path)
    journal = deployed.path.parent / "runs" / ".bm25.collected"
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join([*lines[:3], b"{}\n", *lines[3:]]))
    with pytest.raises(RankmaxError, match=r"\.bm25\.collected:4: damaged.*--restart"):
        rankmax.collect(deployed.path)
    assert [run.asked for run in rankmax.collect(deployed.path, restart=True).runs] == [N_QUERIES, N_QUERIES]


def test_new_topics_are_added_and_make_the_run_incomplete_until_they_are_there(deployed: Deployed) -> None:
    rankmax.collect(deployed.path)
    with (deployed.path.parent / "topics.tsv").open("a") as file:
        file.write("q99\tw1 w2\n")
    with (deployed.path.parent / "vectors.jsonl").open("a") as file:
        file.write('{"id": "q99", "vector": [1, 0, 0, 0]}\n')
    deployed.server.troubles.extend(["400"])
    with pytest.raises(ServerError, match="answered 400"):
        rankmax.collect(deployed.path)
    assert runs_of(deployed) == []
    with pytest.raises(IncompatibleError, match="not collected, or not completely"):
        rankmax.tune(deployed.path)
    assert [run.queries for run in rankmax.collect(deployed.path).runs] == [N_QUERIES + 1, N_QUERIES + 1]
    assert deployed.server.answered.total() == ALL + 2


def test_another_vector_is_asked_again(deployed: Deployed) -> None:
    rankmax.collect(deployed.path)
    vectors = deployed.path.parent / "vectors.jsonl"
    lines = vectors.read_text().splitlines(keepends=True)
    vectors.write_text("".join(['{"id": "q0", "vector": [1, 0, 0, 0]}\n', *lines[1:]]))
    assert [run.asked for run in rankmax.collect(deployed.path).runs] == [0, 1]


@pytest.mark.parametrize(
    ("old", "new", "what"), [('body = "', 'title = "', "template"), ("depth = 30", "depth = 9", "depth")]
)
def test_another_question_is_not_mixed_with_the_answers(deployed: Deployed, old: str, new: str, what: str) -> None:
    rankmax.collect(deployed.path)
    deployed.change(old, new)
    with pytest.raises(IncompatibleError, match=f"another {what}; .*--restart"):
        rankmax.collect(deployed.path)


def test_a_run_of_the_user_is_not_overwritten(deployed: Deployed) -> None:
    folder = deployed.path.parent / "runs"
    folder.mkdir()
    (folder / "bm25.run").write_text("mine")
    with pytest.raises(IncompatibleError, match=r"bm25\.run was not collected by rankmax"):
        rankmax.collect(deployed.path)
    assert (folder / "bm25.run").read_text() == "mine"


def test_two_collections_at_a_time_are_refused(deployed: Deployed) -> None:
    with collection(ProjectFile(deployed.path)), pytest.raises(RankmaxError, match="another process"):
        rankmax.collect(deployed.path)


def test_queries_without_results_are_counted(deployed: Deployed) -> None:
    topics = deployed.path.parent / "topics.tsv"
    topics.write_text(topics.read_text() + "q0b\tnothing\n")
    with (deployed.path.parent / "vectors.jsonl").open("a") as file:
        file.write('{"id": "q0b", "vector": [1, 0, 0, 0]}\n')
    assert [run.without_results for run in rankmax.collect(deployed.path).runs] == [1, 0]


def test_a_retriever_that_finds_nothing_at_all(deployed: Deployed) -> None:
    (deployed.path.parent / "topics.tsv").write_text("q1\tnothing\n")
    with pytest.raises(InvalidDataError, match="bm25 found nothing for any of 1 query"):
        rankmax.collect(deployed.path)


def test_what_no_run_can_hold(deployed: Deployed) -> None:
    documents = deployed.server.indexes["docs"]
    documents["a b"] = next(iter(documents.values()))
    documents["a b"] = (" ".join(f"w{n}" for n in range(30)), [0.0] * 4)
    deployed.change("depth = 30", "depth = 61")
    with pytest.raises(InvalidDataError, match=r"query 'q\d+': document id 'a b' must not be empty or contain blanks"):
        rankmax.collect(deployed.path)


def test_text_of_queries_is_data(deployed: Deployed, tmp_path: Path) -> None:
    hostile = 'w1 "}}, "x": {"{vector}": 1} \\ {depth} w2'
    (tmp_path / "topics.tsv").write_text(f"q0\t{hostile}\n")
    rankmax.collect(deployed.path)
    run = read_run(tmp_path / "runs" / "bm25.run").to_dict()
    assert run["q0"] == top(clause_hits(deployed.server.indexes["docs"], {"match": {"body": hostile}}), DEPTH)
