"""Snippets: the part of a document's text with most of the query's terms, which are marked."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass

from rankmax.retrieval.analysis.analyzer import Analyzer

# Runs between blanks and punctuation. The analyzer may split one into several words: any of them marks it.
_WORD = re.compile(r"[^\s!-/:-@\[-`{-~¡«»¿\u2000-\u206f\u3000-\u303f]+")
_MOST_CHARACTERS = 100_000  # of a text that are searched, so that a snippet of a book does not take long


@dataclass(frozen=True, slots=True)
class Snippet:
    """A part of a text, cut into pieces that are words of the query or not.

    Parameters
    ----------
    pieces : tuple of pairs (str, bool)
        Text of each piece, and whether it is a word of the query.
    n_terms : int
        Number of different terms of the query in it.
    """

    pieces: tuple[tuple[str, bool], ...]
    n_terms: int

    def marked(self, mark: Callable[[str], str]) -> str:
        """Return the text, with `mark` applied to the words of the query."""
        return "".join(mark(text) if is_word else text for text, is_word in self.pieces)


def best_snippet(text: str, terms: Collection[str], analyzer: Analyzer, *, width: int = 160) -> Snippet:
    """Return the first part of a text with the most different terms of a query, and the most occurrences of them.

    White space becomes single blanks, and characters that cannot be printed are left out.

    Parameters
    ----------
    text : str
    terms : collection of str
        Terms as the analyzer produces them.
    analyzer : Analyzer
        Analyzer of the index: a word is marked if its term is one of the query's.
    width : int, default 160
        Maximum number of characters, not counting the dots where text is cut off.

    Examples
    --------
    >>> text = "The flutter of swept wings was studied at length; a wing, in flutter, was then seen to bend."
    >>> best_snippet(text, {"wing", "bend"}, Analyzer(stemmer="porter2"), width=50).marked(str.upper)
    '... length; a WING, in flutter, was then seen to BEND.'
    """
    clean = " ".join("".join(c if c.isprintable() else " " for c in text[:_MOST_CHARACTERS]).split())
    words = [(found.start(), found.end(), _term_of(found[0], terms, analyzer)) for found in _WORD.finditer(clean)]
    hits = [(start, end, term) for start, end, term in words if term]
    first, last = _best_run(hits, width)
    covered = hits[first:last]
    begin, end = (covered[0][0], covered[-1][1]) if covered else (0, 0)
    begin, end = _widened(clean, begin, end, width)
    pieces = [("... ", False)] if begin else []
    at = begin
    for start, stop, _ in hits:
        if begin <= start and stop <= end:
            pieces += [(clean[at:start], False), (clean[start:stop], True)]
            at = stop
    pieces += [(clean[at:end], False), (" ...", False)] if end < len(clean) else [(clean[at:end], False)]
    return Snippet(tuple(piece for piece in pieces if piece[0]), len({term for _, _, term in covered}))


def _term_of(word: str, terms: Collection[str], analyzer: Analyzer) -> str:
    return next((term for term in analyzer.analyze(word) if term in terms), "")


def _best_run(hits: list[tuple[int, int, str]], width: int) -> tuple[int, int]:
    """Return the run of hits within `width` with the most different terms, then the most hits, then the first."""
    best, chosen = (0, 0), (0, 0)
    inside: Counter[str] = Counter()
    first = 0
    for last, (_, end, term) in enumerate(hits):
        inside[term] += 1
        while first < last and end - hits[first][0] > width:
            inside[hits[first][2]] -= 1
            first += 1
        value = (len(+inside), last + 1 - first)
        if value > best:
            best, chosen = value, (first, last + 1)
    return chosen


def _widened(text: str, begin: int, end: int, width: int) -> tuple[int, int]:
    """Return the bounds of as many whole words around a part as fit, equally on both sides if possible."""
    left = max(0, min(begin - (width - (end - begin)) // 2, len(text) - width))
    right = max(end, min(left + width, len(text)))
    if 0 < left < begin and text[left - 1] != " ":
        left = text.find(" ", left, begin) + 1 or begin
    if end < right < len(text) and text[right] != " ":
        right = max(text.rfind(" ", end, right), end)
    return min(left, begin), right
