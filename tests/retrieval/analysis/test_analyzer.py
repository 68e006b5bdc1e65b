import pickle
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankmax.errors import InvalidParameterError, UnknownNameError
from rankmax.retrieval.analysis import analyzer as module
from rankmax.retrieval.analysis.analyzer import Analyzer, split_words
from rankmax.retrieval.analysis.stemmers import make_stemmer
from rankmax.retrieval.analysis.stopwords import STOP_LISTS


def words_by_definition(text: str) -> list[str]:
    """Walk over the characters: a word starts with a letter or digit and goes on over these and marks."""
    words = [""]
    for character in unicodedata.normalize("NFKC", text):
        is_mark = unicodedata.category(character).startswith("M")
        if character.isalnum() or (is_mark and words[-1]):
            words[-1] += character
        elif words[-1]:
            words.append("")
    return [word for word in words if word]


@given(
    st.text() | st.text(st.characters(categories=["L", "M", "N", "Pc", "Zs"])) | st.text(st.characters(codec="ascii"))
)
def test_words_are_runs_of_letters_digits_and_marks(text):
    assert split_words(text, lowercase=False) == words_by_definition(text)


@given(st.text(st.characters(codec="ascii")))
def test_plain_text_has_the_same_words_beside_other_scripts(text):
    for lowercase in (False, True):
        assert split_words(f"{text} é", lowercase=lowercase) == [*split_words(text, lowercase=lowercase), "é"]


@given(st.text())
def test_how_characters_are_composed_makes_no_difference(text):
    forms = {tuple(split_words(unicodedata.normalize(form, text), lowercase=True)) for form in ("NFC", "NFD", "NFKC")}
    assert len(forms) == 1


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("swept-back wing's x_1", ["swept", "back", "wing", "s", "x", "1"]),
        ("NASA TN D-1234", ["nasa", "tn", "d", "1234"]),
        ("Straße, ΣΟΦΟΣ", ["straße", "σοφος"]),
        ("\ufb01ne \uff26\uff55\uff4c\uff4c", ["fine", "full"]),
        ("हिन्दी", ["हिन्दी"]),
        ("“quoted” — dash…", ["quoted", "dash"]),
        (" \t\n", []),
        ("", []),
    ],
)
def test_words(text, words):
    assert split_words(text, lowercase=True) == words


texts = st.lists(st.sampled_from(["the", "The", "of", "wings", "Running", "x" * 300, "flies", "é"])).map(" ".join)
analyzers = st.builds(
    Analyzer,
    lowercase=st.booleans(),
    stop=st.sampled_from(["none", "short", "english", ("wings", "É")]),
    stemmer=st.sampled_from(["none", "porter", "porter2"]),
)


@given(analyzers, texts)
def test_terms_are_stems_of_words_that_are_not_stopped(analyzer, text):
    stop = STOP_LISTS[analyzer.stop] if isinstance(analyzer.stop, str) else {"wings", "é"}
    stem = make_stemmer(analyzer.stemmer)
    expected = [
        (stem(word.lower() if analyzer.lowercase else word), position)
        for position, word in enumerate(text.split())
        if word.lower() not in stop and len(word) <= 255
    ]
    assert analyzer.positions(text) == expected
    assert analyzer.analyze(text) == [term for term, _ in expected]
    assert [(term, position) for position, term in enumerate(analyzer.slots(text)) if term] == expected


@given(analyzers)
def test_an_analyzer_is_recorded_and_sent_without_what_it_remembers(analyzer):
    analyzer.analyze("the running wings")
    assert Analyzer.from_dict(analyzer.to_dict()) == analyzer
    assert b"running" not in pickle.dumps(analyzer)
    assert pickle.loads(pickle.dumps(analyzer)) == analyzer


def test_a_contraction_in_a_stop_list_stands_for_its_parts():
    assert Analyzer(stop=("Don't",)).analyze("don't stop") == ["stop"]


def test_memory_is_bounded_and_forgetting_changes_nothing(monkeypatch):
    monkeypatch.setattr(module, "_MOST_REMEMBERED", 10)
    analyzer = Analyzer(stemmer="porter")
    words = [f"wings{number}" for number in range(100)] + ["flies"]
    assert analyzer.analyze(" ".join(words)) == [*words[:-1], "fli"]
    assert len(analyzer._terms) <= 10
    analyzer.analyze("y" * 10_000_000)
    assert max(map(len, analyzer._terms)) < 10


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"stop": "englsh"}, UnknownNameError, "unknown stop list 'englsh'; did you mean 'english'?"),
        ({"stemmer": "porter3"}, UnknownNameError, "unknown stemmer 'porter3'; did you mean 'porter"),
        ({"stop": ["the"]}, InvalidParameterError, "stop must be the name of a list or a tuple of words, not"),
        ({"stop": (1,)}, InvalidParameterError, "stop must be the name of a list or a tuple of words, not"),
        ({"lowercase": 1}, InvalidParameterError, "lowercase must be true or false, not 1"),
    ],
)
def test_wrong_settings(arguments, error, message):
    with pytest.raises(error, match=message.replace("?", r"\?")):
        Analyzer(**arguments)


@pytest.mark.parametrize("fields", [{}, {"lowercase": True, "stop": "none", "stemmer": "none", "ngrams": 2}])
def test_a_record_of_another_kind_is_refused(fields):
    with pytest.raises(InvalidParameterError, match="an analyzer has"):
        Analyzer.from_dict(fields)
