"""A tuning as a self-contained web page."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rankmax._io.files import atomic_writer
from rankmax._pages.self_contained import self_contained_page
from rankmax.models import LinearModel
from rankmax.workflows.tuning.confidence import WeightConfidence
from rankmax.workflows.tuning.report.tuning_page_data import tuning_page_data
from rankmax.workflows.tuning.tuning_result import SystemTuning

_FOLDER = Path(__file__).parent


def write_report(
    tuning: SystemTuning,
    confidence: WeightConfidence,
    path: str | os.PathLike[str],
    *,
    command: str | None = None,
    files: Sequence[str | os.PathLike[str]] = (),
    target: str = "python",
    model: LinearModel | None = None,
    model_path: str | None = None,
    notes: Sequence[str] = (),
) -> None:
    """Write the page, with the numbers of :func:`~rankmax.workflows.tuning.tuning_summary.summarize`.

    Parameters
    ----------
    tuning : SystemTuning
    confidence : WeightConfidence
        Confidence in its learned weights.
    path : path
    command : str, optional
        Command that made the page, to be shown.
    files : sequence of path
        Files that were read, to be shown with their hashes; each may be ``name=path``.
    target : str
        Target of the export: a name of :data:`rankmax.engines.registry.TARGETS`.
    model : LinearModel, optional
        Model to export; the recommended fusion by default.
    model_path : str, optional
        File of the model, if it was written.
    notes : sequence of str
        Remarks on the judgments, the systems and the pick.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from rankmax.data import planted_linear
    >>> from rankmax.fusion.signals import signals_of_features
    >>> from rankmax.metrics import AP
    >>> from rankmax.workflows.tuning.tuning import tune_systems
    >>> from rankmax.workflows.tuning.confidence import weight_confidence
    >>> tuning = tune_systems(signals_of_features(planted_linear(20, 5, 2, seed=1).data), [AP()], n_repeats=1)
    >>> confidence = weight_confidence(tuning.search, tuning.learned_fusion.weights)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_report(tuning, confidence, f"{folder}/tuning.html")
    ...     pathlib.Path(folder, "tuning.html").read_text()[:15]
    '<!doctype html>'
    """
    data = tuning_page_data(
        tuning,
        confidence,
        command=command,
        files=files,
        target=target,
        model=model,
        model_path=model_path,
        notes=notes,
    )
    with atomic_writer(path) as file:
        file.write(tuning_page(data))


def tuning_page(data: dict[str, Any]) -> bytes:
    """Return the page of a tuning, in UTF-8.

    Parameters
    ----------
    data : dict
        Result of :func:`~rankmax.workflows.tuning.report.tuning_page_data.tuning_page_data`.
    """
    return self_contained_page(_FOLDER / "tuning_page.html", _FOLDER / "tuning_page.js", data)
