"""Tunings started from the page, and those that the project keeps."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from threading import Lock
from typing import Any

from rankmax._io.files import atomic_writer
from rankmax.api.tune import TARGETS as ENGINES
from rankmax.engines.registry import TARGETS
from rankmax.errors import InvalidParameterError, RankmaxError, UnknownNameError
from rankmax.formats.named_files import named_files
from rankmax.metrics.registry import parse_metric
from rankmax.models import LinearModel
from rankmax.studio.messages import ExportTuning, KeepTuningModel, StartTuning
from rankmax.studio.session import Session
from rankmax.studio.tuning_process import TuningJob, TuningProcess
from rankmax.workflows.deployment.project_file import ProjectFile
from rankmax.workflows.projects.kept_tuning import read_kept_model, read_kept_page
from rankmax.workflows.projects.project import PROJECT_FILE, TUNING
from rankmax.workflows.tuning.report.export_data import export_data
from rankmax.workflows.tuning.report.tuning_page import tuning_page


class Tunings:
    """Starts tunings, manages them by number, and reads those that the project keeps.

    Parameters
    ----------
    session : Session
    """

    def __init__(self, session: Session) -> None:
        self._project = session.project
        self._jobs: dict[int, TuningProcess] = {}
        self._numbers = count(1)
        self._lock = Lock()  # several threads handle requests

    def choices(self) -> dict[str, Any]:
        """Return the files that can be tuned, the choices of the form, and the tunings so far."""
        return {
            "runs": self._project.run_names,
            "qrels": self._project.qrels_names,
            "project": self._described_project(),
            "models": [name for name in self._project.model_names if self._is_linear(name)],
            "engines": list(ENGINES),
            "targets": list(TARGETS),
            "kept": self._project.tuning_names,
            "running": [number for number, job in list(self._jobs.items()) if job.state == "running"],
        }

    def start(self, asked: StartTuning) -> int:
        """Start a tuning and return its number; its result is kept in the project.

        Parameters
        ----------
        asked : StartTuning
        """
        job = TuningProcess(self._job(asked), self._keep)
        with self._lock:
            if any(one.state == "running" for one in self._jobs.values()):
                raise InvalidParameterError("a tuning is running; wait for it, or stop it")
            job.start()
            number = next(self._numbers)
            self._jobs[number] = job
        return number

    def news(self, number: int, n_seen: int) -> Iterator[tuple[str, Any]]:
        """Yield the new steps of a tuning, and where it is over how it ended.

        Parameters
        ----------
        number : int
        n_seen : int
            Number of steps that were yielded before.
        """
        job = self._known(number)
        over = job.state != "running"
        for step in job.steps[n_seen:]:
            yield "step", step
        if over:
            yield "end", {"state": job.state, "message": job.message, "kept": job.kept}

    def stop(self, number: int) -> None:
        """Stop a tuning.

        Parameters
        ----------
        number : int
        """
        self._known(number).stop()

    def abandon_all(self) -> None:
        """End all tunings, when the studio closes."""
        for job in list(self._jobs.values()):
            job.abandon()

    def page(self, name: str) -> dict[str, Any]:
        """Return a kept tuning as data.

        Parameters
        ----------
        name : str
        """
        return read_kept_page(self._project.tuning(name))

    def report(self, name: str) -> bytes:
        """Return a kept tuning as a self-contained web page.

        Parameters
        ----------
        name : str
        """
        return tuning_page(self.page(name))

    def export(self, asked: ExportTuning) -> dict[str, Any]:
        """Return the recommended fusion of a kept tuning for a search engine.

        Parameters
        ----------
        asked : ExportTuning
        """
        if asked.target not in TARGETS:
            raise UnknownNameError("export target", asked.target, list(TARGETS))
        model = read_kept_model(self._project.tuning(asked.tuning))
        return export_data(model, self.page(asked.tuning)["summary"], asked.target)

    def keep_model(self, asked: KeepTuningModel) -> str:
        """Save the recommended fusion of a kept tuning as a model of the project, and return the file's name.

        Parameters
        ----------
        asked : KeepTuningModel
        """
        model = read_kept_model(self._project.tuning(asked.tuning))
        path = self._project.new_file(asked.name, ".json")
        model.save(path)
        return path.name

    def _known(self, number: int) -> TuningProcess:
        if number not in self._jobs:
            raise UnknownNameError("tuning", str(number), map(str, self._jobs))
        return self._jobs[number]

    def _job(self, asked: StartTuning) -> TuningJob:
        metrics = tuple(parse_metric(metric).name for metric in asked.metrics)
        options = [word for metric in metrics for word in ("-m", metric)]
        current, model = asked.current.strip() or None, None
        if current is not None and os.path.isfile(current):  # the command takes paths, a page does not
            raise InvalidParameterError(f"{current!r} is not a known fusion: choose a model of the project instead")
        if asked.current_model:
            model = self._project.model(asked.current_model).to_json()
            options += ["--current", asked.current_model]
        elif current is not None:
            options += ["--current", current]
        if asked.engine is not None:
            if asked.engine not in ENGINES:
                raise UnknownNameError("engine", asked.engine, list(ENGINES))
            options += ["--engine", asked.engine]
        if asked.by is not None:
            options += ["--by", asked.by]
        if asked.folds != 5:
            options += ["--folds", str(asked.folds)]
        if asked.seed:
            options += ["--seed", str(asked.seed)]
        if asked.from_project:
            systems: dict[str, str] | Path = self._project_path()
            qrels, inputs = None, [PROJECT_FILE]
        else:
            if asked.qrels is None:
                raise InvalidParameterError("choose the judgments (qrels): runs cannot be evaluated without them")
            runs = [str(self._project.run(name)) for name in asked.runs]
            systems = dict(named_files(runs))
            qrels = str(self._project.qrels(asked.qrels))
            inputs = ["--qrels", asked.qrels, *asked.runs]
        command = shlex.join(["rankmax", "tune", *inputs, *options])
        choices = asked.engine, asked.by, asked.folds, asked.seed
        return TuningJob(systems, qrels, metrics, current, model, *choices, command)

    def _keep(self, content: bytes) -> str:
        taken = set(self._project.tuning_names)
        name = next(name for i in count(1) if (name := f"tuning-{i}") not in taken)
        with atomic_writer(self._project.new_file(name, TUNING)) as file:
            file.write(content)
        return name

    def _project_path(self) -> Path:
        path = self._project.project_file
        if path is None:
            raise InvalidParameterError(f"there is no {PROJECT_FILE} in this folder")
        return path

    def _described_project(self) -> dict[str, Any] | None:
        """Return what the project file gives, or why it cannot be used."""
        path = self._project.project_file
        if path is None:
            return None
        try:
            file = ProjectFile(path)
            runs = list(file.run_paths())
            return {"runs": runs, "metric": file.metric, "engine": file.engine_class.tuned_as, "error": None}
        except RankmaxError as error:
            return {"runs": [], "metric": None, "engine": None, "error": str(error)}

    def _is_linear(self, name: str) -> bool:
        return isinstance(self._project.model(name), LinearModel)
