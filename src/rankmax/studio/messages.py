"""What the page asks for, as it arrives: JSON of exactly these shapes, or an error that says what is wrong."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

_Count = Annotated[int, msgspec.Meta(ge=1, le=1000)]
_Pattern = Annotated[str, msgspec.Meta(max_length=200)]  # matching takes time by the square of a pattern's brackets
_Patterns = Annotated[tuple[_Pattern, ...], msgspec.Meta(max_length=1000)]


class Setting(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A way to rank: weights by feature name, or the model of a file.

    Attributes
    ----------
    weights : dict of str to float
        Features that are not named have none.
    normalise : str
        Of the features within queries, where there are weights.
    model : str or None
        Name of a file; then the other two are ignored.
    """

    weights: dict[str, float] = {}
    normalise: str = "none"
    model: str | None = None


class View(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """What a question is about.

    Attributes
    ----------
    data : str
        Name of a file.
    queries : tuple of str
        Patterns of query ids, at most 1,000 of 200 characters; all queries when empty.
    metric : str
    """

    data: str
    queries: _Patterns = ()
    metric: str = "nDCG@10"


class Read(View, frozen=True, kw_only=True):
    """How well the current setting ranks, beside the reference."""

    current: Setting
    reference: Setting


class Follow(View, frozen=True, kw_only=True):
    """How the metric depends on one weight."""

    current: Setting
    feature: str


class Survey(View, frozen=True, kw_only=True):
    """How the metric depends on the weights of two or three features, the others held."""

    current: Setting
    features: Annotated[tuple[str, ...], msgspec.Meta(min_length=2, max_length=3)]


class ListQueries(Read, frozen=True, kw_only=True):
    """Which queries gain or lose, and whether there is one that the page shows already."""

    order: Literal["gain", "loss", "data"] = "gain"
    search: str = ""
    query: str = ""
    limit: _Count = 100


class Compare(Read, frozen=True, kw_only=True):
    """How two rankings of one query differ."""

    query: str
    depth: _Count = 15


class Train(View, frozen=True, kw_only=True):
    """What to learn.

    Attributes
    ----------
    validation : str or None
        Name of a data file whose queries choose.
    learner, normalise : str
    options : dict
        Of the learner's own, by their names.
    """

    validation: str | None = None
    learner: str
    normalise: str = "none"
    options: dict[str, bool | int | float | str] = {}


class KeepRun(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """Write the model of a run to a file of the project."""

    run: int
    name: str


class SaveWeights(View, frozen=True, kw_only=True):
    """Write the weights of the page to a file of the project."""

    current: Setting
    name: str


class Export(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A saved model in the words of a search engine."""

    model: str
    target: str


class Table(View, frozen=True, kw_only=True):
    """How saved models compare with the reference."""

    reference: Setting
    models: Annotated[tuple[str, ...], msgspec.Meta(max_length=30)]
