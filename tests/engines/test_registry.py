from __future__ import annotations

import ast
import json
import re
from contextlib import suppress

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from oracles.engines import requests_in
from rankmax.engines.export_target import Destination, Export
from rankmax.engines.query_templates import SystemTemplate
from rankmax.engines.registry import TARGETS, export_model
from rankmax.errors import IncompatibleError, UnknownNameError
from rankmax.models import LinearModel
from rankmax.models.varying_model import VaryingModel
from rankmax.preprocessing.feature_normalization import Normalization, Unchanged
from rankmax.preprocessing.registry import NORMALIZATIONS


@pytest.mark.parametrize("name", TARGETS)
def test_a_target_has_the_name_of_its_entry(name: str) -> None:
    assert TARGETS.load(name).name == name


def test_an_unknown_target_is_named_with_those_known() -> None:
    with pytest.raises(UnknownNameError, match="unknown target 'sorl'; did you mean 'solr'"):
        export_model(LinearModel([1.0], ("bm25",)), "sorl")


@pytest.mark.parametrize("target", [name for name in TARGETS if TARGETS.load(name).write_varying is None])
def test_weights_that_depend_on_the_query_are_refused_with_the_remedy(target: str) -> None:
    model = VaryingModel("kind", None, ("what",), [[1.0]], [2.0], ("bm25",))
    with pytest.raises(IncompatibleError, match=r"depend on 'kind': .*--at VALUE.*python or sql"):
        export_model(model, target)


TWO_KINDS = {"a": SystemTemplate(kind="lexical"), "plain": SystemTemplate(kind="lexical")}  # the other one is dense


def plainly_written(target: str, names: tuple[str, str] = ("plain", "tame")) -> tuple[Normalization, Export]:
    """Return the first normalization that a target expresses, and a model of two features with it, written."""
    destination = Destination(templates={**TWO_KINDS, names[1]: SystemTemplate(kind="dense")})
    for normalization in (Unchanged(), *(kind() for kind in NORMALIZATIONS.load_all().values())):
        with suppress(IncompatibleError):
            return normalization, export_model(LinearModel([1.0, 2.0], names, normalization), target, destination)
    raise AssertionError(f"{target} writes no model of two features")


def code_lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if not line.startswith(("#", "//", "--"))]


def written_or_refused(model: LinearModel, target: str, destination: Destination) -> Export | IncompatibleError:
    try:
        return export_model(model, target, destination)
    except IncompatibleError as refusal:
        return refusal


@pytest.mark.parametrize("target", TARGETS)
def test_names_of_features_stay_in_their_place(target: str) -> None:
    # A line break in a name must not end a comment.
    model = LinearModel([1.0, 1.0], ("a", "b\nEVIL"), plainly_written(target)[0], metric="AP\nEVIL")
    destination = Destination(templates={**TWO_KINDS, "b\nEVIL": SystemTemplate(kind="dense")})
    written = written_or_refused(model, target, destination)
    if isinstance(written, IncompatibleError):
        assert repr("b\nEVIL") in str(written)
    else:
        assert [line for line in written.text.splitlines() if line == "EVIL"] == []


HOSTILE = st.one_of(
    st.sampled_from(
        ["a\rDELETE /x", "a\n}\nPOST /x", "a\u2028b", "a\x0bb", '"}}', "*/", "//", "-- ", "{!ltr}", "\x00", "é"]
    ),
    st.text(st.characters(codec="utf-8"), min_size=1, max_size=10),
)
SQL_HYBRIDS = ("postgresql-hybrid", "duckdb-hybrid", "sqlite-hybrid")
OF_TWO = ("weaviate", "lancedb")  # a search for words and one for vectors
PYTHON_CODE = ("milvus", "weaviate", "lancedb", "langchain", "llama-index", "haystack", "client-python")
ENGINES = [name for name in TARGETS if TARGETS.load(name).write_varying is None]


@pytest.mark.parametrize("target", ENGINES)
def test_hostile_names_stay_data(target: str) -> None:
    normalization, plain = plainly_written(target)

    @settings(max_examples=30)
    @given(HOSTILE, HOSTILE, HOSTILE)
    def check(feature: str, name: str, metric: str) -> None:
        model = LinearModel([1.0, 2.0], ("plain", feature + "!"), normalization, metric=metric)
        templates = {**TWO_KINDS, feature + "!": SystemTemplate(kind="dense")} if target in OF_TWO else {}
        destination = Destination("tuned" if target == "vespa" else name, name, templates=templates)
        if target in SQL_HYBRIDS and {"\\", "\0"} & {*feature}:
            with pytest.raises(IncompatibleError, match="databases read the column name"):
                export_model(model, target, destination)
            return
        written = written_or_refused(model, target, destination)
        if isinstance(written, IncompatibleError):  # the engine's names are identifiers, for instance
            assert repr(feature + "!") in str(written)
            return
        lines = written.text.encode().decode().split("\n")
        if target == "vespa":
            code = [line.strip() for line in lines if not line.strip().startswith("#")]
            heads = (
                "schema document fieldset rank-profile field function first-phase indexing: index: fields: expression"
            )
            known = "|".join(map(re.escape, [*heads.split(), "}"]))
            assert all(re.match(known, line) for line in filter(None, code)), code
        elif target == "solr":
            assert (
                json.loads("\n".join(line for line in lines if not line.startswith("//"))) == written.requests[0].body
            )
        elif target in SQL_HYBRIDS:
            assert f'AS "{(feature + "!").replace(chr(34), 2 * chr(34))}"' in written.text
        elif target in PYTHON_CODE:
            names = ast.literal_eval(next(line for line in lines if line.startswith("SYSTEMS = "))[10:])
            assert names == ["plain", feature + "!"]
            compile(written.text, target, "exec")
        elif target == "client-javascript":
            line = next(line for line in lines if line.startswith("export const SYSTEMS = "))
            assert json.loads(line[23:-1]) == ["plain", feature + "!"]
        elif not requests_in(plain.text):
            assert len(code_lines(written.text)) == len(code_lines(plain.text))
        else:
            found = requests_in(written.text)
            assert [body for _, _, body in found[: len(written.requests)]] == [r.body for r in written.requests]
            starts = [line for line in lines if not line.startswith(("#", " ", "{", "}")) and line]
            assert len(starts) == len(found)

    check()
