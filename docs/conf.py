"""Sphinx configuration; the pages under reference/generated/ come from the code itself (see extensions/)."""

import sys
from pathlib import Path

from rankmax._pages.stylesheets import design_tokens
from rankmax._version import __version__

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE / "extensions"), str(HERE.parent / "tools")]

project = "rankmax"
project_copyright = "the rankmax contributors"
release = version = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.mathjax", "generated_pages"]
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = f"rankmax {release}"

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3

autodoc_member_order = "bysource"
# A name is described where it is defined, not again where a package re-exports it.
autodoc_default_options = {"members": True, "show-inheritance": True, "ignore-module-all": True}
autodoc_type_aliases = {name: name for name in ("ArrayLike", "Bool", "F32", "F64", "I64", "NDArray", "U8", "U64")}
napoleon_google_docstring = False
napoleon_use_ivar = True  # a dataclass's fields are described once, in its Attributes section

# Every name of ours must lead somewhere; those of other projects are not looked up (the build needs no network).
nitpicky = True
nitpick_ignore_regex = [
    (r"py:.*", r"(?!rankmax\b).*"),
    (r"py:(class|obj)", r"rankmax\.(.*\.)?_\w+.*"),  # private types and type variables
]
suppress_warnings = ["ref.python"]  # "shape (n_queries,)" may lead to any class's n_queries

# The colors and fonts of studio and reports.
FURO = {
    "color-brand-primary": "accent",
    "color-brand-content": "accent",
    "color-brand-visited": "accent",
    "color-foreground-primary": "ink",
    "color-foreground-secondary": "soft",
    "color-background-primary": "paper",
    "color-background-secondary": "panel",
    "color-background-border": "line",
    "font-stack": "sans",
    "font-stack--monospace": "mono",
}
html_theme_options = {
    "light_css_variables": {name: design_tokens("light")[token] for name, token in FURO.items()},
    "dark_css_variables": {name: design_tokens("dark")[token] for name, token in FURO.items()},
}
