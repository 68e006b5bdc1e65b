"""`rankmax.push`: a fusion put into a search engine, and taken back."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

from rankmax._result_views import Block, Facts, ResultView
from rankmax.api.inputs import as_model
from rankmax.workflows.deployment.project_file import NAME, ProjectFile


@dataclass(frozen=True, repr=False)
class Push(ResultView):
    """A fusion that was put into an engine, or would be; it shows itself as what is sent.

    Attributes
    ----------
    name : str
        Name in the engine.
    text : str
        What is sent, without credentials.
    replaces : bool
        Whether the engine had a fusion of this name.
    sent : bool
    """

    name: str
    text: str
    replaces: bool
    sent: bool

    @property
    def blocks(self) -> list[Block]:
        """Whether it was sent and what it replaces, and the text."""
        facts = {
            "name": self.name,
            "sent": "yes" if self.sent else "no: dry_run=False sends it",
            "replaces": "the one of this name in the engine" if self.replaces else "nothing",
        }
        return [Facts(facts), self.text]


def push(
    project: str | os.PathLike[str] = NAME, model: Any = None, *, dry_run: bool = True, remove: bool = False
) -> Push:
    """Put a fusion into a project's search engine, or take it back.

    Parameters
    ----------
    project : path, default "rankmax.toml"
        Project file.
    model : model, fitted learner, or path, optional
        The fusion; by default the model file that the project names.
    dry_run : bool, default True
        Whether to return what would be sent, and send nothing.
    remove : bool, default False
        Whether to take the fusion of the project's name back instead.

    Returns
    -------
    Push

    Examples
    --------
    >>> push("no-such.toml")
    Traceback (most recent call last):
    rankmax.errors.DataFormatError: no-such.toml: no such file; rankmax init ENGINE writes one
    """
    opened = ProjectFile(project)
    engine = opened.connect()
    if remove:
        name = opened.name
        there = engine.stored(name) is not None
        if there and not dry_run:
            engine.remove(name)
        return Push(name, f"remove {name!r} from {opened.connection.address}", there, there and not dry_run)
    fusion = opened.fusion(None if model is None else as_model(model))
    text = engine.described(fusion)
    replaces = engine.stored(fusion.name) is not None
    if not dry_run:
        engine.put(fusion)
    return Push(fusion.name, text, replaces, not dry_run)
