from __future__ import annotations

import pytest

from rankmax.errors import UnknownNameError
from rankmax.spaces import AugmentedSimplex, Euclidean, Simplex, space_named, space_names


@pytest.mark.parametrize("space", [Euclidean(), Simplex(), AugmentedSimplex()], ids=repr)
def test_a_name_leads_back_to_its_space(space):
    assert space.name in space_names()
    assert space_named(space.name) == space
    assert space_named(space) is space


@pytest.mark.parametrize("choice", ["Simplx", "", None, 3])
def test_unknown_names_are_refused(choice):
    with pytest.raises(UnknownNameError, match="unknown space"):
        space_named(choice)
