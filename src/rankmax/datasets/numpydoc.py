"""Parser of numpydoc docstrings: summary, names under "See Also", and the rest.

References
----------
numpydoc's style guide, sections "Short summary" and "See Also".
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass

_UNDERLINE = re.compile(r"\s*(-{3,}|={3,})\s*")
_NAME = r"(?::[\w:]+:)?`?~?[A-Za-z_][\w.]*`?"
# Names separated by commas, then optionally a colon and a description.
_ENTRY = re.compile(rf"(?:[*-]\s+)?(?P<names>{_NAME}(?:\s*,\s*{_NAME})*)\s*(?P<more>,)?\.?(?:\s*:(?:\s.*)?)?")
_FIRST_SENTENCE = re.compile(r".*?[.!?]\s+(?=[A-Z`*:\"])")  # of several
_ROLE = re.compile(r":[\w:]+:(?=`)")


@dataclass(frozen=True)
class ParsedDocstring:
    """A docstring split into its parts.

    Attributes
    ----------
    signature : str
        The call that compiled functions write above their summary, or empty.
    summary : str
        First sentence of the first paragraph, as one line.
    body : str
        Rest of the docstring, without signature, summary and "See Also", and without the output of examples: numbers,
        some of which scipy draws again at every import.
    see_also : tuple of str
        Names under "See Also", as written.
    """

    signature: str
    summary: str
    body: str
    see_also: tuple[str, ...]


def parse_docstring(text: str, name: str) -> ParsedDocstring:
    """Split a docstring into its parts.

    Parameters
    ----------
    text : str
    name : str
        Last part of the documented object's name, by which a signature is recognized.

    Examples
    --------
    >>> parsed = parse_docstring('''hypot(x1, x2)
    ...
    ... Given the legs, return the hypotenuse.
    ...
    ... See Also
    ... --------
    ... sqrt, square : Its parts.
    ...
    ... Notes
    ... -----
    ... Works for triangles.''', "hypot")
    >>> parsed.signature, parsed.summary, parsed.see_also
    ('hypot(x1, x2)', 'Given the legs, return the hypotenuse.', ('sqrt', 'square'))
    >>> parsed.body.split()
    ['Notes', '-----', 'Works', 'for', 'triangles.']
    """
    lines = inspect.cleandoc(text).splitlines()
    headings = [row for row in range(len(lines) - 1) if lines[row].strip() and _UNDERLINE.fullmatch(lines[row + 1])]
    starts = [0, *(row for row in headings if row > 0)]
    sections = [lines[start:stop] for start, stop in zip(starts, [*starts[1:], len(lines)], strict=True)]

    opening = "" if headings[:1] == [0] else "\n".join(sections.pop(0))
    paragraphs = [paragraph.strip() for paragraph in re.split(r"\n\s*\n", opening) if paragraph.strip()]
    n_signatures = 0
    is_call = re.compile(rf"([\w, ]+ = )?(np\.)?{name}\(").match
    while n_signatures < len(paragraphs) and is_call(paragraphs[n_signatures]):
        n_signatures += 1
    signature = _one_line(paragraphs[:n_signatures])
    summary = _one_line(paragraphs[n_signatures : n_signatures + 1])
    kept = paragraphs[n_signatures + 1 :]
    if sentence := _FIRST_SENTENCE.match(summary):
        kept.insert(0, summary[sentence.end() :])
        summary = sentence[0].rstrip()

    see_also: list[str] = []
    for section in sections:
        if section[0].strip().rstrip(":").lower() == "see also":
            see_also += _names(section[2:])
        else:
            kept.append("\n".join(_without_output(section)).strip())
    return ParsedDocstring(signature, summary, "\n\n".join(kept), tuple(dict.fromkeys(see_also)))


def _one_line(paragraphs: list[str]) -> str:
    return " ".join(" ".join(paragraphs).split())


def _without_output(lines: list[str]) -> Iterator[str]:
    """Yield the lines that are not between an example's last prompt and the next blank line."""
    after_prompt = False
    for line in lines:
        is_prompt = line.lstrip().startswith(">>>") or (after_prompt and line.lstrip().startswith("..."))
        after_prompt = bool(line.strip()) and (after_prompt or is_prompt)
        if is_prompt or not after_prompt:
            yield line


def _names(lines: list[str]) -> Iterator[str]:
    """Yield the names of a "See Also" section; lines indented further describe the name above them."""
    indents = [len(line) - len(line.lstrip()) for line in lines if line.strip()]
    goes_on = False  # the line before ended in a comma
    for line in lines:
        entry = _ENTRY.fullmatch(line.strip())
        if entry and (goes_on or len(line) - len(line.lstrip()) == min(indents)):
            for name in entry["names"].split(","):
                yield _ROLE.sub("", name.strip()).strip("`~").rstrip(".")
        goes_on = bool(entry and entry["more"])
