from __future__ import annotations

import re
from pathlib import Path
from typing import Literal

import pytest

from rankmax._pages.stylesheets import STYLES, design_tokens, shared_style

SOURCE = Path(__file__).parents[2] / "src" / "rankmax"
THEMES = pytest.mark.parametrize("theme", ["light", "dark"])
Theme = Literal["light", "dark"]


def luminance(color: str) -> float:
    """Return the relative luminance of WCAG 2.2."""
    shares = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in shares)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colors by WCAG 2.2."""
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def test_contrast_is_that_of_black_and_white() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21.0)
    assert contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.005)  # the usual example of the limit


@THEMES
def test_text_can_be_read(theme: Theme) -> None:
    tokens = design_tokens(theme)
    for color in ("ink", "soft", "accent", "up", "down", "pick", "current"):
        for ground in ("paper", "panel"):
            assert contrast(tokens[color], tokens[ground]) >= 4.5, (color, ground)
    assert contrast(tokens["ink"], tokens["best"]) >= 4.5
    assert contrast(tokens["paper"], tokens["accent"]) >= 4.5  # on main buttons
    for verdict in ("use", "probably", "unsure", "keep"):
        assert contrast("#ffffff", tokens[verdict]) >= 4.5, verdict


@THEMES
def test_marks_and_edges_are_seen(theme: Theme) -> None:
    tokens = design_tokens(theme)
    for color in ("edge", "other"):
        for ground in ("paper", "panel"):
            assert contrast(tokens[color], tokens[ground]) >= 3.0, (color, ground)


def test_dark_tokens_replace_light_ones() -> None:
    light, dark = design_tokens("light"), design_tokens("dark")
    assert light.keys() == dark.keys()
    assert {name for name in light if light[name] != dark[name]} >= {"ink", "paper", "pick", "accent"}
    assert light["text-m"] == dark["text-m"] == "1rem"


def test_pages_use_tokens_that_exist() -> None:
    pages = {path: path.read_text(encoding="utf-8") for path in [*SOURCE.rglob("*.css"), *SOURCE.rglob("*.html")]}
    own = {name for text in pages.values() for name in re.findall(r"--([\w-]+):", text)}
    scripts = [path.read_text(encoding="utf-8") for path in SOURCE.rglob("*.js")]
    own |= {name for text in scripts for name in re.findall(r'"--([\w-]+)"', text)}  # set while the page is shown
    for path, text in pages.items():
        assert set(re.findall(r"var\(--([\w-]+)\)", text)) <= design_tokens("light").keys() | own, path.name


def test_colors_are_written_once() -> None:
    for path in [*SOURCE.rglob("*.css"), *SOURCE.rglob("*.html")]:
        if path.parent != STYLES:
            assert "prefers-color-scheme" not in path.read_text(encoding="utf-8"), path.name


def test_a_style_sheet_in_a_page_cannot_end_it() -> None:
    for path in STYLES.glob("*.css"):
        assert "</" not in shared_style(path.name)
