import sys

import pytest

from rankmax.errors import MissingDependencyError, UnknownNameError
from rankmax.retrieval.analysis.stemmers import STEMMERS, make_stemmer

# Steps 1a to 5 of Porter's paper, each with an example of his.
PORTER_1980 = {
    "caresses": "caress",
    "ponies": "poni",
    "agreed": "agre",
    "hopping": "hop",
    "happy": "happi",
    "relational": "relat",
    "triplicate": "triplic",
    "allowance": "allow",
    "controll": "control",
}


def test_porter_gives_the_papers_examples():
    stem = make_stemmer("porter")
    assert {word: stem(word) for word in PORTER_1980} == PORTER_1980


def test_porter2_differs_where_the_revision_does():
    assert [make_stemmer("porter2")(word) for word in ("dying", "generously", "skis")] == ["die", "generous", "ski"]
    assert [make_stemmer("porter")(word) for word in ("dying", "generously")] == ["dy", "gener"]


def test_none_keeps_a_word():
    assert make_stemmer("none")("flies") == "flies"


def test_krovetz_gives_words():
    pytest.importorskip("krovetzstemmer")
    stem = make_stemmer("krovetz")
    assert [stem(word) for word in ("utilities", "generalizations", "日本")] == ["utility", "generalization", "日本"]


def test_krovetz_without_its_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "krovetzstemmer", None)
    with pytest.raises(MissingDependencyError, match=r"pip install 'rankmax\[krovetz\]'"):
        make_stemmer("krovetz")


@pytest.mark.parametrize("name", sorted(set(STEMMERS) - {"krovetz"}))
def test_a_stem_is_never_empty(name):
    stem = make_stemmer(name)
    assert all(stem(word) for word in ("s", "ing", "es", "ed", "1", "é", "日本", "sses"))


def test_unknown_name():
    with pytest.raises(UnknownNameError, match="unknown stemmer 'porters'; did you mean 'porter'"):
        make_stemmer("porters")
