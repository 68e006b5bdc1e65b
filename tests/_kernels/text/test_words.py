"""Numbered words, against splitting and a dictionary."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankmax._arrays import readonly
from rankmax._kernels.text.words import number_words

LETTERS = np.array([byte if chr(byte).isalnum() else 0 for byte in bytes(range(128)).lower()] + [*range(128, 256)])
LETTERS = readonly(LETTERS.astype(np.uint8))

raw_texts = st.lists(st.text(st.sampled_from("aAbBzé0 -_\n"), max_size=20).map(str.encode), max_size=8)


def expected(texts: list[bytes]) -> tuple[list[int], list[int], list[str]]:
    known: dict[str, int] = {}
    numbers, n_words = [], []
    for text in texts:
        split = text.lower().translate(bytes(byte or 32 for byte in LETTERS.tolist())).decode().split()
        numbers += [known.setdefault(word, len(known)) for word in split]
        n_words.append(len(split))
    return numbers, n_words, list(known)


def numbered(texts: list[bytes]) -> tuple[list[int], list[int], list[str]]:
    ends = np.cumsum([len(text) for text in texts], dtype=np.int64)
    numbers, n_words, words = number_words(np.frombuffer(b"".join(texts), np.uint8), ends, LETTERS)
    return numbers.tolist(), n_words.tolist(), words.tobytes().decode().split()


@settings(max_examples=100)
@given(raw_texts)
def test_words_are_those_between_separators(texts: list[bytes]) -> None:
    assert numbered(texts) == expected(texts)


def test_words_do_not_reach_from_one_text_into_the_next() -> None:
    assert numbered([b"lift", b"", b"drag lift"]) == ([0, 1, 0], [1, 0, 2], ["lift", "drag"])


@pytest.mark.parametrize("n_distinct", [4094, 4095, 4096, 30_000])
def test_many_words_find_room(n_distinct: int) -> None:
    texts = [b" ".join(b"w%d" % number for number in range(n_distinct))] * 2
    assert numbered(texts) == (2 * [*range(n_distinct)], [n_distinct] * 2, [f"w{n}" for n in range(n_distinct)])


def test_texts_of_one_letter_fill_all_the_room() -> None:
    assert numbered([b"a", b"b", b"a"]) == ([0, 1, 0], [1, 1, 1], ["a", "b"])
