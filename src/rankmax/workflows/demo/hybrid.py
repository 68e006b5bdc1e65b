"""Runs of several retrieval functions, written by the demonstration for tuning a hybrid search."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from rankmax._io.files import make_folder
from rankmax.data.runs import Qrels, Run
from rankmax.formats.trec import write_qrels, write_run

SYSTEMS = ("bm25", "windows", "names")
"""Names of the runs: tuned BM25, windows of words that stand together, and BM25 over the names of functions only."""
FOLDER = "hybrid"
NEW = "new"
"""Subfolder of :data:`FOLDER` with the same files for new queries, to check the tuned weights."""
N_QUERIES = 100
"""Number of queries of distinct texts to tune on: about as many as a person would judge by hand."""


def write_hybrid(folder: Path, runs: Mapping[str, Run], qrels: Qrels, parts: tuple[Mapping[str, str], ...]) -> None:
    r"""Write runs and judgments of tuning queries, and of new queries under the same names.

    Parameters
    ----------
    folder : Path
        Folder of the demonstration.
    runs : mapping of str to Run
        Runs by name of the system.
    qrels : Qrels
        Judgments; may have more queries.
    parts : pair of mappings of str to str
        Tuning topics and new topics.

    Examples
    --------
    >>> import tempfile
    >>> runs = {"bm25": Run.from_dict({"q1": {"d1": 2.0}, "q2": {"d2": 1.0}})}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     judged = Qrels.from_dict({"q1": {"d1": 1}, "q2": {"d1": 1}})
    ...     write_hybrid(Path(folder), runs, judged, ({"q1": "wing"}, {"q2": "flow"}))
    ...     (Path(folder) / "hybrid" / "bm25.run").read_text(), (Path(folder) / "hybrid/new/qrels.txt").read_text()
    ('q1 Q0 d1 1 2.0 bm25\n', 'q2 0 d1 1\n')
    """
    grades = qrels.to_dict()
    for place, topics in zip((folder / FOLDER, folder / FOLDER / NEW), parts, strict=True):
        make_folder(place, parents=True)
        write_qrels(Qrels.from_dict({query: grades[query] for query in topics if query in grades}), place / "qrels.txt")
        for name, run in runs.items():
            found = {query: scores for query, scores in run.to_dict().items() if query in topics}
            write_run(Run.from_dict(found, tag=name), place / f"{name}.run")


def hybrid_commands(folder: Path, metric: str) -> list[str]:
    """Return the commands that tune on the runs, fuse the runs of the new queries, and compare.

    Parameters
    ----------
    folder : Path
        Folder of the demonstration.
    metric : str

    Examples
    --------
    >>> print(hybrid_commands(Path("demo-output"), "nDCG@10")[2])
    rankmax compare demo-output/hybrid/new/qrels.txt demo-output/hybrid/new/bm25.run demo-output/hybrid/new/fused.run
    -m nDCG@10
    """
    here, new = f"{folder}/{FOLDER}", f"{folder}/{FOLDER}/{NEW}"
    ours, others = (" ".join(f"{place}/{name}.run" for name in SYSTEMS) for place in (here, new))
    return [
        f"rankmax tune --qrels {here}/qrels.txt {ours} -m {metric} -o {here}/model.json",
        f"rankmax rank {here}/model.json {others} -o {new}/fused.run",
        f"rankmax compare {new}/qrels.txt {new}/bm25.run {new}/fused.run -m {metric}",
    ]
