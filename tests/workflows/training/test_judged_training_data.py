"""Training by qrels, by human and machine judgments together, and by clicks."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import rankmax
from rankmax.api.progress import Progress
from rankmax.cli.train import train
from rankmax.data.click_log import ClickLog
from rankmax.data.runs import Qrels
from rankmax.errors import IncompatibleError, InvalidDataError
from rankmax.evaluation.click_estimates import click_gains
from rankmax.evaluation.prediction_powered import prediction_powered
from rankmax.formats.registry import write_dataset
from rankmax.formats.trec import write_qrels
from rankmax.line_search import LinearObjective
from rankmax.metrics import nDCG
from rankmax.workflows.training.judged_training_data import graded_by, graded_by_people_and_machine

METRIC = nDCG(cutoff=5)
N_QUERIES, N_DOCUMENTS, N_HUMAN = 90, 8, 20
QUICK = {"n_restarts": 1, "smoothing": 0.0, "shrinkage": 0.0}


class Notes(Progress):
    def __init__(self) -> None:
        self.told: list[str] = []

    def note(self, message: str) -> None:
        self.told.append(message)


@pytest.fixture(scope="module")
def problem() -> tuple[rankmax.RankingDataset, dict, dict]:
    """Return ungraded features, the truth for 20 queries, and grades of all by a machine that misses a third."""
    rng = np.random.default_rng(0)
    n = N_QUERIES * N_DOCUMENTS
    X = rng.random((n, 3))
    qid = np.repeat([f"q{q}" for q in range(N_QUERIES)], N_DOCUMENTS)
    documents = [f"d{i}" for i in range(n)]
    data = rankmax.RankingDataset.from_arrays(X, np.zeros(n), qid=qid, document_ids=documents)
    truth = (X @ [1.0, 0.5, 0.0] + 0.4 * rng.normal(size=n) > 1.0).astype(int)
    by_machine = np.where(rng.random(n) < 0.3, 0, truth)

    def nested(grades: np.ndarray, n_queries: int) -> dict:
        return {
            f"q{q}": {documents[i]: int(grades[i]) for i in range(q * N_DOCUMENTS, (q + 1) * N_DOCUMENTS)}
            for q in range(n_queries)
        }

    return data, nested(truth, N_HUMAN), nested(by_machine, N_QUERIES)


def test_the_trained_value_is_the_prediction_powered_estimate(problem) -> None:
    data, human, machine = problem
    notes = Notes()
    model = rankmax.train(data, METRIC, qrels=human, machine_qrels=machine, progress=notes, **QUICK)
    (note,) = notes.told
    assert note.startswith("20 queries judged by people, 70 more by a machine")
    by_people, by_machine = graded_by(data, Qrels.from_dict(human)), graded_by(data, Qrels.from_dict(machine))
    values = {
        name: dict(zip(one.query_ids, METRIC.per_query(model.scores(one), one.judgments), strict=True))
        for name, one in (("people", by_people), ("machine", by_machine))
    }
    mixed, _ = graded_by_people_and_machine(data, Qrels.from_dict(human), Qrels.from_dict(machine), METRIC)
    share = mixed.judgments.coefficients[1][-1]  # w M / (M - n) for queries without human judgments
    found = prediction_powered(
        [values["people"].get(query, np.nan) for query in by_machine.query_ids],
        [values["machine"][query] for query in by_machine.query_ids],
        weight=share * (N_QUERIES - N_HUMAN) / N_QUERIES,
    )
    assert model.training.value == pytest.approx(found.mean, abs=1e-12)


def test_what_is_learned_by_shrinks_the_correction(problem) -> None:
    """The 20 queries judged by people have half of their weight, and no ranking by one feature is better by that."""
    data, human, machine = problem
    mixed, _ = graded_by_people_and_machine(data, Qrels.from_dict(human), Qrels.from_dict(machine), METRIC)
    assert mixed.judgments.emphasis.tolist() == [0.5] * N_HUMAN + [1.0] * (N_QUERIES - N_HUMAN)
    model = rankmax.train(data, METRIC, qrels=human, machine_qrels=machine, **QUICK)
    shrunk = LinearObjective(mixed, METRIC, query_weights=mixed.judgments.emphasis)
    assert shrunk.at(model.weights).value >= max(shrunk.at(w).value for w in np.eye(3))
    plain = replace(mixed, judgments=replace(mixed.judgments, emphasis=np.ones(N_QUERIES)))
    weighted = rankmax.LinearRanker(METRIC, **QUICK).fit_dataset(plain, query_weights=mixed.judgments.emphasis)
    assert (weighted.model_.weights == model.weights).all()


def test_a_useless_machine_is_left_out(problem) -> None:
    data, human, machine = problem
    rng = np.random.default_rng(5)
    noise = {q: dict(zip(row, rng.integers(0, 2, len(row)).tolist(), strict=True)) for q, row in machine.items()}
    notes = Notes()
    with_noise = rankmax.train(data, METRIC, qrels=human, machine_qrels=noise, progress=notes, **QUICK)
    assert notes.told == ["machine judgments are left out: they do not distinguish features as people do"]
    assert (with_noise.weights == rankmax.train(data, METRIC, qrels=human, **QUICK).weights).all()


def test_clicks_train_by_their_gains(problem) -> None:
    data, _, machine = problem
    rows = [
        (query, document, k, clicked, count)
        for query, grades in machine.items()
        for k, (document, grade) in enumerate(grades.items(), 1)
        for clicked, count in ((True, 60 * grade / k), (False, 100 - 60 * grade / k))
    ]
    log = ClickLog.from_rows(rows)
    model = rankmax.train(data, "DCG@5", clicks=log, propensities="1/rank^1", **QUICK)
    gains = click_gains(log, 1 / np.arange(1.0, N_DOCUMENTS + 1)).qrels
    assert (model.weights == rankmax.train(data, "DCG@5", qrels=gains, **QUICK).weights).all()
    with pytest.raises(IncompatibleError, match="not nDCG@10"):
        rankmax.train(data, clicks=log)


def test_mistakes_are_named(problem) -> None:
    data, human, machine = problem
    with pytest.raises(IncompatibleError, match="give the qrels by people as well"):
        rankmax.train(data, METRIC, machine_qrels=machine)
    with pytest.raises(IncompatibleError, match="for the learner direct, not for least-squares"):
        rankmax.train(data, METRIC, qrels=human, machine_qrels=machine, learner="least-squares")
    with pytest.raises(InvalidDataError, match="lack machine judgments"):
        rankmax.train(data, METRIC, qrels=machine, machine_qrels=human)
    with pytest.raises(InvalidDataError, match=r"1 query has both .* at least 5"):
        rankmax.train(data, METRIC, qrels={"q0": human["q0"]}, machine_qrels=machine)
    with pytest.raises(InvalidDataError, match="the ids must be the same"):
        rankmax.train(data, METRIC, qrels={"7": {"d1": 1}})
    with pytest.raises(IncompatibleError, match="either judgments or clicks"):
        rankmax.train(data, "DCG@5", qrels=human, clicks=ClickLog.from_rows([("q1", "d1", 1, True, 1)]))
    with pytest.raises(IncompatibleError, match="shards have grades of their own"):
        rankmax.train(data, METRIC, qrels=human, memory="1GB")


def test_the_command_takes_both(problem, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data, human, machine = problem
    monkeypatch.chdir(tmp_path)
    write_dataset(data, "features.csv")
    write_qrels(Qrels.from_dict(human), "human.txt")
    write_qrels(Qrels.from_dict(machine), "llm.txt")
    arguments = ["features.csv", "-o", "model.json", "--qrels", "human.txt", "--machine-qrels", "llm.txt"]
    done = CliRunner().invoke(train, [*arguments, "-m", "nDCG@5", "--folds", "5"])
    assert done.exit_code == 0, done.output
    assert "70 more by a machine" in done.output
    assert "cross-validated" in done.output
