"""Python code that calls an engine's client: the systems and their weights as constants, then a few lines."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from rankmax.engines.export_target import AnyModel
from rankmax.engines.export_text import commented, heading
from rankmax.engines.formulas import number


def client_code(
    model: AnyModel, title: str, remarks: Iterable[str], imports: str, weights: Mapping[str, float], code: str
) -> str:
    """Return a module with the constants SYSTEMS and WEIGHTS, which the code uses.

    Parameters
    ----------
    model : LinearModel or ExpectedGainModel
    title : str
        What the code is.
    remarks : iterable of str
        Paragraphs of comments.
    imports : str
        Lines that import the client.
    weights : mapping from system to weight
    code : str
        A function that a user calls.

    Examples
    --------
    >>> from rankmax.models import LinearModel
    >>> model = LinearModel([2.0], ("bm25",))
    >>> print(client_code(model, "Search", [], "import client", {"bm25": 2.0}, "def search(): ..."))
    # Search, written by rankmax ...
    import client
    <BLANKLINE>
    SYSTEMS = ['bm25']
    WEIGHTS = [2.0]
    <BLANKLINE>
    <BLANKLINE>
    def search(): ...
    <BLANKLINE>
    """
    constants = f"SYSTEMS = {list(weights)!r}\nWEIGHTS = [{', '.join(map(number, weights.values()))}]"
    return f"{commented('#', heading(model, title), *remarks)}\n{imports}\n\n{constants}\n\n\n{code.strip()}\n"


def shares(weights: Mapping[str, float]) -> dict[str, float]:
    """Return nonnegative weights scaled to sum 1.

    Parameters
    ----------
    weights : mapping from system to weight

    Examples
    --------
    >>> shares({"bm25": 1e308, "e5": 1e308})
    {'bm25': 0.5, 'e5': 0.5}
    """
    largest = max(weights.values())  # first, as the sum of huge weights overflows
    total = sum(weight / largest for weight in weights.values())
    return {name: weight / largest / total for name, weight in weights.items()}
