import json
import os
import re
import subprocess
import sys
from collections import Counter

import pytest

from rankmax.datasets import docstrings, documentation
from rankmax.datasets.numpydoc import parse_docstring
from rankmax.datasets.public_functions import public_objects
from rankmax.errors import InvalidDataError

PRINT_COLLECTION = """
import json
from rankmax.datasets import docstrings
c = docstrings()
print(json.dumps([{d.id: d.fields for d in c.documents}, c.topics, c.qrels.to_dict(), c.excluded]))
"""


@pytest.fixture(scope="module")
def collection():
    return docstrings()


@pytest.fixture(scope="module")
def grades(collection):
    return collection.qrels.to_dict()


@pytest.fixture(scope="module")
def fields(collection):
    return {document.id: document.fields for document in collection.documents}


def test_size(collection, fields):
    statistics = collection.statistics
    assert len(fields) == len(collection.documents) == statistics["documents"] > 2000
    assert statistics["queries"] == len(collection.topics) > 800
    assert 2 < statistics["relevant per query"] < 6
    assert re.fullmatch(r"docstrings of numpy [\d.]+\S* and scipy [\d.]+\S*", str(collection).splitlines()[0])


def test_a_known_document(collection, grades, fields):
    document = fields["numpy.hypot"]
    assert (document["name"], document["signature"][:9]) == ("numpy.hypot", "(x1, x2, ")
    assert "Equivalent to" in document["body"]
    assert collection.topics["numpy.linalg.det"] == "Compute the determinant of an array."
    assert grades["numpy.linalg.det"]["numpy.linalg.slogdet"] == 2
    assert grades["numpy.linalg.norm"] == {"scipy.linalg.norm": 1}


def test_queries_have_relevant_documents_other_than_their_own(collection, grades, fields):
    assert set(grades) == set(collection.topics) == set(collection.excluded)
    for query, relevant in grades.items():
        assert collection.topics[query].strip()
        assert relevant
        assert set(relevant) <= set(fields)
        assert collection.excluded[query] not in relevant


def test_grade_2_is_a_link_both_ways(grades):
    links = [(query, target, grade) for query, relevant in grades.items() for target, grade in relevant.items()]
    both_ways = {(query, target) for query, target, grade in links if grade == 2}
    one_way = {(query, target) for query, target, grade in links if grade == 1}
    assert both_ways
    assert one_way
    assert all(grades[target][query] == 2 for query, target in both_ways if target in grades)
    assert not any(query in grades.get(target, ()) for query, target in one_way)


def test_neither_summary_nor_see_also_is_searched(collection, fields):
    assert {name for document in fields.values() for name in document} == {"name", "signature", "body"}
    for item in public_objects():
        name = item.names[0]
        body = fields[name]["body"]
        assert not re.search(r"^\s*see also:?\s*\n\s*[-=]{3,}\s*$", body, re.IGNORECASE | re.MULTILINE)
        summary = parse_docstring(item.docstring, name.rpartition(".")[2]).summary
        assert not summary or not " ".join(body.split()).startswith(summary)
        # What is left is the docstring's own text, and nothing is left out but what was meant to be.
        assert set(body.split()) <= set(item.docstring.split())


def test_same_collection_in_another_process(collection, grades, fields):
    environment = {**os.environ, "PYTHONHASHSEED": "12345"}
    command = [sys.executable, "-c", PRINT_COLLECTION]
    printed = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
    other_fields, *others = json.loads(printed)
    assert list(other_fields) == list(fields)
    assert {name for name in fields if fields[name] != other_fields[name]} == set()
    assert others == [collection.topics, grades, collection.excluded]


def test_names_are_read_from_the_module_outwards():
    item = next(item for item in public_objects() if item.names[0] == "scipy.sparse.linalg.norm")
    assert next(documentation._readings("np.linalg.norm", item)) == "numpy.linalg.norm"
    readings = list(documentation._readings("det", item))
    assert readings.index("scipy.sparse.linalg.det") < readings.index("scipy.sparse.det") < readings.index("numpy.det")


def test_without_docstrings(monkeypatch):
    monkeypatch.setattr(documentation, "public_objects", list)
    with pytest.raises(InvalidDataError, match="run Python without -OO"):
        docstrings()


def test_aliases_that_differ_in_the_signature_line_are_one_document(collection):
    ids = {document.id for document in collection.documents}
    assert len(ids & {"numpy.ma.prod", "numpy.ma.product"}) == 1
    texts = Counter((collection.topics.get(one.id), one.fields["body"]) for one in collection.documents)
    assert max(n for (summary, _), n in texts.items() if summary) == 1
