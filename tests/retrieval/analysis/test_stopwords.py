import gzip

import pytest

from rankmax.errors import DataFormatError
from rankmax.retrieval.analysis.analyzer import Analyzer, split_words
from rankmax.retrieval.analysis.stopwords import STOP_LISTS, read_stop_words


@pytest.mark.parametrize("name", STOP_LISTS)
def test_every_stop_word_is_a_word_as_the_analyzer_splits_them(name):
    for word in STOP_LISTS[name]:
        assert split_words(word, lowercase=True) == [word]


def test_lists_grow():
    assert STOP_LISTS["none"] < STOP_LISTS["short"] < STOP_LISTS["english"]
    assert len(STOP_LISTS["short"]) == 33
    assert not STOP_LISTS["english"] & {"wing", "flow", "first", "new", "use", "system"}


def test_english_leaves_nothing_of_a_sentence_without_content():
    analyzer = Analyzer(stop="english")
    assert analyzer.analyze("What was it that they didn't have, and why couldn't we've been there?") == []


def test_file(tmp_path):
    path = tmp_path / "stop.gz"
    path.write_bytes(gzip.compress("\ufeffarray\r\n\n# comment here\n Größe \narray\n".encode()))
    words = read_stop_words(path)
    assert words == ("array", "Größe")
    assert Analyzer(stop=words).analyze("Array of größe 3") == ["of", "3"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a\nof the\n", ":2: expected one word per line, found 'of the'"),
        (b"a\n\xff\n", r":2: not UTF-8 text \(byte 0xff\)"),
    ],
)
def test_wrong_file(tmp_path, content, message):
    path = tmp_path / "stop"
    path.write_bytes(content)
    with pytest.raises(DataFormatError, match=message):
        read_stop_words(path)
