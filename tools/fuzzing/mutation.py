"""Mutations that keep enough of an input's structure to get past the first check of its reader."""

from __future__ import annotations

import gzip
import json
import random
import re
from collections.abc import Callable, Sequence
from typing import Any

NUMBERS = (
    *(
        "0",
        "-0",
        "-1",
        "1",
        "2",
        "1e308",
        "1e309",
        "-1e309",
        "5e-324",
        "1e-320",
        "nan",
        "NaN",
        "inf",
        "-Infinity",
        "1_0",
    ),
    *("2147483647", "2147483648", "-2147483649", "4294967296", "9223372036854775807", "9223372036854775808"),
    *("18446744073709551616", "1" + "0" * 30, "1" + "0" * 400, "0." + "3" * 60, ".", "-", "+", "1e", "0x10", "\u0661"),
)
WORDS = (
    *(
        b"",
        b" ",
        b"\t",
        b"\n",
        b"\r",
        b"\r\n",
        b"\0",
        b"\xff",
        b"\xed\xa0\x80",
        b"\xef\xbb\xbf",
        b"#",
        b":",
        b",",
        b'"',
    ),
    *(
        b"'",
        b"{",
        b"}",
        b"[",
        b"]",
        b"<DOC>",
        b"</DOC>",
        b"qid:",
        b"\\ud800",
        b"\\u0000",
        b"null",
        b"true",
        b"\x1f\x8b",
    ),
    *(b"\x85", "\u2028".encode(), "\U0001f600".encode(), b"x" * 300, b"9" * 5000),
)
VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 1.5, -0.0, 1e308, 5e-324, 2**31, 2**63, 2**64, 10**400, float("nan"), float("inf")),
    *("", " ", "a\nb", "\0", "\ud800", "x" * 300, "1", "nan", "../x", [], {}, [[]], [None], {"": None}, [1, "a"]),
)

_NUMBER = re.compile(rb"-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_WORD = re.compile(rb"[A-Za-z_]+")

Mutate = Callable[[random.Random, bytes], bytes]


def mutate_text(rng: random.Random, content: bytes) -> bytes:
    """Change numbers, words, cells and lines of a text, now and then its bytes or its packing.

    Parameters
    ----------
    rng : random.Random
    content : bytes
    """
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        content = rng.choice(_TEXT)(rng, content)
    return _packed(rng, content)


def mutate_json(rng: random.Random, content: bytes) -> bytes:
    """Change nodes of JSON, or of one line of JSON lines; now and then its text.

    Parameters
    ----------
    rng : random.Random
    content : bytes
    """
    if rng.random() < 0.25:
        return mutate_text(rng, content)
    lines = content.splitlines(keepends=True)
    whole = content.lstrip().startswith(b"{") and len(lines) > 1 and not lines[0].rstrip().endswith(b"}")
    place = 0 if whole else rng.randrange(max(1, len(lines)))
    try:
        tree = json.loads(content if whole else lines[place])
    except (ValueError, IndexError):
        return mutate_text(rng, content)
    for _ in range(rng.choice((1, 1, 1, 2))):
        tree = mutate_tree(rng, tree)
    written = _written(rng, tree)
    if whole:
        return written
    lines[place] = written + b"\n"
    return b"".join(lines)


def mutate_bytes(rng: random.Random, content: bytes) -> bytes:
    """Change bytes wherever they are.

    Parameters
    ----------
    rng : random.Random
    content : bytes
    """
    for _ in range(rng.choice((1, 1, 2, 4))):
        content = rng.choice(_BYTES)(rng, content)
    return content


def mutate_tree(rng: random.Random, tree: Any) -> Any:
    """Return JSON with one node changed.

    Parameters
    ----------
    rng : random.Random
    tree : object
        What json.loads returned.
    """
    if rng.random() < 0.25 or not isinstance(tree, dict | list) or not tree:
        return _another(rng, tree)
    if isinstance(tree, list):
        items = list(tree)
        place = rng.randrange(len(items))
        kind = rng.random()
        if kind < 0.15:
            del items[place]
        elif kind < 0.3:
            items.insert(place, items[rng.randrange(len(items))])
        else:
            items[place] = mutate_tree(rng, items[place])
        return items
    fields = dict(tree)
    key = rng.choice(list(fields))
    kind = rng.random()
    if kind < 0.12:
        del fields[key]
    elif kind < 0.2:
        fields[str(_another(rng, key))] = fields.pop(key)
    elif kind < 0.25:
        fields[rng.choice(("x", "", "\ud800", "query", "label"))] = rng.choice(VALUES)
    else:
        fields[key] = mutate_tree(rng, fields[key])
    return fields


def splice(rng: random.Random, contents: Sequence[bytes]) -> bytes:
    """Return the beginning of one input and the end of another.

    Parameters
    ----------
    rng : random.Random
    contents : sequence of bytes
    """
    first, second = rng.choice(contents), rng.choice(contents)
    return first[: rng.randrange(len(first) + 1)] + second[rng.randrange(len(second) + 1) :]


def _another(rng: random.Random, value: Any) -> Any:
    if isinstance(value, int | float) and not isinstance(value, bool) and rng.random() < 0.5:
        return rng.choice((value + 1, -value, value * 2, value // 3, value * 10**9, 0))
    if isinstance(value, str) and value and rng.random() < 0.5:
        place = rng.randrange(len(value))
        return value[:place] + rng.choice(("", "\0", "\n", "(", "'", "9", "\ud800", "é")) + value[place + 1 :]
    return rng.choice(VALUES)


def _written(rng: random.Random, tree: Any) -> bytes:
    text = json.dumps(tree, ensure_ascii=rng.random() < 0.5)
    return text.encode(errors=rng.choice(("surrogatepass", "replace")))


def _packed(rng: random.Random, content: bytes) -> bytes:
    if rng.random() > 0.03:
        return content
    packed = gzip.compress(content, 1, mtime=0)
    return packed if rng.random() < 0.5 else mutate_bytes(rng, packed)


def _number(rng: random.Random, content: bytes) -> bytes:
    return _replaced(rng, content, _NUMBER, rng.choice(NUMBERS).encode())


def _word(rng: random.Random, content: bytes) -> bytes:
    return _replaced(rng, content, _WORD, rng.choice(WORDS))


def _replaced(rng: random.Random, content: bytes, pattern: re.Pattern[bytes], new: bytes) -> bytes:
    found = list(pattern.finditer(content))
    if not found:
        return _insert(rng, content)
    chosen = rng.choice(found)
    return content[: chosen.start()] + new + content[chosen.end() :]


def _line(rng: random.Random, content: bytes) -> bytes:
    lines = content.splitlines(keepends=True)
    if not lines:
        return content
    place, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    kind = rng.randrange(4)
    if kind == 0:
        del lines[place]
    elif kind == 1:
        lines.insert(other, lines[place])
    elif kind == 2:
        lines[place], lines[other] = lines[other], lines[place]
    else:
        lines[place] = rng.choice((b"\n", b"# note\n", b" \t\n", b"x\n"))
    return b"".join(lines)


def _cell(rng: random.Random, content: bytes) -> bytes:
    lines = content.split(b"\n")
    place = rng.randrange(len(lines))
    mark = next((mark for mark in (b"\t", b",", b" ") if mark in lines[place]), b" ")
    cells = lines[place].split(mark)
    cell = rng.randrange(len(cells))
    kind = rng.randrange(4)
    if kind == 0:
        del cells[cell]
    elif kind == 1:
        cells.insert(cell, rng.choice(cells))
    elif kind == 2:
        cells[cell] = rng.choice(WORDS)
    else:
        cells[cell] = rng.choice(NUMBERS).encode()
    lines[place] = mark.join(cells)
    return b"\n".join(lines)


def _insert(rng: random.Random, content: bytes) -> bytes:
    place = rng.randrange(len(content) + 1)
    return content[:place] + rng.choice(WORDS) + content[place:]


def _flip(rng: random.Random, content: bytes) -> bytes:
    if not content:
        return b"\0"
    place = rng.randrange(len(content))
    changed = rng.choice((content[place] ^ (1 << rng.randrange(8)), 0, 255, rng.randrange(256)))
    return content[:place] + bytes([changed]) + content[place + 1 :]


def _cut(rng: random.Random, content: bytes) -> bytes:
    return content[: rng.randrange(len(content) + 1)]


def _remove(rng: random.Random, content: bytes) -> bytes:
    first = rng.randrange(len(content) + 1)
    return content[:first] + content[first + rng.choice((1, 2, 4, 8, 64)) :]


def _repeat(rng: random.Random, content: bytes) -> bytes:
    first = rng.randrange(len(content) + 1)
    part = content[first : first + rng.choice((1, 4, 16, 256))]
    return content[:first] + part * rng.choice((2, 2, 3, 50)) + content[first + len(part) :]


def _nest(rng: random.Random, content: bytes) -> bytes:
    place = rng.randrange(len(content) + 1)
    return content[:place] + rng.choice((b"[", b'{"a":', b"(", b"<")) * rng.choice((2, 50, 3000)) + content[place:]


_BYTES: tuple[Mutate, ...] = (_flip, _flip, _flip, _cut, _remove, _repeat, _insert)
_TEXT: tuple[Mutate, ...] = (_number, _number, _number, _word, _word, _line, _cell, _cell, _insert, _nest, *_BYTES)
