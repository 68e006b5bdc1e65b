import warnings

import pytest

from rankmax.datasets.numpydoc import parse_docstring
from rankmax.datasets.public_functions import public_objects

NOTES = "Notes\n-----\nn"
EXAMPLES = "Examples\n--------\nOf use:\n\n>>> f(\n... 1)\n\n... and so on\n>>> f(2)"
EXAMPLES_PRINTING = "Examples\n--------\nOf use:\n\n>>> f(\n... 1)\n17\n18\n\n... and so on\n>>> f(2)\n19"


def see_also(*lines):
    section = "\n    ".join(["Sum up.", "", "See Also", "--------", *lines, "", "Notes", "-----", "other : No entry."])
    return parse_docstring(section, "f").see_also


@pytest.mark.parametrize(
    ("lines", "names"),
    [
        (["g"], ("g",)),
        (["g : Does it.", "h: Too."], ("g", "h")),
        (["g, h, m.k : All of them."], ("g", "h", "m.k")),
        (["g,", "h"], ("g", "h")),
        (["g, h,", "    k"], ("g", "h", "k")),
        (["g :", "    word", "h"], ("g", "h")),
        (["", ":func:`g`", "    Does it.", ":meth:`~m.C.h` : Too."], ("g", "m.C.h")),
        (["`g`, `h`."], ("g", "h")),
        (["* g : Does it.", "- h"], ("g", "h")),
        (["g : Does it.", "g"], ("g",)),
        (["The documentation of g, in prose."], ()),
        ([], ()),
    ],
)
def test_names_under_see_also(lines, names):
    assert see_also(*lines) == names


@pytest.mark.parametrize(
    ("text", "signature", "summary", "body"),
    [
        ("", "", "", ""),
        ("Sum up.", "", "Sum up.", ""),
        ("Sum up\nin two lines.\n\nMore.", "", "Sum up in two lines.", "More."),
        ("Sum up. It adds.\n\nMore.", "", "Sum up.", "It adds.\n\nMore."),
        ("Sum up, e.g. two numbers.", "", "Sum up, e.g. two numbers.", ""),
        ("f(x)\n\nf(x, y)\n\nSum up.", "f(x) f(x, y)", "Sum up.", ""),
        ("f(x,\n  y)\n\nSum up.", "f(x, y)", "Sum up.", ""),
        ("Notes\n-----\nNothing else.", "", "", "Notes\n-----\nNothing else."),
        ("Sum up.\n\nSee Also\n--------\ng : Secret.", "", "Sum up.", ""),
        (
            "Sum up.\n\n    See also:\n    =========\n    g : Secret.\n\n    Notes\n    -----\n    n",
            "",
            "Sum up.",
            NOTES,
        ),
        ("y = np.f(x)\n\nSum up.\n\n" + EXAMPLES_PRINTING, "y = np.f(x)", "Sum up.", EXAMPLES),
    ],
)
def test_parts(text, signature, summary, body):
    parsed = parse_docstring(text, "f")
    assert (parsed.signature, parsed.summary, parsed.body) == (signature, summary, body)


def test_agrees_with_numpydocs_own_parser():
    oracle = pytest.importorskip("scipy._lib._docscrape", reason="this scipy has no copy of numpydoc's parser")
    n_compared = 0
    for item in public_objects():
        parsed = parse_docstring(item.docstring, item.names[0].rpartition(".")[2])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                theirs = oracle.NumpyDocString(item.docstring)
            except (ValueError, oracle.ParseError):
                continue
        names = {name.strip("`~") for entry, _ in theirs["See Also"] for name, _ in entry}
        assert set(parsed.see_also) == {name for name in names if "-" not in name}, item.names  # labels of pages
        if not parsed.signature:  # of which there are forms that the other parser takes for a summary
            assert " ".join(" ".join(theirs["Summary"]).split()).startswith(parsed.summary), item.names
        n_compared += 1
    assert n_compared > 1000
