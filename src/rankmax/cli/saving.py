"""Writing what took long to find, so that a full disk does not lose it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from rankmax.cli.ending import Outcome

if TYPE_CHECKING:
    from rankmax.models.json_file import JsonFile


def save_or_rescue(document: JsonFile, path: str) -> str:
    """Write a model or a certificate, and return where it is.

    Where it cannot be written it goes to a temporary folder, and the verb goes on, to end with status 1; where that
    cannot be written either, it is printed, and the verb ends here.

    Parameters
    ----------
    document : JsonFile
    path : str
    """
    from rankmax.errors import CannotWriteError
    from rankmax.files import write_bytes

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
    """Write to a new temporary folder; return the file, or None if that cannot be written either."""
    import tempfile

    from rankmax.errors import CannotWriteError
    from rankmax.files import write_bytes

    try:
        path = Path(tempfile.mkdtemp(prefix="rankmax-"), name)
        write_bytes(path, content)
    except (OSError, CannotWriteError):
        return None
    return str(path)
