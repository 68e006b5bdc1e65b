"""Write the pages that come from the code before Sphinx reads the sources."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

import api_pages
import command_pages
import gallery_pages
import metric_pages
import paper_pages

FOLDER = "reference/generated"
PARTS = (api_pages, metric_pages, command_pages, paper_pages, gallery_pages)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register this extension."""
    app.connect("builder-inited", lambda app: write_pages(Path(app.srcdir) / FOLDER))
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def write_pages(folder: Path) -> None:
    """Make `folder` hold exactly the generated pages, leaving unchanged files untouched for quick rebuilds."""
    pages = {folder / name: text for part in PARTS for name, text in part.pages()}
    folder.mkdir(parents=True, exist_ok=True)
    for stale in set(folder.iterdir()) - pages.keys():
        stale.unlink()
    for path, text in pages.items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
