from __future__ import annotations

import json
import re
from pathlib import Path

from rankmax._pages.self_contained import self_contained_page
from rankmax._pages.stylesheets import design_tokens

TEMPLATE = """<!doctype html><style>
{{tokens.css}}</style>
<script id="data" type="application/json">{{data}}</script>
<script>
{{script}}</script>
"""
NASTY = "</script><script>alert(1)</script><!-- {{script}} {{tokens.css}}"


def test_a_page_has_everything_and_names_stay_data(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(TEMPLATE)
    (tmp_path / "page.js").write_text("let one = 1;\n")
    page = self_contained_page(tmp_path / "page.html", tmp_path / "page.js", {"name": NASTY}).decode()
    assert f"--ink: {design_tokens('light')['ink']};" in page
    assert page.count("let one = 1;") == 1
    data = re.search(r'application/json">(.*?)</script>', page)
    assert data is not None
    assert json.loads(data[1]) == {"name": NASTY}
    assert page.count("<script") == page.count("</script>") == 2
    assert "<!-- " not in page
