from __future__ import annotations

from pathlib import Path

import pytest

from rankmax._io.figures import figure_file

pytest.importorskip("matplotlib")


def test_nothing_is_written_when_drawing_fails(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), figure_file(tmp_path / "plot.svg", "drawing"):
        _ = 1 / 0
    assert not list(tmp_path.iterdir())


def test_size_is_in_inches(tmp_path: Path) -> None:
    with figure_file(tmp_path / "plot.svg", "drawing", size=(2, 1)):
        pass
    assert 'width="144pt" height="72pt"' in (tmp_path / "plot.svg").read_text()
