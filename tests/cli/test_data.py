from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from rankmax.formats.registry import read_dataset


def test_info_names_useless_features(rankmax, tmp_path: Path) -> None:
    (tmp_path / "data.txt").write_text("1 qid:1 1:5 2:1 3:1\n0 qid:1 1:5 2:2 3:2\n2 qid:2 1:5 2:3 3:3\n0 qid:3 1:5\n")
    done = rankmax("data", "info", "data.txt")
    rows = {" ".join(line.split()[:-1]): line.split()[-1] for line in done.out.splitlines() if line.strip()}
    assert rows["queries"] == "3"
    assert rows["without a relevant document"] == "1"
    assert rows["constant"] == "f1"
    assert "f2 = f3" in done.out
    facts = json.loads(rankmax("data", "info", "data.txt", "--json").out)
    assert facts["documents_by_grade"] == {"0": 2, "1": 1, "2": 1}
    assert facts["duplicate_features"] == [["f2", "f3"]]


@pytest.mark.parametrize("target", ["copy.npz", "copy.parquet", "copy.txt.gz"])
def test_convert_there_and_back(rankmax, letor_files: Path, target: str) -> None:
    if target.endswith("parquet"):
        pytest.importorskip("pyarrow")
    assert rankmax("data", "convert", "data.txt", target).status == 0
    assert rankmax("data", "convert", target, "back.txt").status == 0
    original, copy = read_dataset(letor_files / "data.txt"), read_dataset(letor_files / "back.txt")
    np.testing.assert_array_equal(original.features, copy.features)
    np.testing.assert_array_equal(original.grades, copy.grades)
    assert original.query_ids == copy.query_ids


def test_convert_normalizes(rankmax, letor_files: Path) -> None:
    assert rankmax("data", "convert", "data.txt", "scaled.npz", "--normalize", "min-max").status == 0
    first = read_dataset(letor_files / "scaled.npz").features[:3, 0]
    np.testing.assert_array_equal(first, [1.0, 0.5, 0.0])


def test_split_deals_every_query_once(rankmax, letor_files: Path) -> None:
    done = rankmax("data", "split", "data.txt", "a.txt", "b.txt", "--fraction", "0.75", "--fraction", "0.25")
    assert done.status == 0
    parts = [read_dataset(letor_files / name).query_ids for name in ("a.txt", "b.txt")]
    assert [len(part) for part in parts] == [3, 1]
    assert sorted(parts[0] + parts[1]) == ["1", "2", "3", "4"]


def test_split_needs_a_fraction_for_each_target(rankmax, letor_files: Path) -> None:
    done = rankmax("data", "split", "data.txt", "a.txt", "b.txt", "--fraction", "1")
    assert (done.status, "1 fractions for 2 targets" in done.err) == (2, True)


def test_join_makes_a_feature_of_each_run(rankmax, trec_files: Path) -> None:
    done = rankmax("data", "join", "qrels.txt", "good.run", "partial.run", "--missing", "zero", "-o", "fused.npz")
    assert done.status == 0
    data = read_dataset(trec_files / "fused.npz")
    assert data.feature_names == ("good", "partial")
    assert data.query_ids == ("q1", "q2", "q3")
    np.testing.assert_array_equal(data.features[-3:], [[1, 0], [2, 0], [3, 0]])  # by document id, descending


def test_join_does_not_guess_missing_scores(rankmax, trec_files: Path) -> None:
    done = rankmax("data", "join", "qrels.txt", "good.run", "-o", "fused.npz")
    assert (done.status, "--missing" in done.err) == (2, True)


@pytest.mark.parametrize("kind", ["planted", "mslr"])
def test_synthetic_is_seeded(rankmax, tmp_path: Path, kind: str) -> None:
    for name in ("a.npz", "b.npz"):
        done = rankmax("data", "synthetic", name, "--kind", kind, "--queries", 5, "--seed", 3)
        assert done.status == 0
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()


def test_synthetic_runs_are_files_that_other_verbs_take(rankmax, tmp_path: Path) -> None:
    done = rankmax("data", "synthetic", "hybrid", "--kind", "runs", "--queries", 6, "--documents", 20, "--seed", 3)
    assert done.status == 0
    assert sorted(path.name for path in (tmp_path / "hybrid").iterdir()) == [
        *("bm25.run", "dense.run", "qrels.txt", "sparse.run")
    ]
    scored = rankmax("evaluate", "hybrid/qrels.txt", "hybrid/bm25.run", "hybrid/dense.run", "-m", "AP")
    assert scored.status == 0
    assert "dense" in scored.out


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("1 qid:1 0:5\n", "data.txt:1: feature id '0' is not an integer from 1 to 2147483647"),
        (
            "1 qid:1 1:1\n1 qid:1 1000000000000:5\n",
            "data.txt:2: feature id '1000000000000' is not an integer from 1 to 2147483647",
        ),
        ("1 qid:1 1:abc\n", "data.txt:1: value 'abc' is not a number"),
        ("1 1:5\n", "data.txt:1: expected 'qid:ID' after the grade, found '1:5'"),
        ("1 qid:1 1:nan\n", "data.txt:1: value 'nan' is not finite"),
        ("-1 qid:1 1:2\n", "data.txt:1: grade '-1' is negative"),
        ("", "data.txt: no documents; expected lines such as '2 qid:10 1:0.5 2:0.25'"),
        ("1 qid:1 \0001:2\n", "data.txt:1: not a text file: there are NUL bytes"),
    ],
)
def test_bad_letor_files(rankmax, tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "data.txt").write_text(content)
    done = rankmax("data", "info", "data.txt")
    assert done.status == 1
    assert done.err.startswith(f"Error: {message}")


def test_a_failed_conversion_leaves_the_target_as_it_was(rankmax, letor_files: Path) -> None:
    (letor_files / "copy.npz").write_bytes(b"precious")
    (letor_files / "data.txt").write_text("1 qid:1 1:abc\n")
    assert rankmax("data", "convert", "data.txt", "copy.npz").status == 1
    assert (letor_files / "copy.npz").read_bytes() == b"precious"


def test_unknown_suffix(rankmax, letor_files: Path) -> None:
    done = rankmax("data", "convert", "data.txt", "copy.xyz")
    assert (done.status, "copy.xyz: the name tells no format" in done.err) == (1, True)


def test_many_constant_and_equal_features_are_told_in_a_line(rankmax, tmp_path: Path) -> None:
    names = [f"a_rather_long_feature_name_{i}" for i in range(82)]
    lines = [f"q1,{y},{'1,' * 82}{','.join([str(x)] * 40)}\n" for y, x in ((1, 0.5), (0, 0.25))]
    varying = [f"v{i}" for i in range(40)]
    (tmp_path / "log.csv").write_text(f"query,label,{','.join([*names, *varying])}\n{''.join(lines)}")
    done = rankmax("data", "info", "log.csv")
    assert max(map(len, done.out.splitlines())) <= 130
    assert "a_rather_long_feature_name_0, a_rather_long_feature_name_1 and 80 more" in done.out
    assert "82 features (a_rather_long_feature_name_0 = " in done.out


def test_judgments_of_quepid_become_qrels(rankmax, tmp_path: Path) -> None:
    (tmp_path / "case.csv").write_text("query,docid,rating\nstar wars,11,0.7\n")
    done = rankmax("data", "judgments", "case.csv", "qrels.txt", "--new-topics", "topics.tsv", "--multiply", "10")
    assert (done.status, (tmp_path / "qrels.txt").read_text()) == (0, "1 0 11 7\n")
    assert "1 query, 1 judgment" in done.err
    both = ("--topics", "topics.tsv", "--new-topics", "new.tsv")
    assert rankmax("data", "judgments", "case.csv", "qrels.txt", *both).status == 2


def test_a_query_set_becomes_topics(rankmax, tmp_path: Path) -> None:
    (tmp_path / "set.json").write_text('{"querySetQueries": [{"queryText": "star wars"}]}')
    done = rankmax("data", "topics", "set.json", "topics.tsv")
    assert (done.status, (tmp_path / "topics.tsv").read_text()) == (0, "1\tstar wars\n")
    (tmp_path / "set.json").write_text('{"querySetQueries": [{"text": "star wars"}]}')
    assert "queryText is None; expected text" in rankmax("data", "topics", "set.json", "topics.tsv").err


def test_judges_are_compared_and_counted(rankmax, tmp_path: Path) -> None:
    lines = [f"q{q},d{d},{judge},{(q + d) % 3}" for q in range(4) for d in range(3) for judge in ("ann", "bob")]
    (tmp_path / "ratings.csv").write_text("\n".join(["query,doc,judge,grade", *lines, "q0,d9,ann,2", "q0,d9,bob,0"]))
    (tmp_path / "a.run").write_text("".join(f"q{q} Q0 d{d} 1 {9 - d} a\n" for q in range(4) for d in (0, 1, 2, 9)))
    done = rankmax("data", "judges", "ratings.csv")
    assert done.status == 0
    assert "alpha, ordinal" in done.out
    assert "13, 13 with two judges" in done.out
    assert json.loads(rankmax("data", "judges", "ratings.csv", "--json").out)["judges"][0]["n_ratings"] == 13

    def value(*options: str) -> float:
        done = rankmax("evaluate", "ratings.csv", "a.run", "-m", "DCG@10", "--json", *options)
        return json.loads(done.out)[0]["metrics"]["DCG@10"]["mean"]

    assert value("--judges", "expected") == pytest.approx(value("--judges", "mean"))
    assert value() == value("--judges", "median") < value("--judges", "mean")
    (tmp_path / "b.run").write_text("".join(f"q{q} Q0 d{d} 1 {d + 1} b\n" for q in range(4) for d in (0, 1, 2, 9)))
    tuned = rankmax("tune", "a.run", "b.run", "--qrels", "ratings.csv", "--judges", "mean", "--folds", "2", "--json")
    assert tuned.status == 0, tuned.err
    (tmp_path / "plain.csv").write_text("query,doc,grade\nq0,d0,1\n")
    assert "names no judges" in rankmax("data", "judges", "plain.csv").err
