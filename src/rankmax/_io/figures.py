"""Common parts of all figures: writing, colors, and text escaping."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from rankmax._io.files import atomic_writer
from rankmax._result_views import visible
from rankmax.errors import InvalidParameterError, MissingDependencyError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_FORMATS = (".png", ".svg")
_LONGEST_TEXT = 18
MINUS = "\N{MINUS SIGN}"
BLUE, ORANGE = "#0072B2", "#E69F00"  # Okabe & Ito: distinct for every kind of color vision, and in gray


@contextmanager
def figure_file(
    path: str | os.PathLike[str], purpose: str, *, size: tuple[float, float] = (9, 4.8)
) -> Iterator[Figure]:
    """Yield a figure to draw on, and write it afterwards; the same drawing gives the same bytes.

    Parameters
    ----------
    path : path
        File to write; its suffix, .png or .svg, selects the format.
    purpose : str
        Task that needs matplotlib, for the error where it is missing.
    size : pair of float
        Width and height in inches.

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
    # Without pyplot: no window, no backend chosen for the whole process. The salt makes ids inside an SVG reproducible.
    with matplotlib.rc_context({"svg.hashsalt": "rankmax"}):
        figure = Figure(figsize=size, layout="constrained")
        yield figure
        with atomic_writer(path) as file:
            figure.savefig(file, format=suffix[1:], dpi=160, metadata={"Date": None} if suffix == ".svg" else None)


def plain(text: str) -> str:
    r"""Return text shortened, as visible characters, with dollars escaped, which matplotlib reads as mathematics.

    Parameters
    ----------
    text : str

    Examples
    --------
    >>> print(plain("$x$"), plain("a name of many letters"))
    \$x\$ a name of many le…
    """
    text = visible(text)
    shown = text if len(text) <= _LONGEST_TEXT else text[: _LONGEST_TEXT - 1] + "…"
    return shown.replace("$", r"\$")
