"""Files elsewhere, by fsspec."""

from __future__ import annotations

from pathlib import Path

import fsspec
import pytest

from rankmax._io.remote import local_copy
from rankmax.errors import DataFormatError


def test_local_files_are_themselves_and_others_are_copied_under_their_names() -> None:
    assert local_copy("a/b.npz") == "a/b.npz"
    with fsspec.open("memory://folder/notes.txt", "wb") as file:
        file.write(b"here")
    copy = Path(local_copy("memory://folder/notes.txt"))
    assert (copy.name, copy.read_bytes()) == ("notes.txt", b"here")


@pytest.mark.parametrize(
    ("url", "message"),
    [("memory://nowhere/a.npz", "no such file"), ("unheard-of://a.npz", "cannot read: Protocol not known")],
)
def test_what_cannot_be_read_is_named(url: str, message: str) -> None:
    with pytest.raises(DataFormatError, match=f"^{url}: {message}"):
        local_copy(url)
