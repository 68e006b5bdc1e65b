"""Pages that are a single file and load nothing: a template with its styles, script and data."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import msgspec

from rankmax._pages.scripts import inline_script
from rankmax._pages.stylesheets import shared_style

_STYLE = re.compile(r"\{\{([\w-]+\.css)\}\}")


def self_contained_page(template: Path, script: Path, data: Any) -> bytes:
    """Return a page, in UTF-8.

    Parameters
    ----------
    template : Path
        HTML in which ``{{tokens.css}}`` stands for that shared style sheet (see
        :func:`~rankmax._pages.stylesheets.shared_style`), ``{{script}}`` for the script and ``{{data}}`` for the data.
    script : Path
        Module to start from; see :func:`~rankmax._pages.scripts.inline_script`.
    data : object
        Anything that msgspec writes as JSON. The template has it in a script element of type "application/json".
    """
    page = _STYLE.sub(lambda found: shared_style(found[1]), template.read_text(encoding="utf-8")).encode()
    # A "<" can occur only inside a string; once escaped, no text can end the script element.
    written = msgspec.json.encode(data).replace(b"<", rb"\u003c")
    return page.replace(b"{{script}}", inline_script(script)).replace(b"{{data}}", written)
