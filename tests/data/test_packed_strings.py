"""Strings to arrays and back."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankmax.data.ids import Ids
from rankmax.data.packed_strings import pack, unpack
from rankmax.errors import InvalidDataError


@given(st.lists(st.text(st.characters(codec="utf-8"), max_size=9)))
def test_strings_come_back(strings: list[str]) -> None:
    assert unpack(*pack(strings)).to_list() == strings
    assert unpack(*pack(Ids.from_strings(strings))).to_list() == strings


@pytest.mark.parametrize("lengths", [[1], [4], [-1, 4], [2**62, 2**62, 2**62, 2**62, 3]])
def test_lengths_that_do_not_add_up_are_refused(lengths: list[int]) -> None:
    with pytest.raises(InvalidDataError, match="lengths of strings"):
        unpack(np.zeros(3, np.uint8), np.array(lengths))
