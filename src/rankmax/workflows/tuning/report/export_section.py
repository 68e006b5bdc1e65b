"""The last sections of a tuning's page: the export for a search engine, and the provenance."""

from __future__ import annotations

import hashlib
import os
import shlex
from collections.abc import Sequence
from datetime import datetime
from html import escape
from typing import Any

from rankmax._version import __version__
from rankmax.data.content_hash import data_hash
from rankmax.engines.registry import TARGETS, export_model
from rankmax.errors import RankmaxError
from rankmax.formats.named_files import split_name
from rankmax.models import LinearModel
from rankmax.workflows.tuning.report.elements import Markup, paragraph, section, table
from rankmax.workflows.tuning.tuning_result import SystemTuning

_FILE = "model.json"
_OTHERWISE = ("python", "sql")  # targets that can express nearly every model


def paste(model: LinearModel, summary: dict[str, Any], target: str, path: str | None = None) -> str:
    """Return the section with a fusion as code or configuration.

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
    """
    refused = ""
    for name in (target, *_OTHERWISE):
        try:
            exported = export_model(model, name).text
        except RankmaxError as error:
            refused = refused or f"{error}."
            continue
        command = (
            f"<code>rankmax export {escape(shlex.quote(path or _FILE))} --to {escape(name)}</code> writes it to a file."
        )
        return section(
            "To paste",
            "",
            paragraph(
                Markup(
                    f"{_what(model, summary)}, as {escape(TARGETS.load(name).title)}. "
                    + ("" if path else f"With <code>-o {_FILE}</code> added to the command, ")
                    + command
                )
            ),
            paragraph(f"Not in the requested form: {refused}", "soft") if refused else "",
            '<div class="code"><button type="button" id="copy">Copy</button>'
            f'<pre id="export">{escape(exported)}</pre></div>',
        )
    return section("To paste", "", paragraph(refused))


def _what(model: LinearModel, summary: dict[str, Any]) -> str:
    weights = model.weights.tolist()
    if weights == list(summary["weights"].values()) and model.normalization.to_dict() == summary["normalization"]:
        return f"The recommended fusion, <b>{escape(summary['recommended'])}</b>"
    learned, label = summary["learned"], model.provenance.parameters["candidate"]
    is_round = label == learned["label"] and weights == list(learned["rounded_weights"].values())
    return f"The written fusion, <b>{escape(str(label))}</b>{' with round weights' if is_round else ''}"


def provenance(
    tuning: SystemTuning, summary: dict[str, Any], command: str | None, files: Sequence[str | os.PathLike[str]]
) -> str:
    """Return the section on how the page was made.

    Parameters
    ----------
    tuning : SystemTuning
    summary : dict
        Summary of the tuning.
    command : str or None
    files : sequence of path
        Files that were read; each may be ``name=path``.
    """
    facts = [
        *([("command", Markup(f"<code>{escape(command)}</code>"))] if command else []),
        ("rankmax", __version__),
        ("date", datetime.now().astimezone().isoformat(sep=" ", timespec="seconds")),
        ("seed", str(summary["seed"])),
        ("cross-validation", f"{summary['repeats']} times {summary['folds']} folds"),
        ("data", Markup(f"<code>{escape(data_hash(tuning.signals.data))}</code>")),
    ]
    listing = "".join(
        f"<dt>{name}</dt><dd>{value if isinstance(value, Markup) else escape(value)}</dd>" for name, value in facts
    )
    read = table(["file", "bytes", "SHA-256"], [_file(os.fspath(file)) for file in files]) if files else ""
    return section("Provenance", "", f'<dl class="provenance">{listing}</dl>', read)


def _file(argument: str) -> list[str]:
    name, path = split_name(argument)
    shown = path if name is None else f"{name} = {path}"
    if not os.path.isfile(path):  # a pipe, which is empty by now
        return [shown, "-", "-"]
    with open(path, "rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()[:12]
    return [shown, f"{os.path.getsize(path):,}", Markup(f"<code>{digest}</code>")]
