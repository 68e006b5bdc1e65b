"""TREC's document format: loose SGML, in which only <DOC> and <DOCNO> are reliable."""

from __future__ import annotations

import html
import re
from collections import defaultdict, deque
from collections.abc import Iterator

_DOC = re.compile(r"<(/?)doc(?:\s[^<>]*)?>", re.IGNORECASE)
_TAG = re.compile(r"<(?:(?P<closes>/?)(?P<name>[a-z][\w:.-]*)(?:[\s/][^<>]*)?|[!?][^<>]*)>", re.IGNORECASE)


def read_sgml(lines: Iterator[tuple[int, bytes]]) -> Iterator[tuple[int, str, dict[str, str]]]:
    """Yield the line, the id and the fields of each document.

    A document's elements are its fields, named in lower case; those that occur several times are joined. Tags inside
    an element are removed, and character references (``&amp;``) resolved. Text outside any element, and everything
    after a tag that is never closed, is the field ``text``.

    Parameters
    ----------
    lines : iterator of (int, bytes)
        Lines with their numbers.

    Examples
    --------
    >>> text = b"<DOC><DOCNO> d1 </DOCNO><HL>Wings &amp; <b>flutter</b></HL> More of <P>it.</DOC>"
    >>> list(read_sgml(iter([(1, text)])))
    [(1, 'd1', {'hl': 'Wings & flutter', 'text': 'More of it.'})]
    """
    opened: int | None = None  # line of the open document
    parts: list[str] = []
    for number, raw in lines:
        line, rest = raw.decode(), 0
        for tag in _DOC.finditer(line):
            if tag[1]:
                if opened is None:
                    raise ValueError("</DOC> without <DOC>")
                parts.append(line[rest : tag.start()])
                yield opened, *_document("".join(parts), opened)
                opened, parts = None, []
            elif opened is not None:
                raise ValueError(f"<DOC> before the one of line {opened} is closed")
            else:
                opened = number
            rest = tag.end()
        if opened is not None:
            parts.append(line[rest:])
    if opened is not None:
        raise ValueError(f"the file ends before the <DOC> of line {opened} is closed")


def _document(content: str, line: int) -> tuple[str, dict[str, str]]:
    fields = _elements(content)
    identifier = fields.pop("docno", None)
    if identifier is None:
        raise ValueError(f"the <DOC> of line {line} has no <DOCNO>")
    return identifier, fields


def _elements(content: str) -> dict[str, str]:
    tags = list(_TAG.finditer(content))
    closing: dict[str, deque[int]] = defaultdict(deque)
    for index, tag in enumerate(tags):
        if tag["closes"]:
            closing[tag["name"].lower()].append(index)

    fields: dict[str, list[str]] = defaultdict(list)

    def add(name: str, text: str) -> None:
        fields[name] += html.unescape(text).split()

    index = rest = 0
    while index < len(tags):
        tag = tags[index]
        if bare := content[rest : tag.start()].strip():
            add("text", bare)
        name = (tag["name"] or "").lower()
        ends = closing[name]
        while ends and ends[0] < index:
            ends.popleft()
        if ends and not tag["closes"]:
            index = ends.popleft()
            add(name, _TAG.sub(" ", content[tag.end() : tags[index].start()]))
        rest = tags[index].end()
        index += 1
    if bare := content[rest:].strip():
        add("text", bare)
    return {name: " ".join(words) for name, words in fields.items()}
