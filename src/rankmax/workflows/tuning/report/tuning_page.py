"""A tuning as a self-contained web page."""

from __future__ import annotations

import os
from collections.abc import Sequence
from importlib.resources import files as package_files

from rankmax._io.files import atomic_writer
from rankmax._pages.stylesheets import shared_style
from rankmax.models import LinearModel
from rankmax.workflows.tuning.confidence import WeightConfidence
from rankmax.workflows.tuning.report.alternatives import two_metrics, weights_by_query
from rankmax.workflows.tuning.report.export_section import paste, provenance
from rankmax.workflows.tuning.report.landscape import landscape
from rankmax.workflows.tuning.report.per_query import per_query
from rankmax.workflows.tuning.report.verdict_rows import fusion_rows, verdict_banner
from rankmax.workflows.tuning.report.weights import weights_and_doubt
from rankmax.workflows.tuning.tuning_result import SystemTuning
from rankmax.workflows.tuning.tuning_summary import summarize

_BODY = "{{body}}"


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
    summary = summarize(tuning, confidence)
    sections = [
        verdict_banner(summary),
        fusion_rows(summary),
        per_query(tuning, summary),
        weights_and_doubt(tuning, confidence, summary),
        landscape(tuning, confidence, summary),
        two_metrics(tuning, summary),
        weights_by_query(summary),
        paste(model or tuning.model(), summary, target, model_path),
        provenance(tuning, summary, command, files),
    ]
    template = package_files("rankmax.workflows.tuning.report").joinpath("tuning_page.html").read_text("utf-8")
    template = template.replace("{{tokens.css}}", shared_style("tokens.css"))
    with atomic_writer(path) as file:
        file.write(template.replace(_BODY, "\n".join(filter(None, sections))).encode())
