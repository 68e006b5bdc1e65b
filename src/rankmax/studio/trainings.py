"""Trainings started from the page."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from itertools import count
from threading import Lock
from typing import Any

import msgspec

from rankmax.errors import InvalidParameterError, UnknownNameError
from rankmax.learners.registry import LEARNERS
from rankmax.metrics.registry import parse_metric
from rankmax.models import LinearModel
from rankmax.models.model_files import ScoringModel
from rankmax.studio.messages import KeepRun, Train
from rankmax.studio.session import Session
from rankmax.studio.training_process import TrainingFiles, TrainingProcess
from rankmax.workflows.projects.kept_training import keep_training
from rankmax.workflows.projects.project import TRAINING
from rankmax.workflows.projects.roles import require_no_test_data
from rankmax.workflows.training.training_job import TrainingJob

_MOST_AT_ONCE = 2


class Runs:
    """Starts trainings, and manages them by number.

    Parameters
    ----------
    session : Session
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._runs: dict[int, TrainingProcess] = {}
        self._numbers = count(1)
        self._starting = Lock()  # several threads handle requests

    def start(self, asked: Train) -> int:
        """Start a training and return its number.

        Parameters
        ----------
        asked : Train
        """
        require_no_test_data("train", asked.data, asked.validation, confirmed=asked.confirmed)
        known = [option.name for option in LEARNERS.load(asked.learner).options if option.in_studio]
        for option in asked.options:
            if option not in known:
                raise UnknownNameError(f"option of {asked.learner}", option, known)
        path_of = self._session.project.path_of
        files = TrainingFiles(
            path_of(asked.data), None if asked.validation is None else path_of(asked.validation), asked.queries
        )
        run = TrainingProcess(
            TrainingJob(asked.learner, parse_metric(asked.metric), asked.normalize, asked.options), files
        )
        run.job.build()  # reports wrong options at once
        with self._starting:
            if sum(one.state == "running" for one in list(self._runs.values())) >= _MOST_AT_ONCE:
                raise InvalidParameterError(f"{_MOST_AT_ONCE} trainings are running; wait for one, or stop it")
            run.start()
            number = next(self._numbers)
            self._runs[number] = run
        return number

    def listed(self) -> list[dict[str, Any]]:
        """Return all trainings that were not discarded."""
        return [self.described(number) for number in list(self._runs)]

    def described(self, number: int) -> dict[str, Any]:
        """Return the state of a training.

        Parameters
        ----------
        number : int
        """
        run = self._run(number)
        return {
            "run": number,
            "state": run.state,
            "message": run.message,
            "learner": run.job.learner,
            "metric": run.job.metric.name,
            "data": run.files.data.name,
            "validation": None if run.files.validation is None else run.files.validation.name,
            "command": _command(run),
            "kept": run.kept,
            "normalize": run.job.normalize,
            "training": None if run.model is None else msgspec.to_builtins(run.model.training),
            "weights": _weights(run),
        }

    def news(self, number: int, n_seen: int) -> Iterator[tuple[str, Any]]:
        """Yield the new steps of a training, and its result where it is over.

        Parameters
        ----------
        number : int
        n_seen : int
            Number of steps that were yielded before.
        """
        run = self._run(number)
        over = run.state != "running"
        for step in run.steps[n_seen:]:
            yield "step", step
        if over:
            yield "end", self.described(number)

    def stop(self, number: int) -> None:
        """Stop a training early, keeping the best model so far.

        Parameters
        ----------
        number : int
        """
        self._run(number).stop()

    def discard(self, number: int) -> None:
        """Remove a training, ending it if it is running.

        Parameters
        ----------
        number : int
        """
        self._run(number).abandon()
        del self._runs[number]

    def keep(self, asked: KeepRun) -> str:
        """Save the model of a training to a new file of the project, and its progress to another; return the model's.

        Parameters
        ----------
        asked : KeepRun
        """
        run, model = self._run(asked.run), self.model(asked.run)
        path = self._session.project.new_file(asked.name, ".json")
        if run.steps:
            told = self._session.project.new_file(path.stem + TRAINING)
            names = {"metric": run.job.metric.name, "data": run.files.data.name}
            keep_training(told, run.steps, model=model.to_json(), **names)
        try:
            model.save(path)
        except BaseException:
            if run.steps:
                told.unlink()
            raise
        run.kept = path.name
        return path.name

    def model(self, number: int) -> ScoringModel:
        """Return the model of a training.

        Parameters
        ----------
        number : int
        """
        model = self._run(number).model
        if model is None:
            raise InvalidParameterError("the training has no model yet; stop it, or wait for its end")
        return model

    def abandon_all(self) -> None:
        """End all trainings, when the studio closes."""
        for run in list(self._runs.values()):
            run.abandon()

    def _run(self, number: int) -> TrainingProcess:
        if number not in self._runs:
            raise UnknownNameError("run", str(number), map(str, self._runs))
        return self._runs[number]


def _weights(run: TrainingProcess) -> dict[str, float] | None:
    if not isinstance(run.model, LinearModel):
        return None
    return dict(zip(run.model.feature_names, run.model.weights.tolist(), strict=True))


def _command(run: TrainingProcess) -> str | None:
    """Return the command that trains the same model; None where it cannot select the queries."""
    if run.files.queries:
        return None
    job, files = run.job, run.files
    spelled = {option.name: f"--{option.spelled}" for option in LEARNERS.load(job.learner).options}
    words = ["rankmax", "train", files.data.name, "-o", "model.json", "-m", job.metric.name, "--learner", job.learner]
    words += ["--normalize", job.normalize] if job.normalize != "none" else []
    words += ["--validation", files.validation.name] if files.validation is not None else []
    for name, value in job.options.items():
        words += [spelled[name]] if value is True else [] if value is False else [spelled[name], str(value)]
    return shlex.join(words)
