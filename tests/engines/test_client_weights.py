"""The client's function in JavaScript, run by node, against the model's own weights."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.query_weights import HOSTILE, QUERIES, Scores, expected, hostile_model, lists, model_of
from rankmax.engines.registry import export_model


def test_javascript_has_the_weights_of_the_model(tmp_path: Path) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed, which runs the exported JavaScript")
    cases: list[tuple[int, Scores, dict[str, str]]] = []

    @settings(max_examples=40, database=None, derandomize=True)
    @given(lists(), QUERIES, st.integers(0, 3))
    def collect(found: Scores, query: dict[str, str], seed: int) -> None:
        cases.append((seed, found, query))

    collect()
    for seed in range(4):
        (tmp_path / f"m{seed}.mjs").write_text(export_model(model_of(seed), "client-javascript").text)
    told = [[seed, [[name, list(own.items())] for name, own in found.items()], query] for seed, found, query in cases]
    (tmp_path / "cases.json").write_text(json.dumps(told))
    (tmp_path / "run.mjs").write_text(
        'import { readFileSync } from "node:fs";\n'
        + "".join(f'import * as m{seed} from "./m{seed}.mjs";\n' for seed in range(4))
        + "const models = [m0, m1, m2, m3];\n"
        'const cases = JSON.parse(readFileSync(new URL("cases.json", import.meta.url), "utf8"));\n'
        "const found = cases.map(([seed, lists, query], i) =>\n"
        "  models[seed].weights(i % 2 ? new Map(lists) : Object.fromEntries(lists), query));\n"
        "console.log(JSON.stringify(found));\n"
    )
    done = subprocess.run([node, tmp_path / "run.mjs"], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    weights = [expected(model_of(seed), found, query)[0] for seed, found, query in cases]
    np.testing.assert_allclose(json.loads(done.stdout), weights, rtol=1e-9, atol=1e-9)


def test_hostile_names_do_nothing_in_javascript(tmp_path: Path) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed, which runs the exported JavaScript")
    names: list[str] = []

    @settings(max_examples=40, database=None, derandomize=True)
    @given(HOSTILE)
    def collect(name: str) -> None:
        names.append(name)

    collect()
    for i, name in enumerate(names):
        (tmp_path / f"m{i}.mjs").write_text(export_model(hostile_model(name, name), "client-javascript").text)
    (tmp_path / "names.json").write_text(json.dumps(names))
    (tmp_path / "run.mjs").write_text(
        'import { readFileSync } from "node:fs";\n'
        'const names = JSON.parse(readFileSync(new URL("names.json", import.meta.url), "utf8"));\n'
        "const found = [];\n"
        "for (const [i, name] of names.entries()) {\n"
        "  const { weights } = await import(`./m${i}.mjs`);\n"
        '  const lists = new Map([[name, [["a", 3], ["b", 1]]]]);\n'
        "  found.push(weights(lists, new Map([[name, 5]]))[0]);\n"
        "}\n"
        "console.log(JSON.stringify(found));\n"
    )
    done = subprocess.run([node, tmp_path / "run.mjs"], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [2.0] * len(names)
