import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankmax.retrieval.index.sgml import read_sgml


def documents(text):
    return list(read_sgml(enumerate(text.encode().splitlines(keepends=True), 1)))


def test_a_document_of_the_newswire_kind():
    text = """
<DOC>
<DOCNO> AP880212-0001 </DOCNO>
<FILEID>AP-NR-02-12-88 2344EST</FILEID>
<HEAD>Reports Former Saigon Officials Released</HEAD>
<HEAD>With Photo</HEAD>
<TEXT>
   More than 150 former officers of the overthrown South
Vietnamese government &amp; army
<P> were released. <!-- PJG 0012 -->
</TEXT>
<BYLINE></BYLINE>
</DOC>

<doc id=2><docno>2</docno>plain</doc> between <DOC><DOCNO>3</DOCNO></DOC>
"""
    assert documents(text) == [
        (
            2,
            "AP880212-0001",
            {
                "fileid": "AP-NR-02-12-88 2344EST",
                "head": "Reports Former Saigon Officials Released With Photo",
                "text": "More than 150 former officers of the overthrown South Vietnamese government & army "
                "were released.",
                "byline": "",
            },
        ),
        (15, "2", {"text": "plain"}),
        (15, "3", {}),
    ]


@pytest.mark.parametrize(
    ("content", "fields"),
    [
        ("<a>x<b>y</b>z</a>", {"a": "x y z"}),
        ("<a>x</b>y</a>", {"a": "x y"}),
        ("</a>x<a>y</a>", {"text": "x", "a": "y"}),
        ("<p>x<p>y<p>z", {"text": "x y z"}),
        ("x<text>y</text>z", {"text": "x y z"}),
        ("<A HREF='u'>x</a>", {"a": "x"}),
        ("1 < 2 &lt;b&gt; 3 > 2", {"text": "1 < 2 <b> 3 > 2"}),
        ("<?xml?><br/>x<!DOCTYPE y>", {"text": "x"}),
    ],
)
def test_elements(content, fields):
    assert documents(f"<DOC><DOCNO>1</DOCNO>{content}</DOC>") == [(1, "1", fields)]


words = st.lists(st.sampled_from(["wing", "flow", "1 < 2", "x > y", "a&b"]), max_size=5).map(" ".join)


@given(st.lists(st.dictionaries(st.sampled_from(["title", "text", "h1"]), words)), st.sampled_from(["", "\n", " "]))
def test_round_trip(collection, between):
    def element(name, text):
        return f"<{name.upper()}>{text.replace('&', '&amp;').replace('<', '&lt;')}{between}</{name}>"

    text = between.join(
        f"<DOC><DOCNO>{number}</DOCNO>{between}" + between.join(element(*item) for item in fields.items()) + "</DOC>"
        for number, fields in enumerate(collection)
    )
    found = [(identifier, fields) for _, identifier, fields in documents(text)]
    assert found == [(str(number), fields) for number, fields in enumerate(collection)]


def test_many_open_tags_cost_no_more_than_few():
    content = "<p>x" * 200_000 + "<q>y</q>" * 100_000  # quadratic work would not end
    ((_, _, fields),) = documents(f"<DOC><DOCNO>1</DOCNO>{content}</DOC>")
    assert (len(fields["text"].split()), len(fields["q"].split())) == (200_000, 100_000)
