"""Words of many texts, numbered."""

from __future__ import annotations

import numpy as np

from rankmax._arrays import I32, I64, U8, U64
from rankmax._kernels.compilation import njit

_PRIME = np.uint64(0x100000001B3)  # of the hash FNV-1a
_BASIS = np.uint64(0xCBF29CE484222325)
_HALF = np.uint64(32)
_FEWEST_SLOTS = 1 << 12


@njit(cache=True)
def number_words(text: U8, ends: I64, letters: U8) -> tuple[I32, I32, U8]:
    """Cut texts into words, and number these in the order in which they are first met.

    Parameters
    ----------
    text : uint8
        All texts back to back.
    ends : int64
        Where each text ends.
    letters : uint8, 256
        What each byte is in a word, 0 for a byte that separates words; the blank, 32, separates.

    Returns
    -------
    numbers : int32
        Of each word.
    n_words : int32
        In each text.
    words : uint8
        The words by their numbers, as `letters` spells them, each followed by a blank.
    """
    numbers = np.empty(text.size // 2 + ends.size, np.int32)  # at least one byte between words
    n_words = np.zeros(ends.size, np.int32)
    words = np.empty(text.size + ends.size, np.uint8)
    starts = np.zeros(_FEWEST_SLOTS, np.int64)  # of each word in `words`, and where the next one goes
    hashes = np.empty(_FEWEST_SLOTS, np.uint64)
    slots = np.full(2 * _FEWEST_SLOTS, -1, np.int32)  # open addressing, at most half full
    n_tokens = n_known = place = int(np.int64(0))  # a plain 0 is a type of its own, for which _find is compiled again
    for index in range(ends.size):
        end = ends[index]
        while place < end:
            if letters[text[place]] == 0:
                place += 1
                continue
            first = place
            hashed = _BASIS
            while place < end and letters[text[place]] != 0:
                hashed = (hashed ^ np.uint64(letters[text[place]])) * _PRIME
                place += 1
            hashed ^= hashed >> _HALF
            slot = _find(text, first, place, hashed, letters, words, starts, hashes, slots)
            if slots[slot] < 0:
                slots[slot] = n_known
                hashes[n_known] = hashed
                target = starts[n_known]
                for source in range(first, place):
                    words[target] = letters[text[source]]
                    target += 1
                words[target] = 32
                n_known += 1
                starts[n_known] = target + 1
                numbers[n_tokens] = n_known - 1
                if n_known + 1 == starts.size:
                    starts, hashes, slots = _doubled(starts, hashes, slots)
            else:
                numbers[n_tokens] = slots[slot]
            n_tokens += 1
            n_words[index] += 1
    return numbers[:n_tokens], n_words, words[: starts[n_known]]


@njit(cache=True)
def _find(
    text: U8,
    first: int,
    last: int,
    hashed: np.uint64,
    letters: U8,
    words: U8,
    starts: I64,
    hashes: U64,
    slots: I32,
) -> np.int64:
    """Return the slot that holds a word, or the free one where it belongs."""
    mask = slots.size - 1
    slot = np.int64(hashed & np.uint64(mask))
    while slots[slot] >= 0:
        known = slots[slot]
        if hashes[known] == hashed and starts[known + 1] - starts[known] - 1 == last - first:
            source, target = first, starts[known]
            while source < last and words[target] == letters[text[source]]:
                source += 1
                target += 1
            if source == last:
                break
        slot = (slot + 1) & mask
    return slot


@njit(cache=True)
def _doubled(starts: I64, hashes: U64, slots: I32) -> tuple[I64, U64, I32]:
    """Make room for twice as many words."""
    n_known = starts.size - 1
    more_starts = np.empty(2 * starts.size, np.int64)
    more_hashes = np.empty(2 * hashes.size, np.uint64)
    for number in range(starts.size):  # copying arrays as a whole takes seconds to compile
        more_starts[number] = starts[number]
        more_hashes[number] = hashes[number]
    more_slots = np.full(2 * slots.size, -1, np.int32)
    mask = more_slots.size - 1
    for number in range(n_known):
        slot = np.int64(hashes[number] & np.uint64(mask))
        while more_slots[slot] >= 0:
            slot = (slot + 1) & mask
        more_slots[slot] = number
    return more_starts, more_hashes, more_slots
