"""Documents of a text collection, and the formats they are read from."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Document:
    """One document: an identifier, and text by field.

    Parameters
    ----------
    id : str
    fields : dict of str to str

    Examples
    --------
    >>> Document("d1", {"title": "Flutter", "text": "of swept wings"}).fields["title"]
    'Flutter'
    """

    id: str
    fields: dict[str, str] = field(default_factory=dict)
