"""Stop words: words that say little about the subject of a text."""

from __future__ import annotations

import os

from rankmax._io.files import open_binary
from rankmax.errors import DataFormatError, not_utf8

# The 33 words of Lucene's classic English set.
_SHORT = """
a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to was
will with
"""

# English words of the closed classes, which new words seldom join.
_ENGLISH = f"""
{_SHORT}
all another any both each either enough every few fewer less many more most much neither none other own same several
some those
he her hers herself him himself his i itself its me mine my myself one oneself our ours ourselves she them themselves
theirs us we you your yours yourself yourselves
anybody anyone anything everybody everyone everything nobody nothing somebody someone something
how what whatever when whenever where wherever which whichever while who whoever whom whose why
about above across after against along amid among around before behind below beneath beside besides between beyond
despite down during except from inside near off onto out outside over past per since through throughout toward toward
under underneath unlike until up upon via within without
although because hence nor once otherwise so than therefore though thus unless whereas whether yet
am been being can cannot could did do does doing done had has have having may might must ought shall should were would
again also almost already always anyhow anyway anywhere aside away else elsewhere even ever everywhere further here
however indeed instead just maybe meanwhile moreover mostly never nevertheless now nowhere often only perhaps quite
rather really seldom somehow sometimes somewhat somewhere still there thereby together too usually very
aren couldn d didn doesn don hadn hasn haven isn ll m mustn re s shouldn t ve wasn weren wouldn
"""  # the last line: what is left of "aren't", "we'd", "we'll", ... split at the apostrophe

STOP_LISTS: dict[str, frozenset[str]] = {
    "none": frozenset(),
    "short": frozenset(_SHORT.split()),
    "english": frozenset(_ENGLISH.split()),
}


def read_stop_words(path: str | os.PathLike[str]) -> tuple[str, ...]:
    r"""Read a stop list: one word per line, plain or gzip; blank lines and lines that start with # are skipped.

    Parameters
    ----------
    path : str or path-like

    Returns
    -------
    tuple of str
        Words in the order of the file, for the analyzer's parameter ``stop``.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "stop.txt")
    >>> _ = path.write_text("# numpy's favorites\narray\nvalue\n")
    >>> read_stop_words(path)
    ('array', 'value')
    """
    words: dict[str, None] = {}
    with open_binary(path) as file:
        for number, raw in enumerate(file, 1):
            try:
                word = raw.decode("utf-8-sig" if number == 1 else "utf-8").strip()
            except UnicodeDecodeError as error:
                raise DataFormatError(path, not_utf8(error), line=number) from None
            if len(word.split()) > 1 and not word.startswith("#"):
                raise DataFormatError(path, f"expected one word per line, found {word[:60]!r}", line=number)
            if word and not word.startswith("#"):
                words[word] = None
    return tuple(words)
