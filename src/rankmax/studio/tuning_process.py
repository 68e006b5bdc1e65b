"""Tuning in a separate process, which can be watched and stopped."""

from __future__ import annotations

import signal
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from rankmax._io.interrupts import plain_interrupts, reliable_interrupts
from rankmax.api.progress import Progress, Stage
from rankmax.api.tune import tune
from rankmax.errors import RankmaxError
from rankmax.models import LinearModel
from rankmax.models.model_files import model_from_json
from rankmax.studio.background_job import NOTHING_YET, BackgroundJob, State
from rankmax.workflows.projects.kept_tuning import kept_tuning
from rankmax.workflows.tuning.report.tuning_page_data import tuning_page_data


@dataclass(frozen=True)
class TuningJob:
    """Files and options of a tuning.

    Attributes
    ----------
    systems : dict of str to str, or Path
        Paths of runs by name; or a project file, which gives runs, judgments, metric and engine.
    qrels : str or None
        Path of the judgments.
    metrics : tuple of str
        The first is maximized; none for that of the project file.
    current : str or None
        The fusion in use today, as ``rankmax tune --current`` takes it.
    current_model : bytes or None
        The fusion in use today as a model, instead.
    engine : str or None
    by : str or None
        "auto" to learn weights that fit the query, too.
    folds, seed : int
    command : str
        The command that tunes the same.
    """

    systems: dict[str, str] | Path
    qrels: str | None
    metrics: tuple[str, ...]
    current: str | None = None
    current_model: bytes | None = None
    engine: str | None = None
    by: str | None = None
    folds: int = 5
    seed: int = 0
    command: str = ""


@dataclass(frozen=True)
class TuningStep:
    """Progress of a tuning.

    Attributes
    ----------
    stage : str
    done : int
    total : int or None
        Units of work of the stage, where their number is known.
    """

    stage: str
    done: int
    total: int | None


@dataclass
class TuningProcess(BackgroundJob):
    """A tuning that runs while this process does other work.

    Attributes
    ----------
    job : TuningJob
    steps : list of TuningStep
        Progress so far.
    state, message
        As those of any :class:`~rankmax.studio.background_job.BackgroundJob`.
    keep : callable
        Called with the result, as JSON, and returns the name under which it is kept.
    kept : str or None
        That name, once the tuning has ended.
    """

    job: TuningJob
    keep: Callable[[bytes], str]
    steps: list[TuningStep] = field(default_factory=list)
    state: State = "running"
    message: str = ""
    kept: str | None = None

    def _work(self) -> tuple[Callable[..., None], tuple[Any, ...]]:
        return tune_and_tell, (self.job,)

    def _take(self, kind: str, content: Any) -> None:
        if kind == "step":
            self.steps.append(content)
        elif kind == "result":
            try:
                self.kept = self.keep(content)
                self.state = "ended"
            except (RankmaxError, OSError) as error:
                self.message = str(error)
                self.state = "failed"


class _Told(Progress):
    """Sends stages to the parent process."""

    def __init__(self, parent: Connection) -> None:
        self._parent = parent

    @contextmanager
    def stage(self, description: str, total: int | None = None) -> Iterator[Stage]:
        """Begin a stage, and send its steps."""
        yield _ToldStage(self._parent, description, total)


class _ToldStage(Stage):
    def __init__(self, parent: Connection, description: str, total: int | None) -> None:
        self._parent = parent
        self._description, self._done, self._total = description, 0, total
        self._send()

    def advance(self) -> None:
        """Count one unit of work, and send it."""
        self._done += 1
        self._send()

    def say(self, description: str) -> None:
        """Begin a part whose units are not known."""
        self._description, self._done, self._total = description, 0, None
        self._send()

    def _send(self) -> None:
        self._parent.send(("step", TuningStep(self._description, self._done, self._total)))


def tune_and_tell(parent: Connection, job: TuningJob) -> None:
    """Tune as ``rankmax tune`` does, and send every step, then the result or an error, to the parent process.

    Parameters
    ----------
    parent : Connection
        Receives pairs of a kind and a value: "begun", steps, then a result, "failed" or "stopped".
    job : TuningJob
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a studio in the background of a shell ignores it
    try:
        with reliable_interrupts(), plain_interrupts(), warnings.catch_warnings(record=True) as warned:
            parent.send(("begun", ""))
            warnings.simplefilter("always")
            told = _Told(parent)
            tuning = tune(
                job.systems,
                job.qrels,
                job.metrics or None,
                current=_current(job),
                engine=job.engine,
                by=job.by,
                folds=job.folds,
                seed=job.seed,
                progress=told,
            )
            with told.stage("Drawing"):
                notes = [*tuning.notes, *tuning.notes_on_pick, *(str(warning.message) for warning in warned)]
                page = tuning_page_data(
                    tuning.result,
                    tuning.confidence,
                    command=job.command,
                    files=tuning.files,
                    target=tuning.target,
                    notes=notes,
                )
        parent.send(("result", kept_tuning(page, tuning.result.model())))
    except RankmaxError as error:
        parent.send(("failed", str(error)))
    except KeyboardInterrupt:
        parent.send(("stopped", NOTHING_YET))


def _current(job: TuningJob) -> str | LinearModel | None:
    if job.current_model is None:
        return job.current
    model = model_from_json(job.current_model)
    assert isinstance(model, LinearModel)  # the studio offers no other
    return model
