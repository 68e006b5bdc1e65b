import numpy
import pytest
import scipy.signal
import scipy.special

from rankmax.datasets.public_functions import public_objects


@pytest.fixture(scope="module")
def home():
    return {name: item for item in public_objects() for name in item.names}


def test_aliases_are_one_object_under_its_own_name(home):
    for first, *others in [
        ("numpy.absolute", "numpy.abs"),
        ("scipy.special.jv", "scipy.special.jn"),
        ("scipy.stats.norm", "scipy.stats.distributions.norm"),
        ("numpy.cos", "numpy.ma.cos"),
        ("numpy.float64", "numpy.double"),
    ]:
        assert {home[name].names[0] for name in [first, *others]} == {first}


def test_every_name_leads_to_one_object_and_objects_are_sorted(home):
    objects = public_objects()
    assert sum(len(item.names) for item in objects) == len(home)
    firsts = [item.names[0] for item in objects]
    assert firsts == sorted(set(firsts))


def test_docstrings_and_signatures_are_those_of_the_objects(home):
    assert home["scipy.signal.convolve"].docstring in scipy.signal.convolve.__doc__.strip()
    assert home["scipy.signal.convolve"].signature.startswith("(in1, in2, mode='full'")
    assert not any(" at 0x" in item.signature for item in home.values())


def test_functions_of_every_kind_are_there_and_nothing_else(home):
    assert {"numpy.linalg.norm", "numpy.emath.sqrt", "scipy.special.gamma", "numpy.ndarray", "numpy.ma.sum"} <= set(
        home
    )
    assert not {"numpy.pi", "numpy.linalg", "numpy.newaxis", "scipy.constants.c"} & set(home)
    assert not [name for name in home if any(part.startswith("_") for part in name.split("."))]
    assert isinstance(scipy.special.gamma, numpy.ufunc)
