"""What all pictures share: how they are written, their colours, and text that stays text."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from rankmax.errors import InvalidParameterError, MissingDependencyError
from rankmax.files import atomic_writer

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_FORMATS = (".png", ".svg")
_LONGEST_TEXT = 18
MINUS = "\N{MINUS SIGN}"
BLUE, ORANGE = "#0072B2", "#E69F00"  # Okabe & Ito: they differ for every kind of colour vision, and in grey


@contextmanager
def figure_file(
    path: str | os.PathLike[str], purpose: str, *, size: tuple[float, float] = (9, 4.8)
) -> Iterator[Figure]:
    """Give a figure to draw on, and write it afterwards; the same drawing gives the same bytes.

    Parameters
    ----------
    path : path
        Its suffix, .png or .svg, is the format.
    purpose : str
        What needs matplotlib, for the error where it is missing.
    size : pair of float
        Inches.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with figure_file(f"{folder}/line.svg", "drawing a line") as figure:
    ...         _ = figure.add_subplot().plot([0, 1], [1, 0])
    ...     Path(folder, "line.svg").read_bytes()[:5]
    b'<?xml'
    """
    suffix = Path(path).suffix.lower()
    if suffix not in _FORMATS:
        raise InvalidParameterError(f"cannot draw {os.fspath(path)!r}: the name must end in {' or '.join(_FORMATS)}")
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingDependencyError("matplotlib", "plot", purpose) from None
    # Without pyplot: no window, no backend chosen for the whole process. Ids inside an SVG are random but for the salt.
    with matplotlib.rc_context({"svg.hashsalt": "rankmax"}):
        figure = Figure(figsize=size, layout="constrained")
        yield figure
        with atomic_writer(path) as file:
            figure.savefig(file, format=suffix[1:], dpi=160, metadata={"Date": None} if suffix == ".svg" else None)


def plain(text: str) -> str:
    r"""Shorten, and keep matplotlib from reading dollars as mathematics.

    Parameters
    ----------
    text : str

    Examples
    --------
    >>> print(plain("$x$"), plain("a name of many letters"))
    \$x\$ a name of many le…
    """
    shown = text if len(text) <= _LONGEST_TEXT else text[: _LONGEST_TEXT - 1] + "…"
    return shown.replace("$", r"\$")
