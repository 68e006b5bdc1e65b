"""The last sections of a tuning's page: what to paste into a search engine, and where all of it comes from."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from datetime import datetime
from html import escape
from typing import Any

from rankmax._version import __version__
from rankmax.data.content_hash import data_hash
from rankmax.errors import RankmaxError
from rankmax.export.named import TARGETS, export_model
from rankmax.workflows.named_files import split_name
from rankmax.workflows.tuning.report.elements import Markup, paragraph, section, table
from rankmax.workflows.tuning.result import SystemTuning

_OTHERWISE = ("python", "sql")  # what can express nearly every model


def paste(tuning: SystemTuning, summary: dict[str, Any], target: str) -> str:
    """Return the section with the recommended fusion as code or configuration.

    Parameters
    ----------
    tuning : SystemTuning
    summary : dict
        Of the tuning.
    target : str
        A name of :data:`rankmax.export.named.TARGETS`; where it cannot express the model, another is taken.
    """
    model, refused = tuning.model(), ""
    for name in (target, *_OTHERWISE):
        try:
            exported = export_model(model, name).text
        except RankmaxError as error:
            refused = refused or f"{error}."
            continue
        return section(
            "To paste",
            "",
            paragraph(
                Markup(
                    f"What is recommended, <b>{escape(summary['recommended'])}</b>, as {escape(TARGETS[name].title)}; "
                    f"<code>rankmax export model.json --to {escape(name)}</code> writes it to a file."
                )
            ),
            paragraph(f"Not as was asked for: {refused}", "soft") if refused else "",
            '<div class="code"><button type="button" id="copy">Copy</button>'
            f'<pre id="export">{escape(exported)}</pre></div>',
        )
    return section("To paste", "", paragraph(refused))


def provenance(
    tuning: SystemTuning, summary: dict[str, Any], command: str | None, files: Sequence[str | os.PathLike[str]]
) -> str:
    """Return the section on how the page was made.

    Parameters
    ----------
    tuning : SystemTuning
    summary : dict
        Of the tuning.
    command : str or None
    files : sequence of path
        Read by it; each may be ``name=path``.
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
