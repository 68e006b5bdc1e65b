"""JavaScript modules as one script, for pages that are a single file and load nothing."""

from __future__ import annotations

import re
from pathlib import Path

CHARTS = Path(__file__).parent / "charts"
"""The folder of the chart modules, which the studio serves and pages contain."""

TUNING_SCRIPTS = Path(__file__).parent / "tuning"
"""The folder of the modules that draw a tuning, which the studio serves and reports contain."""

_TYPES = re.compile(r"^[ \t]*/\*\*.*?\*/\n|/\*\*.*?\*/ ?", re.MULTILINE | re.DOTALL)
_IMPORT = re.compile(r'^import \{([^}]*)\} from "([^"]+)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (const|function|class) (\w+)", re.MULTILINE)
_OTHER = re.compile(r"^(?:import|export)\b.*", re.MULTILINE)


def inline_script(entry: Path) -> bytes:
    r"""Return a module with all that it imports as one classic script, in UTF-8.

    Every module becomes a function that returns what the module exports, so names of two modules never collide.
    Comments with types (``/** ... */``) are left out.

    Parameters
    ----------
    entry : Path
        The module to start from. Modules may only say ``import { a, b as c } from "./path.js"``, and export where they
        declare.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "numbers.js").write_text("export const one = 1;\n")
    ...     _ = Path(folder, "page.js").write_text('import { one as first } from "./numbers.js";\nalert(first);\n')
    ...     print(inline_script(Path(folder, "page.js")).decode())
    "use strict";
    const numbers_0 = (() => {
    const one = 1;
    return { one };
    })();
    (() => {
    const { one: first } = numbers_0;
    alert(first);
    return {};
    })();
    """
    names: dict[Path, str] = {}
    parts: list[str] = []

    def place(module: Path) -> str:
        """Put a module behind those that it imports, once, and return the name of what it exports."""
        if module not in names:
            text = _IMPORT.sub(
                lambda found: _taken(found[1], place((module.parent / found[2]).resolve())), _text(module)
            )
            exported = ", ".join(name for _, name in _EXPORT.findall(text))
            text = _EXPORT.sub(r"\1 \2", text)
            if other := _OTHER.search(text):
                raise ValueError(f"{module.name}: cannot be put into a page: {other[0]}")
            names[module] = re.sub(r"\W", "_", f"{module.stem}_{len(names)}")
            held = "" if module == start else f"const {names[module]} = "
            parts.append(f"{held}(() => {{\n{text}return {{ {exported} }};\n}})();\n".replace("{  }", "{}"))
        return names[module]

    start = entry.resolve()
    place(start)
    script = '"use strict";\n' + "".join(parts)
    if re.search(r"</script|<!--", script, re.IGNORECASE):
        raise ValueError(f"{entry.name}: a script inside a page cannot contain </script or <!--")
    return script.encode()


def _text(module: Path) -> str:
    return _TYPES.sub("", module.read_text(encoding="utf-8"))


def _taken(imported: str, source: str) -> str:
    """Return the statement that takes some names from what a module exports."""
    named = ", ".join(name.strip().replace(" as ", ": ") for name in imported.split(",") if name.strip())
    return f"const {{ {named} }} = {source};\n"
