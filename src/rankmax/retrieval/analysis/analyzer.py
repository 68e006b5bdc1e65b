"""Text analysis: the definition of words and terms shared by documents and queries.

A *word* is a maximal run of letters, digits and the marks that combine with them (accents, vowel signs); everything
else, including the underscore and the apostrophe, separates words. Text is first brought to Unicode's compatibility
composition (NFKC), so that separately written accents, ligatures and full-width letters make no difference. Scripts
without spaces (Chinese, Thai) are not segmented: such a run is one word.

Each word has a position, counted from 0. A stop word, or a run of more than 255 characters, has no term but keeps its
position, as in Indri: words separated by a stop word are not adjacent.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import chain
from typing import Any

import numpy as np

from rankmax._arrays import U8, readonly
from rankmax.errors import InvalidParameterError, UnknownNameError
from rankmax.retrieval.analysis.stemmers import STEMMERS, make_stemmer
from rankmax.retrieval.analysis.stopwords import STOP_LISTS

_LONGEST_WORD = 255  # characters; a longer run is data (a key, an encoded image), not language
_MOST_REMEMBERED = 1 << 18  # words whose term is cached; 40 MB

# Replacement of ASCII characters, by code point, before a split at spaces.
_ASCII_WORDS = "".join(chr(code) if chr(code).isalnum() else " " for code in range(128))
_ASCII_LOWER_WORDS = _ASCII_WORDS.lower()
_WORD = re.compile(r"\w+")  # for text without marks, which \w does not match; many times as fast


@dataclass(frozen=True)
class Analyzer:
    """Turns text into terms: words, lower-cased, without stop words, stemmed.

    Parameters
    ----------
    lowercase : bool, default True
        Whether to convert words to lower case.
    stop : {"none", "short", "english"} or tuple of str, default "none"
        Words without a term, compared in lower case. An entry of two words ("don't") means both.
    stemmer : {"none", "porter", "porter2", "krovetz"}, default "none"
        Name of the stemmer.

    Examples
    --------
    >>> analyzer = Analyzer(stop="short", stemmer="porter")
    >>> analyzer.analyze("The flutter of swept-back wings")
    ['flutter', 'swept', 'back', 'wing']
    >>> analyzer.positions("The flutter of swept-back wings")
    [('flutter', 1), ('swept', 3), ('back', 4), ('wing', 5)]
    >>> Analyzer.from_dict(analyzer.to_dict()) == analyzer
    True
    """

    lowercase: bool = True
    stop: str | tuple[str, ...] = "none"
    stemmer: str = "none"

    def __post_init__(self) -> None:
        if not isinstance(self.lowercase, bool):
            raise InvalidParameterError(f"lowercase must be true or false, not {self.lowercase!r}")
        if isinstance(self.stop, str):
            if self.stop not in STOP_LISTS:
                raise UnknownNameError("stop list", self.stop, STOP_LISTS)
        elif not isinstance(self.stop, tuple) or not all(isinstance(word, str) for word in self.stop):
            raise InvalidParameterError(f"stop must be the name of a list or a tuple of words, not {self.stop!r}")
        if not isinstance(self.stemmer, str) or self.stemmer not in STEMMERS:
            raise UnknownNameError("stemmer", str(self.stemmer), STEMMERS)

    def analyze(self, text: str) -> list[str]:
        """Return the terms of a text in order."""
        return list(filter(None, self.slots(text)))

    def positions(self, text: str) -> list[tuple[str, int]]:
        """Return the terms of a text, each with its position among all words."""
        return [(term, position) for position, term in enumerate(self.slots(text)) if term]

    def slots(self, text: str) -> list[str]:
        """Return the term of every word, the empty string for a word without a term.

        Examples
        --------
        >>> Analyzer(stop="short").slots("The flutter of wings")
        ['', 'flutter', '', 'wings']
        """
        return self.terms(split_words(text, lowercase=self.lowercase))

    def terms(self, words: Iterable[str]) -> list[str]:
        """Return the terms of words from :func:`split_words`, the empty string for a word without a term."""
        return list(map(self._terms.__getitem__, words))

    def to_dict(self) -> dict[str, Any]:
        """Return the parameters in JSON types, for :meth:`from_dict`."""
        stop = self.stop if isinstance(self.stop, str) else list(self.stop)
        return {"lowercase": self.lowercase, "stop": stop, "stemmer": self.stemmer}

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Analyzer:
        """Rebuild an analyzer from :meth:`to_dict`."""
        known = {"lowercase", "stop", "stemmer"}
        if set(fields) != known:
            raise InvalidParameterError(f"an analyzer has {sorted(known)}, found {sorted(fields)}")
        stop = fields["stop"]
        return cls(fields["lowercase"], tuple(stop) if isinstance(stop, list) else stop, fields["stemmer"])

    def __reduce__(self) -> tuple[type[Analyzer], tuple[bool, str | tuple[str, ...], str]]:
        return Analyzer, (self.lowercase, self.stop, self.stemmer)  # without the cached terms

    @cached_property
    def _terms(self) -> _Terms:
        return _Terms(self)


class _Terms(dict[str, str]):
    """Cache of the term of each word, computed on first use."""

    def __init__(self, analyzer: Analyzer) -> None:
        super().__init__()
        self._stem = make_stemmer(analyzer.stemmer)
        if isinstance(analyzer.stop, str):
            self._stop = STOP_LISTS[analyzer.stop]
        else:
            self._stop = frozenset(split_words(" ".join(analyzer.stop), lowercase=True))

    def __missing__(self, word: str) -> str:
        if len(word) > _LONGEST_WORD:
            return ""
        if len(self) >= _MOST_REMEMBERED:
            self.clear()
        term = "" if word.lower() in self._stop else self._stem(word)
        self[word] = term
        return term


def split_words(text: str, *, lowercase: bool) -> list[str]:
    """Return the words of a text, as defined in this module.

    Parameters
    ----------
    text : str
    lowercase : bool
        Whether to convert words to lower case.

    Examples
    --------
    >>> split_words("Ωmega_3 isn't cafe\u0301", lowercase=True)
    ['ωmega', '3', 'isn', 't', 'café']
    """
    if text.isascii():  # the same words, three times as fast
        return text.translate(_ASCII_LOWER_WORDS if lowercase else _ASCII_WORDS).split()
    composed = unicodedata.normalize("NFKC", text)
    if lowercase:
        composed = composed.lower()
    marks = _marks()
    pattern = _WORD if marks.isdisjoint(composed) else _word_with(marks)
    return pattern.findall(composed.replace("_", " "))


def spaced_words(text: str, *, lowercase: bool) -> bytes:
    """Return UTF-8 text of the same words, in which :func:`letter_table` alone tells where a word ends.

    Parameters
    ----------
    text : str
    lowercase : bool
        Whether to convert words to lower case.

    Examples
    --------
    >>> spaced_words("swept-back Wings", lowercase=True)  # ASCII is left to the table
    b'swept-back Wings'
    >>> spaced_words("Ωmega†Wings", lowercase=True).decode()
    'ωmega wings'
    """
    return text.encode() if text.isascii() else " ".join(split_words(text, lowercase=lowercase)).encode()


@cache
def letter_table(*, lowercase: bool) -> U8:
    """Return, by byte, its form in a word, or 0 if it separates words.

    Parameters
    ----------
    lowercase : bool
        Whether to convert words to lower case.

    Examples
    --------
    >>> table = letter_table(lowercase=True)
    >>> chr(table[ord("A")]), table[ord("-")]
    ('a', np.uint8(0))
    """
    letters = (_ASCII_LOWER_WORDS if lowercase else _ASCII_WORDS).replace(" ", "\0").encode()
    return readonly(np.array([*letters, *range(128, 256)], np.uint8))


@cache
def _marks() -> frozenset[str]:
    # There are none between plane 1 and the variation selectors.
    codes = chain(range(0x20000), range(0xE0100, 0xE01F0))
    return frozenset(chr(code) for code in codes if unicodedata.category(chr(code)).startswith("M"))


@cache
def _word_with(marks: frozenset[str]) -> re.Pattern[str]:
    return re.compile(rf"\w+(?:[{''.join(sorted(marks))}]+\w*)*")
