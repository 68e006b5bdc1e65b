"""The last sections of a tuning's page: the export for a search engine, and the provenance."""

from __future__ import annotations

import hashlib
import os
import shlex
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from rankmax._version import __version__
from rankmax.data.content_hash import data_hash
from rankmax.engines.registry import TARGETS, export_model
from rankmax.errors import RankmaxError
from rankmax.formats.named_files import split_name
from rankmax.models import LinearModel
from rankmax.workflows.tuning.tuning_result import SystemTuning

_FILE = "model.json"
_OTHERWISE = ("python", "sql")  # targets that can express nearly every model


def export_data(model: LinearModel, summary: dict[str, Any], target: str, path: str | None = None) -> dict[str, Any]:
    """Return a fusion as code or configuration.

    Parameters
    ----------
    model : LinearModel
        The recommended fusion, or the one written instead.
    summary : dict
        Summary of the tuning.
    target : str
        A name of :data:`rankmax.engines.registry.TARGETS`; where it cannot express the model, another is used.
    path : str, optional
        File of the model, if it was written.

    Returns
    -------
    dict
        `what` is exported and its `name`; the `target` with its `title` and `text`, all None where no target can
        express the model; why the requested target was `refused`; the `command` that writes the same, and whether the
        model `is_written`.
    """
    what, name = _what(model, summary)
    refused = ""
    found: dict[str, str | None] = dict.fromkeys(("target", "title", "text", "command"))
    for one in (target, *_OTHERWISE):
        try:
            exported = export_model(model, one).text
        except RankmaxError as error:
            refused = refused or f"{error}."
            continue
        command = f"rankmax export {shlex.quote(path or _FILE)} --to {one}"
        title = TARGETS.load(one).title
        found = {"target": one, "title": title, "text": exported, "command": command}
        break
    return {"what": what, "name": name, "refused": refused or None, "is_written": path is not None, **found}


def _what(model: LinearModel, summary: dict[str, Any]) -> tuple[str, str]:
    weights = model.weights.tolist()
    if weights == list(summary["weights"].values()) and model.normalization.to_dict() == summary["normalization"]:
        return "The recommended fusion", summary["recommended"]
    learned, label = summary["learned"], str(model.provenance.parameters["candidate"])
    is_round = label == learned["label"] and weights == list(learned["rounded_weights"].values())
    return "The written fusion", f"{label} with round weights" if is_round else label


def provenance_data(
    tuning: SystemTuning, command: str | None, files: Sequence[str | os.PathLike[str]]
) -> dict[str, Any]:
    """Return how a page was made: pairs of a name and a value as `facts`, and the `files` that were read.

    Parameters
    ----------
    tuning : SystemTuning
    command : str or None
    files : sequence of path
        Files that were read; each may be ``name=path``.
    """
    facts = [
        *([["command", command]] if command else []),
        ["rankmax", __version__],
        ["date", datetime.now().astimezone().isoformat(sep=" ", timespec="seconds")],
        ["seed", str(tuning.seed)],
        ["cross-validation", f"{tuning.n_repeats} times {tuning.n_folds} folds"],
        ["data", data_hash(tuning.signals.data)],
    ]
    return {"facts": facts, "files": [_file(os.fspath(file)) for file in files]}


def _file(argument: str) -> list[str]:
    name, path = split_name(argument)
    shown = path if name is None else f"{name} = {path}"
    if not os.path.isfile(path):  # a pipe, which is empty by now
        return [shown, "-", "-"]
    with open(path, "rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()[:12]
    return [shown, f"{os.path.getsize(path):,}", digest]
