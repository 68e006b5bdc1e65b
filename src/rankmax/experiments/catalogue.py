"""The papers that can be re-run."""

from __future__ import annotations

from importlib import import_module

from rankmax.errors import UnknownNameError
from rankmax.experiments.papers import Paper

PAPER_NAMES = ("morgan2004", "metzler2007", "yue2007", "yang2010")
"""Folders of this package, in the order of publication; Metzler 2005 is the draft of Metzler & Croft 2007."""


def paper_named(name: str) -> Paper:
    """Return the paper of a name.

    Parameters
    ----------
    name : str

    Examples
    --------
    >>> [exhibit.name for exhibit in paper_named("morgan2004").exhibits]
    ['table-1', 'figure-1', 'figure-2', 'figure-3']
    """
    if name not in PAPER_NAMES:
        raise UnknownNameError("paper", name, PAPER_NAMES)
    paper: Paper = import_module(f"rankmax.experiments.{name}").PAPER
    return paper
