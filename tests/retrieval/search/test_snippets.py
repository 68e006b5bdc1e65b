from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from rankmax.retrieval.analysis.analyzer import Analyzer
from rankmax.retrieval.search.snippets import best_snippet

ANALYZER = Analyzer(stop="english", stemmer="porter2")


def marked(text: str, *terms: str, width: int = 40) -> str:
    return best_snippet(text, terms, ANALYZER, width=width).marked(lambda word: f"[{word}]")


def test_words_are_marked_by_their_terms() -> None:
    assert marked("Wings, winged; (WING)'s bending", "wing", "bend") == "[Wings], [winged]; ([WING])'s [bending]"


def test_the_part_with_most_different_terms_is_shown() -> None:
    text = f"wing wing wing {'of no use ' * 20} the heat of a wing {'of no use ' * 20}"
    assert marked(text, "wing", "heat") == "... no use the [heat] of a [wing] of no use of ..."


def test_without_a_word_of_the_query_the_beginning_is_shown() -> None:
    assert marked("flow past a flat plate at the speed of sound", "wing", width=20) == "flow past a flat ..."
    assert best_snippet("", {"wing"}, ANALYZER).pieces == ()


def test_accents_and_quotes() -> None:
    assert marked("“Cafe\u0301” au lait", "café") == "“[Cafe\u0301]” au lait"


def test_nothing_reaches_a_terminal_that_is_not_text() -> None:
    assert marked("a\x1b[31m wing\n\tflows\x00") == "a [31m wing flows"


@given(
    st.text(st.sampled_from("ab ,\n"), max_size=200) | st.text(max_size=200),
    st.sets(st.sampled_from(["a", "ab", "b", "ba"])),
    st.integers(1, 60),
)
def test_a_snippet_is_a_part_of_the_text_no_longer_than_asked(text, terms, width) -> None:
    snippet = best_snippet(text, terms, Analyzer(), width=width)
    shown = snippet.marked(str)
    clean = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    inner = shown.removeprefix("... ") if shown not in clean else shown
    inner = inner.removesuffix(" ...") if inner not in clean else inner
    assert inner in clean
    longest = max((len(word) for word, is_word in snippet.pieces if is_word), default=0)
    assert len(inner) <= max(width, longest)
    assert all(any(term in terms for term in Analyzer().analyze(word)) for word, is_word in snippet.pieces if is_word)
