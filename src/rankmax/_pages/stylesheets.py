"""Style sheets that all web pages share, and the tokens of their visual language."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal

STYLES = Path(__file__).parent / "styles"
"""The folder of the shared style sheets, which the studio serves and pages contain."""

_COMMENT = re.compile(r"/\*.*?\*/\n?", re.DOTALL)
_ROOT = re.compile(r":root \{(.*?)\}", re.DOTALL)
_TOKEN = re.compile(r"--([\w-]+):\s*([^;]+);")
_REFERENCE = re.compile(r"var\(--([\w-]+)\)")


def shared_style(name: str) -> str:
    """Return a shared style sheet without its comments.

    Parameters
    ----------
    name : str
        File name.

    Examples
    --------
    >>> shared_style("tokens.css").splitlines()[:2]
    [':root {', '  color-scheme: light dark;']
    """
    return _COMMENT.sub("", (STYLES / name).read_text(encoding="utf-8"))


def design_tokens(theme: Literal["light", "dark"]) -> dict[str, str]:
    """Return the tokens of a theme by name, for pages that have a style sheet of their own.

    Parameters
    ----------
    theme : str

    Examples
    --------
    >>> design_tokens("light")["paper"], design_tokens("dark")["accent"]
    ('#ffffff', '#5ab3e8')
    """
    light, dark = (dict(_TOKEN.findall(block)) for block in _ROOT.findall(shared_style("tokens.css")))
    tokens: dict[str, str] = {**light, **dark} if theme == "dark" else light
    return {name: _REFERENCE.sub(lambda found: tokens[found[1]], value) for name, value in tokens.items()}
