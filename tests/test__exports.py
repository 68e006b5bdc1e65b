"""Packages offer what their stubs list, and import it only when it is used."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import rankmax
from rankmax._exports import exports
from rankmax._registry import location_of

STUBS = sorted(Path(rankmax.__file__).parent.rglob("__init__.pyi"))


@pytest.mark.parametrize("stub", STUBS, ids=lambda stub: stub.parent.name)
def test_every_line_of_a_stub_is_an_export_that_exists(stub: Path) -> None:
    lines = stub.read_text(encoding="utf-8").splitlines()
    get, names, listed = exports("rankmax", str(stub.with_suffix(".py")))
    assert sorted(line.split()[-1] for line in lines) == listed == names()
    assert len(set(listed)) == len(lines)
    submodules = {path.stem for path in stub.parent.iterdir()}
    for name in listed:
        assert get(name) is not None
        hidden = name in submodules and not callable(import_module(f"rankmax.{name}"))
        assert not hidden, "importing the submodule would hide the name"


def test_an_export_is_what_its_module_has(tmp_path: Path) -> None:
    (tmp_path / "__init__.pyi").write_text(
        "from rankmax._registry import location_of as location_of\n", encoding="utf-8"
    )
    get, _, listed = exports(__name__, str(tmp_path / "__init__.py"))
    assert listed == ["location_of"]
    assert get("location_of") is location_of
    with pytest.raises(AttributeError, match="has no attribute 'registry'"):
        get("registry")


def test_importing_every_public_package_imports_nothing_heavy() -> None:
    packages = [".".join(("rankmax", *stub.parent.relative_to(STUBS[0].parent).parts)) for stub in STUBS]
    program = f"import sys, {', '.join(packages)}; print(*{{'numpy', 'scipy', 'numba'}} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.stdout.strip(), done.stderr) == ("", "")


def test_a_function_does_not_hide_the_subpackage_of_its_name() -> None:
    assert rankmax.__getattr__("studio") is import_module("rankmax.studio.notebook").studio
    assert rankmax.studio.notebook is import_module("rankmax.studio.notebook")
    assert callable(rankmax.studio)
