from __future__ import annotations

from pathlib import Path

import pytest

from rankmax.errors import IncompatibleError
from rankmax.papers.memory import available_memory, require_memory


def test_the_smaller_of_what_is_free_and_what_the_group_may_use(tmp_path: Path) -> None:
    info = tmp_path / "meminfo"
    info.write_text("MemTotal:  100 kB\nMemAvailable:   40 kB\n")
    assert available_memory(info, tmp_path / "none") == 40 * 1024
    (tmp_path / "memory.max").write_text("max\n")
    (tmp_path / "memory.current").write_text("1000\n")
    assert available_memory(info, tmp_path) == 40 * 1024
    (tmp_path / "memory.max").write_text("11000\n")
    assert available_memory(info, tmp_path) == 10_000


def test_what_does_not_fit_is_refused_with_the_number() -> None:
    with pytest.raises(
        IncompatibleError, match=r"needs about 20\.7 GB of memory, and 4\.0 GB are free; use fewer runs"
    ):
        require_memory(20_700_000_000, "combining 53 runs", "use fewer runs", available=4_000_000_000)
    require_memory(1, "nothing", "", available=4)
