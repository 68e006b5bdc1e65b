"""HTML elements for the sections of a tuning's page; all text from users is escaped by them."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Literal


class Markup(str):
    """Text that is HTML already."""


def text(content: str) -> str:
    """Return text as HTML: unchanged where it is :class:`Markup`, else escaped.

    Parameters
    ----------
    content : str

    Examples
    --------
    >>> text("a < b"), text(Markup("<b>a</b>"))
    ('a &lt; b', '<b>a</b>')
    """
    return content if isinstance(content, Markup) else escape(content)


def paragraph(content: str, kind: str = "") -> str:
    """Return a paragraph.

    Parameters
    ----------
    content : str
    kind : str
        Class in the style sheet.
    """
    return f'<p class="{kind}">{text(content)}</p>' if kind else f"<p>{text(content)}</p>"


def section(title: str, of: Literal["held out", "on these queries", ""], *content: str) -> str:
    """Return a section with its title and a badge for the queries of its values.

    Parameters
    ----------
    title : str
    of : str
        Badge beside the title.
    *content : str
        HTML of the section.
    """
    badge = f' <span class="badge {of.partition(" ")[0]}">{of}</span>' if of else ""
    return f"<section><h2>{escape(title)}{badge}</h2>{''.join(content)}</section>"


def table(header: Sequence[str], rows: Sequence[Sequence[str]], kinds: Sequence[str] = ()) -> str:
    """Return a table; the first column holds names, all others numbers.

    Parameters
    ----------
    header : sequence of str
    rows : sequence of sequence of str
    kinds : sequence of str
        Class of each row in the style sheet, if any.
    """
    head = "".join(f'<th scope="col">{text(cell)}</th>' for cell in header)
    body = ""
    for i, (first, *cells) in enumerate(rows):
        kind = f' class="{kinds[i]}"' if kinds else ""
        numbers = "".join(f"<td>{text(cell)}</td>" for cell in cells)
        body += f'<tr{kind}><th scope="row">{text(first)}</th>{numbers}</tr>'
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def legend(*entries: tuple[str, str]) -> str:
    """Return the legend of a chart's colors.

    Parameters
    ----------
    *entries : (kind, label)
    """
    keys = "".join(f'<span><i class="key {kind}"></i>{escape(label)}</span>' for kind, label in entries)
    return f'<p class="legend">{keys}</p>'


def listed(names: Sequence[str]) -> str:
    """Return names as an enumeration in a sentence, or their number where there are many.

    Parameters
    ----------
    names : sequence of str

    Examples
    --------
    >>> listed(["bm25", "e5", "splade"])
    'bm25, e5 and splade'
    """
    return f"{len(names)} signals" if len(names) > 6 else f"{', '.join(names[:-1])} and {names[-1]}"
