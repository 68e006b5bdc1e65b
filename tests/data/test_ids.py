import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankmax.data.ids import Ids

strings = st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=20), max_size=30)
like = st.lists(st.sampled_from(["", "a", "aaaaaaaa", "aaaaaaab", "aaaaaaaaa", "aaaaaaaab", "a" * 16, "a" * 17]))


@given(strings)
def test_packs_and_unpacks(values):
    ids = Ids.from_strings(values)
    assert len(ids) == len(values)
    assert ids.to_list() == list(ids) == values
    assert ids.to_bytes() == [value.encode() for value in values]
    assert [ids[i] for i in range(len(values))] == values
    assert [ids.raw(i) for i in range(len(values))] == ids.to_bytes()
    assert ids[1:].to_list() == values[1:]
    assert ids[::-2].compact().to_list() == values[::-2]


@given(strings | like, st.data())
def test_takes_like_an_array(values, data):
    ids = Ids.from_strings(values)
    hashes = ids.hashes()
    some = data.draw(st.lists(st.integers(0, len(values) - 1)) if values else st.just([]))
    taken = ids.take(np.array(some, np.int64))
    assert taken.to_list() == [values[i] for i in some]
    np.testing.assert_array_equal(taken.hashes(), hashes[np.array(some, np.int64)])
    mask = np.array([bool(value) for value in values], np.bool_)
    assert ids.take(mask).to_list() == [value for value in values if value]


@given(strings | like, strings | like)
def test_equal_compares_pair_by_pair(left, right):
    n = min(len(left), len(right))
    same = Ids.from_strings(left[:n]).equal(Ids.from_strings(right[:n]))
    assert same.tolist() == [a == b for a, b in zip(left[:n], right[:n], strict=True)]


@given(strings | like)
def test_hashes_agree_with_equality(values):
    """Different strings could share a hash, but not among so few."""
    hashes = Ids.from_strings(values).hashes().tolist()
    assert len(set(hashes)) == len(set(values))
    assert dict(zip(values, hashes, strict=True)) == {v: Ids.from_strings(["x", v])[1:].hashes()[0] for v in values}


def test_hashes_spread():
    hashes = Ids.from_strings(f"GX{n:07d}" for n in range(100_000)).hashes()
    assert np.unique(hashes).size == 100_000
    top = np.bincount((hashes >> np.uint64(56)).astype(np.int64), minlength=256)
    assert top.min() > 0
    assert top.max() < 4 * 100_000 / 256


@given(strings | like)
def test_changes(values):
    expected = [i for i in range(1, len(values)) if values[i] != values[i - 1]]
    assert Ids.from_strings(values).changes().tolist() == expected


@given(st.lists(strings, min_size=1, max_size=4))
def test_concatenate(parts):
    joined = Ids.concatenate([Ids.from_strings(part)[::-1] for part in parts])
    assert joined.to_list() == [value for part in parts for value in part[::-1]]


def test_reads_from_a_buffer_without_padding():
    ids = Ids(np.frombuffer(b"abcd", np.uint8), np.array([0, 2]), np.array([2, 2]))
    assert ids.to_list() == ["ab", "cd"]
    assert not ids[:1].equal(ids[1:]).any()


def test_repr_is_short():
    assert repr(Ids.from_strings("abcd")) == "Ids(['a', 'b', 'c', ...], n=4)"
    assert repr(Ids.from_strings("ab")) == "Ids(['a', 'b'], n=2)"


def test_bytes_that_are_not_utf8_still_print():
    assert Ids(np.frombuffer(b"\xff", np.uint8), np.array([0]), np.array([1]))[0] == "\ufffd"


def test_index_out_of_range():
    with pytest.raises(IndexError):
        Ids.from_strings(["a"])[1]


@given(st.lists(st.text(st.characters(min_codepoint=33, codec="utf-8"), min_size=1, max_size=30)))
def test_ascending_is_pythons_order_of_the_bytes(strings):
    expected = sorted(range(len(strings)), key=lambda i: strings[i].encode())
    assert Ids.from_strings(strings).ascending().tolist() == expected


def test_one_long_identifier_makes_no_large_table():
    strings = ["b" * 100_000, "a", "c"] * 50
    ids = Ids.from_strings(strings)
    tracemalloc.start()
    order = ids.ascending()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert [strings[i][0] for i in order] == ["a"] * 50 + ["b"] * 50 + ["c"] * 50
    assert peak < 4 * sum(map(len, strings))
