"""Run the notebooks of examples/ and store what their cells show.

    python tools/run_notebooks.py          # writes the outputs into the notebooks

Cells are plain Python, run in order in one namespace: no kernel is needed.
"""

from __future__ import annotations

import ast
import base64
import contextlib
import io
import json
import os
import tempfile
from pathlib import Path
from typing import Any

EXAMPLES = Path(__file__).parent.parent / "examples"


def run_cell(source: str, names: dict[str, Any]) -> list[dict[str, Any]]:
    r"""Run one cell, and return its outputs as a notebook stores them.

    Parameters
    ----------
    source : str
    names : dict
        The notebook's variables; changed.

    Examples
    --------
    >>> [output] = run_cell("x = 2\nx + 1", {})
    >>> output["data"]
    {'text/plain': ['3']}
    """
    body = ast.parse(source).body
    last = body[-1] if body and isinstance(body[-1], ast.Expr) else None
    body = body if last is None else body[:-1]
    printed, shown = io.StringIO(), None
    with contextlib.redirect_stdout(printed):
        exec(compile(ast.Module(body, []), "<cell>", "exec"), names)
        if last is not None:
            shown = eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)
    outputs: list[dict[str, Any]] = []
    if printed.getvalue():
        outputs.append({"name": "stdout", "output_type": "stream", "text": _lines(printed.getvalue())})
    if shown is not None:
        outputs.append({"data": _forms(shown), "metadata": {}, "output_type": "execute_result"})
    return outputs


def run_notebook(notebook: dict[str, Any]) -> list[list[dict[str, Any]]]:
    """Run all cells of a notebook in the current folder, and return the outputs of each code cell.

    Parameters
    ----------
    notebook : dict
        The content of an .ipynb file.
    """
    names: dict[str, Any] = {"__name__": "__main__"}
    return [run_cell("".join(cell["source"]), names) for cell in notebook["cells"] if cell["cell_type"] == "code"]


def _forms(shown: Any) -> dict[str, Any]:
    """Return the forms in which a notebook can show an object."""
    if hasattr(shown, "figure") and hasattr(shown.figure, "savefig"):
        picture = io.BytesIO()
        shown.figure.savefig(picture, format="png", dpi=60, bbox_inches="tight")
        return {"image/png": base64.b64encode(picture.getvalue()).decode()}
    forms = {"text/plain": _lines(repr(shown))}
    if hasattr(shown, "_repr_html_"):
        forms["text/html"] = _lines(shown._repr_html_())
    return forms


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def main() -> None:
    """Run every notebook in a folder of its own, and write its outputs."""
    os.environ["MPLBACKEND"] = "agg"
    for path in sorted(EXAMPLES.glob("*.ipynb")):
        notebook = json.loads(path.read_text(encoding="utf-8"))
        before = Path.cwd()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                found = run_notebook(notebook)
            finally:
                os.chdir(before)
        code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
        for number, (cell, outputs) in enumerate(zip(code, found, strict=True), start=1):
            cell["execution_count"] = number
            cell["outputs"] = [
                {**one, "execution_count": number} if one["output_type"] == "execute_result" else one for one in outputs
            ]
        path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
