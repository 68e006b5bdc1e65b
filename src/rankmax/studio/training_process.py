"""Training in a separate process, which can be watched and stopped."""

from __future__ import annotations

import signal
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from rankmax._io.interrupts import plain_interrupts, reliable_interrupts
from rankmax.api.train import train
from rankmax.errors import RankmaxError
from rankmax.formats.registry import read_dataset
from rankmax.learners.direct.training_progress import TrainingProgress
from rankmax.models.model_files import FixedKind, model_from_json
from rankmax.studio.background_job import NOTHING_YET, BackgroundJob, State
from rankmax.workflows.projects.workbench import select_queries
from rankmax.workflows.training.training_job import TrainingJob


@dataclass(frozen=True)
class AscentStep:
    """Progress of one ascent.

    Attributes
    ----------
    ascent : str
        Name of the ascent.
    n_lines : int
        Number of line searches so far.
    value : float
        Best value so far.
    """

    ascent: str
    n_lines: int
    value: float


@dataclass(frozen=True)
class TrainingFiles:
    """Files and queries to train on.

    Attributes
    ----------
    data : Path
    validation : Path or None
    queries : tuple of str
        Patterns of the query ids to train on; all queries when empty.
    """

    data: Path
    validation: Path | None = None
    queries: tuple[str, ...] = ()


@dataclass
class TrainingProcess(BackgroundJob):
    """A training that runs while this process does other work.

    Attributes
    ----------
    job : TrainingJob
    files : TrainingFiles
    steps : list of AscentStep
        Progress so far.
    state : str
        "running", "ended" (with a model, even if it was stopped early), "stopped" (without a model) or "failed".
    model : LinearModel, ExpectedGainModel, AdditiveModel or None
        The trained model, once the training has ended.
    message : str
        Error message or warnings.
    kept : str or None
        Name of the file that the model was saved to.
    """

    job: TrainingJob
    files: TrainingFiles
    steps: list[AscentStep] = field(default_factory=list)
    state: State = "running"
    model: FixedKind | None = None
    message: str = ""
    kept: str | None = None

    def _work(self) -> tuple[Callable[..., None], tuple[Any, ...]]:
        return train_and_tell, (self.job, self.files)

    def _take(self, kind: str, content: Any) -> None:
        if kind == "step":
            self.steps.append(content)
        elif kind == "model":
            self.model = model_from_json(content)
            self.state = "ended"


def train_and_tell(parent: Connection, job: TrainingJob, files: TrainingFiles) -> None:
    """Train, and send every step, then the model or an error, to the parent process.

    Parameters
    ----------
    parent : Connection
        Receives pairs of a kind and a value: "begun", steps, warnings, then a model, "failed" or "stopped".
    job : TrainingJob
    files : TrainingFiles
    """

    def tell(progress: TrainingProgress) -> None:
        parent.send(("step", AscentStep(progress.ascent.key, progress.ascent_lines, progress.ascent_value)))

    signal.signal(signal.SIGINT, signal.default_int_handler)  # a studio in the background of a shell ignores it
    try:
        with reliable_interrupts(), plain_interrupts(), warnings.catch_warnings(record=True) as warned:
            parent.send(("begun", ""))
            warnings.simplefilter("always")
            model: FixedKind = train(
                select_queries(read_dataset(files.data), files.queries),
                job.metric,
                validation=files.validation,
                learner=job.learner,
                normalize=job.normalize,
                callback=tell,
                **job.options,
            )
        parent.send(("warning", "; ".join(str(warning.message) for warning in warned)))
        parent.send(("model", model.to_json()))
    except RankmaxError as error:
        parent.send(("failed", str(error)))
    except KeyboardInterrupt:
        parent.send(("stopped", NOTHING_YET))
