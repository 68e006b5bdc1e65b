from __future__ import annotations

from pathlib import Path

from rankmax.papers.letor_folds import LetorCollection


def write(path: Path, query: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"1 qid:{query} 1:0.5\n0 qid:{query} 1:0.25\n")


def test_parts_and_folds_give_the_same_folds(tmp_path: Path) -> None:
    for part in range(1, 6):
        write(tmp_path / "parts" / f"S{part}.txt", f"{part}")
    assert LetorCollection.fits(tmp_path / "parts")
    folds = list(LetorCollection(tmp_path / "parts").folds())
    assert [fold.test.query_ids for fold in folds] == [("5",), ("1",), ("2",), ("3",), ("4",)]
    for number, fold in enumerate(folds, 1):
        (tmp_path / "folds" / f"Fold{number}").mkdir(parents=True)
        lines = [f"1 qid:{q} 1:0.5\n0 qid:{q} 1:0.25\n" for q in fold.train.query_ids]
        (tmp_path / "folds" / f"Fold{number}" / "train.txt").write_text("".join(lines))
        write(tmp_path / "folds" / f"Fold{number}" / "vali.txt", fold.validation.query_ids[0])
        write(tmp_path / "folds" / f"Fold{number}" / "test.txt", fold.test.query_ids[0])
    again = list(LetorCollection(tmp_path / "folds").folds())
    assert [fold.train.query_ids for fold in again] == [fold.train.query_ids for fold in folds]
    assert [fold.test.query_ids for fold in again] == [fold.test.query_ids for fold in folds]


def test_a_missing_part_does_not_fit(tmp_path: Path) -> None:
    for part in range(1, 5):
        write(tmp_path / f"S{part}.txt", f"{part}")
    assert not LetorCollection.fits(tmp_path)


def test_content_changes_the_fingerprint(tmp_path: Path) -> None:
    for part in range(1, 6):
        write(tmp_path / f"S{part}.txt", f"{part}")
    before = LetorCollection(tmp_path).fingerprint
    write(tmp_path / "S3.txt", "33")
    assert LetorCollection(tmp_path).fingerprint != before
