"""Stemmers: functions that map the inflected forms of a word to a common stem."""

from __future__ import annotations

from collections.abc import Callable

from rankmax.errors import MissingDependencyError, UnknownNameError

Stemmer = Callable[[str], str]


def make_stemmer(name: str) -> Stemmer:
    """Return the stemmer with a given name.

    The functions must not be shared between threads: each thread makes its own.

    Parameters
    ----------
    name : {"none", "porter", "porter2", "krovetz"}
        Porter's algorithm of 1980; his revision of it, Snowball's "english"; Krovetz's, which looks words up in a
        dictionary (needs the extra ``krovetz``).

    Examples
    --------
    >>> [make_stemmer(name)("generously") for name in ("none", "porter", "porter2")]
    ['generously', 'gener', 'generous']

    References
    ----------
    M. F. Porter. An algorithm for suffix stripping. Program 14(3), 1980.
    R. Krovetz. Viewing morphology as an inference process. SIGIR 1993.
    """
    if name not in STEMMERS:
        raise UnknownNameError("stemmer", name, STEMMERS)
    return STEMMERS[name]()


def _unchanged() -> Stemmer:
    return lambda word: word


def _snowball(algorithm: str) -> Stemmer:
    from Stemmer import Stemmer as Snowball

    # Without its own cache: the analyzer caches the stem of each word.
    stem = Snowball(algorithm, 0).stemWord
    return lambda word: stem(word) or word  # Porter's rules reduce "s" to nothing


def _krovetz() -> Stemmer:
    try:
        from krovetzstemmer import Stemmer as Krovetz
    except ImportError:
        raise MissingDependencyError("krovetzstemmer", "krovetz", "the Krovetz stemmer") from None
    stem: Stemmer = Krovetz().stem
    return stem


STEMMERS: dict[str, Callable[[], Stemmer]] = {
    "none": _unchanged,
    "porter": lambda: _snowball("porter"),
    "porter2": lambda: _snowball("english"),
    "krovetz": _krovetz,
}
