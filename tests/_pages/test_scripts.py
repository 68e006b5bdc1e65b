from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from rankmax._pages.scripts import CHARTS, inline_script

NODE = pytest.mark.skipif(shutil.which("node") is None, reason="node runs the scripts")
MINUS = "\N{MINUS SIGN}"
MODULES = {
    "base": """\
let n = 0;
export const next = () => ++n;
export class Box {
  name = "box";
}
""",
    "left": """\
import { next } from "./base.js";
const same = 1;
export function left() {
  return next() + same;
}
""",
    "right": """\
import {
  Box,
  next as more,
} from "./base.js";
const same = 10;
export const right = more() + same;
export const box = new Box();
""",
    "page": """\
import { left } from "./left.js";
import { box, right } from "./right.js";
import { next } from "./base.js";
console.log(left(), right, box.name, next());
""",
}


def written(folder: Path, **modules: str) -> Path:
    for name, text in modules.items():
        (folder / f"{name}.js").write_text(text)
    return folder / "page.js"


def run(path: Path) -> str:
    return subprocess.run(["node", path], capture_output=True, text=True, check=True).stdout


@NODE
def test_it_does_what_the_modules_do(tmp_path: Path) -> None:
    """Node itself loads the modules, too: both ways print the same."""
    entry = written(tmp_path, **MODULES)
    (tmp_path / "package.json").write_text('{"type": "module"}')
    (tmp_path / "alone").mkdir()
    script = tmp_path / "alone" / "script.cjs"
    script.write_bytes(inline_script(entry))
    assert run(script) == run(entry) == "3 11 box 3\n"


def test_types_stay_behind(tmp_path: Path) -> None:
    entry = written(
        tmp_path, page="/**\n * @param {{ a: 1 }} b\n */\nconst f = b => /** @type {any} */ (b);\n// why\nf(1);\n"
    )
    script = inline_script(entry).decode()
    assert "const f = b => (b);\n// why\nf(1);\n" in script
    assert "@" not in script


@pytest.mark.parametrize(
    "text",
    ['import * as all from "./x.js";\n', 'export { a } from "./x.js";\n', "export default 1;\n", 'import "./x.js";\n'],
)
def test_what_it_cannot_take_is_refused(tmp_path: Path, text: str) -> None:
    entry = written(tmp_path, page=text)
    with pytest.raises(ValueError, match=re.escape(text.strip())):
        inline_script(entry)


@pytest.mark.parametrize("text", ["</script>", "</SCRIPT >", "<!--"])
def test_no_text_can_end_the_script_element(tmp_path: Path, text: str) -> None:
    with pytest.raises(ValueError, match="cannot contain"):
        inline_script(written(tmp_path, page=f'const a = "{text}";\n'))


@NODE
@pytest.mark.parametrize(
    ("low", "high", "about", "expected"),
    [
        (0, 1, 4, ["0.0", "0.5", "1.0"]),
        (0.31, 0.352, 4, ["0.32", "0.34"]),
        (-3, 3, 6, [f"{MINUS}3", f"{MINUS}2", f"{MINUS}1", "0", "1", "2", "3"]),
        (0, 322, 4, ["0", "100", "200", "300"]),
        (0, 4e-9, 4, ["0", "1e-9", "2e-9", "3e-9", "4e-9"]),
        (2, 2, 4, ["2"]),
    ],
)
def test_ticks_are_round_numbers(tmp_path: Path, low: float, high: float, about: int, expected: list[str]) -> None:
    question = f"console.log(JSON.stringify(ticks({low}, {high}, {about}).map(tick => tick[1])));"
    entry = written(tmp_path, page=f'import {{ ticks }} from "{CHARTS}/axes.js";\n{question}\n')
    script = tmp_path / "script.cjs"
    script.write_bytes(inline_script(entry))
    assert json.loads(run(script)) == expected
