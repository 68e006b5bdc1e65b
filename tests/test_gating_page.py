"""The page "Gate a search engine in CI" runs as it stands, statuses and reports included."""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs/how-to/gating.md").read_text(encoding="utf-8")
_BLOCK = re.compile(
    r"^```(?P<kind>console|python|\{code-block\} toml)\n(?::caption: (?P<file>\S+)\n\n)?(?P<text>.*?)^```", re.M | re.S
)
_SAME = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def test_every_block_runs_as_it_stands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bin").mkdir()
    command = tmp_path / "bin" / "rankmax"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m rankmax "$@"\n')
    command.chmod(0o755)
    kept = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    path = os.pathsep.join([str(command.parent), os.environ["PATH"]])
    environment = {**kept, "PATH": path, "PYTHONPATH": str(ROOT / "src"), "PYTHONIOENCODING": "utf-8"}
    statuses = []
    for block in _BLOCK.finditer(PAGE):
        if block["file"]:
            Path(block["file"]).write_text(block["text"], encoding="utf-8")
        elif block["kind"] == "python":
            examples = doctest.DocTestParser().get_doctest(block["text"], {}, "gating", "gating.md", 0)
            problems: list[str] = []
            doctest.DocTestRunner(optionflags=_SAME).run(examples, out=problems.append)
            assert not problems, "".join(problems)
        else:
            for part in re.split(r"^\$ ", block["text"], flags=re.M)[1:]:
                typed, _, shown = part.partition("\n")
                if typed == "echo $?":
                    found = f"{statuses[-1]}\n"
                else:
                    done = subprocess.run(["bash", "-c", typed], env=environment, capture_output=True, encoding="utf-8")
                    assert "Traceback" not in done.stderr
                    statuses.append(done.returncode)
                    found = done.stdout + (done.stderr if done.returncode == 2 else "")
                assert doctest.OutputChecker().check_output(shown, found, _SAME), f"$ {typed}\n{found}"
    assert {0, 1, 2} <= set(statuses)


def test_what_it_shows_of_ci_is_yaml_and_names_what_the_action_takes() -> None:
    workflow, hooks = (yaml.safe_load(text) for text in re.findall(r"^```yaml\n(.*?)^```", PAGE, re.M | re.S))
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    used = workflow["jobs"]["check"]["steps"][-1]["with"]
    assert set(used) <= set(action["inputs"])
    known = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    assert hooks["repos"][0]["hooks"][0]["id"] == known[0]["id"]
