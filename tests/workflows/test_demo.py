from __future__ import annotations

from pathlib import Path

from rankmax.workflows.demo import run_demo


def test_learned_weights_come_close_to_the_planted_ones(tmp_path: Path) -> None:
    result = run_demo(tmp_path, seed=1)
    means = {row.system: row.mean for row in result.comparison.rows}
    for learned in ("least-squares", "rankmax"):
        assert result.comparison.baseline_mean < means[learned]
        assert abs(means["planted-weights"] - means[learned]) < 0.03


def test_same_seed_same_files(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        run_demo(tmp_path / name, seed=3)
    files = sorted(path.name for path in (tmp_path / "a").iterdir())
    assert "model.json" in files
    for name in files:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
