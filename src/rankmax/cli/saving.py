"""Safe writing of results, so that a write error does not lose long work."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from rankmax.cli.exit_status import Outcome

if TYPE_CHECKING:
    from rankmax.models.json_file import JsonFile


def save_or_rescue(document: JsonFile, path: str) -> str:
    """Write a model or a certificate, and return the path of its file.

    If the file cannot be written, a temporary folder is used instead, and the verb goes on but ends with status 1. If
    that fails, too, the document is printed and an error is raised.

    Parameters
    ----------
    document : JsonFile
    path : str
    """
    from rankmax._io.files import write_bytes
    from rankmax.errors import CannotWriteError

    content = document.to_json()
    try:
        write_bytes(path, content)
        return path
    except CannotWriteError as error:
        elsewhere = _rescued(Path(path).name, content)
        if elsewhere is None:
            click.echo(content.decode(), nl=False)
            raise CannotWriteError(path, f"{error.why}; the {document.noun} is on standard output instead") from None
        click.echo(f"Error: {error}; the {document.noun} is in {elsewhere} instead", err=True)
    if (outcome := click.get_current_context().find_object(Outcome)) is not None:
        outcome.failed = True
    return elsewhere


def _rescued(name: str, content: bytes) -> str | None:
    """Write to a new temporary folder; return the path, or None if that fails."""
    import tempfile

    from rankmax._io.files import write_bytes
    from rankmax.errors import CannotWriteError

    try:
        path = Path(tempfile.mkdtemp(prefix="rankmax-"), name)
        write_bytes(path, content)
    except (OSError, CannotWriteError):
        return None
    return str(path)
