"""How results show themselves: tables, facts and sentences, as text in a terminal and as HTML in a notebook."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any, TypeAlias

from rankmax.errors import IncompatibleError, MissingDependencyError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_BLOCKS = "▁▂▃▄▅▆▇█"
_COMMANDS = re.compile("[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")


def visible(text: str) -> str:
    r"""Return text with the characters written out that a terminal or an editor would obey and not show.

    These are control characters (of which colors and other commands to a terminal begin), line breaks among them, and
    marks that change the direction of the text. Names from files may hold any.

    Parameters
    ----------
    text : str

    Examples
    --------
    >>> print(visible("\x1b[31mbm25\nage\u202e größe"))
    \x1b[31mbm25\nage\u202e größe
    """
    return _COMMANDS.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def visible_lines(text: str) -> str:
    """Return text of several lines as :func:`visible` does each.

    Parameters
    ----------
    text : str
    """
    return "\n".join(map(visible, text.split("\n")))


def visible_json(value: Any) -> str:
    r"""Return indented JSON in which such characters are escaped.

    Parameters
    ----------
    value : object that msgspec encodes

    Examples
    --------
    >>> print(visible_json(["\u202e\x1b"]))
    [
      "\u202e\u001b"
    ]
    """
    import msgspec

    text = msgspec.json.format(msgspec.json.encode(value), indent=2).decode()
    return "\n".join(_COMMANDS.sub(lambda found: f"\\u{ord(found[0]):04x}", line) for line in text.split("\n"))


@dataclass(frozen=True)
class Table:
    """A table of strings.

    Attributes
    ----------
    header : sequence of str
    rows : sequence of sequences of str
    title : str or None
    """

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    title: str | None = None

    @property
    def widths(self) -> list[int]:
        """Width of each column in characters."""
        return [max(map(len, column)) for column in zip(*self._visible, strict=True)]

    @property
    def _visible(self) -> list[list[str]]:
        return [list(map(visible, row)) for row in (self.header, *self.rows)]

    def lines(self, columns: Sequence[int] | None = None) -> Iterator[str]:
        """Yield the header, a rule and the rows: the first column left, the others right.

        Parameters
        ----------
        columns : sequence of int, optional
            The columns to show after the first; by default all.
        """
        widths = self.widths
        shown = range(1, len(widths)) if columns is None else columns
        for number, line in enumerate(self._visible):
            cells = [line[0].ljust(widths[0]), *(line[j].rjust(widths[j]) for j in shown)]
            yield f" {'   '.join(cells)}".rstrip()
            if number == 0:
                yield f" {'─' * (widths[0] + sum(3 + widths[j] for j in shown))}"


@dataclass(frozen=True)
class Facts:
    """Names and values, one below the other.

    Attributes
    ----------
    values : mapping of str to str
    """

    values: Mapping[str, str]

    def lines(self) -> Iterator[str]:
        """Yield a line for each fact."""
        names = list(map(visible, self.values))
        width = max(map(len, names))
        for name, value in zip(names, self.values.values(), strict=True):
            yield f" {name.ljust(width)}   {visible(str(value))}"


Block: TypeAlias = Table | Facts | str
"""A part of what is shown: a table, facts, or text (a sentence, or lines that keep their breaks)."""


class ResultView:
    """Base of results that show themselves: as text in a terminal, as tables in a notebook.

    A subclass says what is shown, once, in `blocks`; the command line prints the same. A dataclass has to be declared
    with ``repr=False``, or its own representation takes precedence.

    Examples
    --------
    >>> class Found(ResultView):
    ...     @property
    ...     def blocks(self) -> Sequence[Block]:
    ...         return [Facts({"queries": "50"}), "no query is left out"]
    >>> Found()
     queries   50
    <BLANKLINE>
    no query is left out
    """

    __slots__ = ()

    @property
    def blocks(self) -> Sequence[Block]:
        """The result as tables, facts and sentences."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return as_text(self.blocks)

    def _repr_html_(self) -> str:
        return as_html(self.blocks)


def as_text(blocks: Sequence[Block]) -> str:
    """Return tables, facts and sentences as plain text.

    Parameters
    ----------
    blocks : sequence of Table, Facts or str

    Examples
    --------
    >>> print(as_text([Table(["system", "AP"], [["bm25", "0.2"]]), Facts({"queries": "50"})]))
     system    AP
     ────────────
     bm25     0.2
    <BLANKLINE>
     queries   50
    """
    shown = []
    for block in blocks:
        if isinstance(block, str):
            shown.append(visible_lines(block))
            continue
        title = [visible(block.title)] if isinstance(block, Table) and block.title is not None else []
        shown.append("\n".join([*title, *block.lines()]))
    return "\n\n".join(shown)


def as_html(blocks: Sequence[Block]) -> str:
    """Return tables, facts and sentences as HTML, for a notebook.

    Parameters
    ----------
    blocks : sequence of Table, Facts or str

    Examples
    --------
    >>> as_html([Facts({"queries": "<50"})])
    '<table><tbody><tr><th>queries</th><td style="text-align: left">&lt;50</td></tr></tbody></table>'
    """
    return "\n".join(map(_html, blocks))


def _html(block: Block) -> str:
    if isinstance(block, str):
        text = escape(visible_lines(block))
        return f"<pre>{text}</pre>" if "\n" in text else f"<p>{text}</p>"
    if isinstance(block, Facts):
        rows = "".join(
            f'<tr><th>{_shown(name)}</th><td style="text-align: left">{_shown(value)}</td></tr>'
            for name, value in block.values.items()
        )
        return f"<table><tbody>{rows}</tbody></table>"
    caption = "" if block.title is None else f"<caption>{_shown(block.title)}</caption>"
    head = "".join(f"<th>{_shown(name)}</th>" for name in block.header)
    body = "".join(
        f"<tr><th>{_shown(first)}</th>{''.join(f'<td>{_shown(cell)}</td>' for cell in rest)}</tr>"
        for first, *rest in block.rows
    )
    return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _shown(text: str) -> str:
    return escape(visible(text))


def as_frame(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> Any:
    """Return rows as a pandas data frame.

    Parameters
    ----------
    columns : sequence of str
    rows : sequence of sequences
    """
    return _pandas().DataFrame(list(rows), columns=list(columns))


def frame_of_columns(columns: Mapping[str, Any]) -> Any:
    """Return columns as a pandas data frame; arrays keep their types, and many rows cost little.

    Parameters
    ----------
    columns : mapping of str to array or sequence
    """
    return _pandas().DataFrame(dict(columns))


def _pandas() -> Any:
    try:
        import pandas
    except ImportError:
        raise IncompatibleError("a data frame needs the package pandas: pip install pandas") from None
    return pandas


def axes_for(ax: Axes | None) -> Axes:
    """Return the axes to draw on: those given, or new ones, which a notebook shows.

    Parameters
    ----------
    ax : matplotlib axes, optional
    """
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot
    except ImportError:
        raise MissingDependencyError("matplotlib", "plot", "plotting") from None
    return pyplot.subplots(layout="constrained")[1]


def sparkline(values: Sequence[float], width: int) -> str:
    """Return values as a row of blocks, scaled from the lowest to the highest; a sample where there are many.

    Parameters
    ----------
    values : sequence of float
    width : int
        Largest number of blocks.

    Examples
    --------
    >>> sparkline([0.0, 0.5, 1.0], 40)
    '▁▅█'
    """
    n_shown = min(len(values), width)
    shown = [values[i * (len(values) - 1) // max(n_shown - 1, 1)] for i in range(n_shown)]
    low, rise = min(shown), max(shown) - min(shown)
    return "".join(_BLOCKS[round((len(_BLOCKS) - 1) * (value - low) / (rise or 1.0))] for value in shown)


def format_p(p_value: float) -> str:
    """Return a p-value with four decimals, or "<0.0001".

    Parameters
    ----------
    p_value : float

    Examples
    --------
    >>> format_p(0.04), format_p(1e-9)
    ('0.0400', '<0.0001')
    """
    return f"{p_value:.4f}" if p_value >= 0.0001 else "<0.0001"
