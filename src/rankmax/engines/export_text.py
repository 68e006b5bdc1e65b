"""Text of an export: JSON, comments, headings."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap
from typing import Any

from rankmax._result_views import visible_json
from rankmax._version import __version__
from rankmax.models.ranking_model import RankingModel


def as_json(value: Any) -> str:
    """Return indented JSON.

    Examples
    --------
    >>> print(as_json({"weights": [0.5]}))
    {
      "weights": [
        0.5
      ]
    }
    """
    return visible_json(value)


def commented(mark: str, *paragraphs: str) -> str:
    """Return paragraphs as comments with an empty comment between any two.

    Parameters
    ----------
    mark : str
        Characters that begin a comment.
    *paragraphs : str

    Examples
    --------
    >>> print(commented("#", "Weights.", "Put them here."))
    # Weights.
    #
    # Put them here.
    """
    lines: list[str] = []
    for paragraph in paragraphs:
        readable = (printable(part) for part in paragraph.split("\n"))
        wrapped = [line for part in readable for line in wrap(part, 100, break_long_words=False)]
        lines += [mark, *(f"{mark} {line}" for line in wrapped)]
    return "\n".join(lines[1:])


def printable(text: str) -> str:
    r"""Return the text without characters that may end a comment or cannot be encoded.

    Parameters
    ----------
    text : str

    Examples
    --------
    >>> printable("a\rb")
    'a b'
    """
    return "".join(c if c.isprintable() else " " if c.isspace() else "?" for c in text)


def heading(model: RankingModel, what: str) -> str:
    """Return the first sentence of an export: what it is and where it comes from.

    Examples
    --------
    >>> from rankmax import LinearModel
    >>> heading(LinearModel([1.0], ("bm25",), metric="AP"), "Rank profile for Vespa")
    'Rank profile for Vespa, written by rankmax ... from weights learned for AP.'
    """
    learned = f" from weights learned for {model.metric}" if model.metric else ""
    return f"{what}, written by rankmax {__version__}{learned}."


def listed(names: Sequence[str]) -> str:
    """Return names as an enumeration in a sentence.

    Examples
    --------
    >>> listed(["bm25", "e5", "age"])
    'bm25, e5 and age'
    """
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
