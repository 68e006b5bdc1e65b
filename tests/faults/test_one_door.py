"""All writing goes through one door: `_io/files.py`, and its neighbors for files that grow and for whole folders."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src" / "rankmax"
DOOR = {"_io/files.py", "_io/temporary_files.py", "_io/appended_files.py", "_io/folders.py"}
EXCEPTIONS = {
    "_kernels/__init__.py": {
        "mkdir",
        "write_text",
    },  # knows nothing of ours; a cache that cannot be written is no error
    "cli/exit_status.py": {"open"},  # standard streams that were closed
    "formats/npz.py": {"open"},  # a member of an archive, whose file comes through the door
}
WRITERS = {"write_text", "write_bytes", "tofile", "save", "savez", "savez_compressed", "savetxt", "savefig", "to_csv"}
WRITERS |= {"to_parquet", "to_json", "mkdir", "makedirs", "touch", "rename", "replace", "symlink_to", "dump"}
MODULES = sorted(str(path.relative_to(SOURCE)) for path in SOURCE.rglob("*.py"))


def writing_calls(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Yield what in a module may write to a path: its name and its line."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        attribute = node.func.attr if isinstance(node.func, ast.Attribute) else None
        name = node.func.id if isinstance(node.func, ast.Name) else attribute
        owner = ast.unparse(node.func.value) if isinstance(node.func, ast.Attribute) else ""
        if name == "open":
            given = [*node.args[0 if attribute else 1 :], *(k.value for k in node.keywords if k.arg == "mode")]
            constants = [str(c.value) for argument in given for c in ast.walk(argument) if isinstance(c, ast.Constant)]
            if any(re.fullmatch(r"[rbt]*[wax+][rwabxt+]*", constant) for constant in constants):
                yield name, node.lineno
        elif attribute in WRITERS and _takes_a_path(attribute, owner, node):
            yield attribute, node.lineno


def _takes_a_path(method: str, owner: str, call: ast.Call) -> bool:
    if method in {"replace", "rename"}:
        return owner in {"os", "shutil"} or (method == "rename" and not owner.endswith(("frame", "table")))
    if method in {"to_json", "dump"}:
        return bool(call.args)
    if method in {"savefig", "save"}:  # into a file of the door
        return bool(call.args) and ast.unparse(call.args[0]) != "file" and owner.startswith(("np", "figure", "plt"))
    return True


@pytest.mark.parametrize("module", MODULES)
def test_nothing_is_written_past_the_door(module: str) -> None:
    if module in DOOR:
        return
    tree = ast.parse((SOURCE / module).read_text(encoding="utf-8"))
    found = [(name, line) for name, line in writing_calls(tree) if name not in EXCEPTIONS.get(module, ())]
    assert found == [], f"{module}: write through rankmax._io.files"


@pytest.mark.parametrize(
    ("source", "caught"),
    [
        ('open(path, "w")', 1),
        ('open(path, mode="xb", buffering=0)', 1),
        ('open(path, "wb" if direct else "xb")', 1),
        ('path.open("a")', 1),
        ("path.write_text(text)", 1),
        ("np.save(path, array)", 1),
        ("np.savez(path, a=array)", 1),
        ("array.tofile(path)", 1),
        ("figure.savefig(path)", 1),
        ("os.replace(a, b)", 1),
        ("folder.mkdir(parents=True)", 1),
        ("json.dump(value, file)", 1),
        ("figure.savefig(file, dpi=160)", 0),
        ('open(path, "rb")', 0),
        ("open(path)", 0),
        ('text.replace("a", "b")', 0),
        ("model.to_json()", 0),
        ("model.save(path)", 0),
    ],
)
def test_the_test_itself(source: str, caught: int) -> None:
    assert len(list(writing_calls(ast.parse(source)))) == caught
