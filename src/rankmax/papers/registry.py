"""The papers that can be reproduced."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankmax._registry import Registry

if TYPE_CHECKING:
    from rankmax.papers.papers import Paper

PAPERS: Registry[Paper] = Registry(
    "paper",
    "rankmax.papers",
    {
        "morgan2004": ("morgan2004:PAPER", "Morgan, Greiff & Henderson: direct maximization of average precision."),
        "metzler2007": ("metzler2007:PAPER", "Metzler & Croft: linear feature-based models for retrieval."),
        "yue2007": ("yue2007:PAPER", "Yue et al.: a support vector method for average precision."),
        "yang2010": ("yang2010:PAPER", "Yang, Ravikumar & Lease: expected gain for DCG-like metrics."),
    },
)
"""Folders of this package, in the order of publication; Metzler 2005 is the draft of Metzler & Croft 2007."""


def paper_named(name: str) -> Paper:
    """Return a paper by name.

    Parameters
    ----------
    name : str

    Examples
    --------
    >>> [exhibit.name for exhibit in paper_named("morgan2004").exhibits]
    ['table-1', 'figure-1', 'figure-2', 'figure-3']
    """
    return PAPERS.load(name)
