"""Every format that rankmax reads: intact inputs to begin with, the reader, and what it may return."""

from __future__ import annotations

import math
import random
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from fuzzing import indexes
from fuzzing.checks import check_dataset, check_numbers, check_qrels, check_run, check_texts, require
from fuzzing.mutation import Mutate, mutate_json, mutate_text, splice
from fuzzing.tables import mutate_npz, mutate_parquet
from rankmax.data.dataset import RankingDataset
from rankmax.data.synthetic import planted_linear
from rankmax.formats.predictions import read_scores
from rankmax.formats.registry import read_dataset, write_dataset
from rankmax.formats.shards import MANIFEST, Shards, write_shards
from rankmax.formats.topic_columns import read_query_column
from rankmax.formats.topics import read_topics
from rankmax.formats.trec import read_qrels, read_run
from rankmax.metrics.registry import parse_metric as parse_metric
from rankmax.models import LinearModel
from rankmax.models.additive_model import AdditiveModel, Product
from rankmax.models.curve import Curve
from rankmax.models.expected_gain_model import ExpectedGainModel
from rankmax.models.model_files import load_any_model
from rankmax.models.tree_ensemble_model import TreeEnsembleModel
from rankmax.models.varying_model import VaryingModel
from rankmax.optimizers.journal_file import JournalFile
from rankmax.papers.store import StoredStudy
from rankmax.retrieval.features.registry import parse_feature as parse_feature
from rankmax.retrieval.index.document_columns import read_columns
from rankmax.retrieval.index.document_files import read_documents
from rankmax.workflows.proofs.certificate import Certificate
from rankmax.workflows.proofs.proven_optimum import prove_optimum
from rankmax.workflows.proofs.verification import verify_certificate
from rankmax.workflows.relevance_gate.baseline_file import read_baseline

_TREES = Path(__file__).parents[2] / "tests" / "models" / "trees" / "files"
_SPLICED = 0.05  # share of inputs that are two intact ones joined


@dataclass(frozen=True)
class Target:
    """A format and its reader.

    Attributes
    ----------
    name : str
    file : str
        Name of the file that an input is written to: it may tell the format.
    seeds : callable
        Returns intact inputs.
    use : callable
        Reads a file and checks what it got.
    mutate : callable
    share : float
        Of all inputs, compared with the others; less for what takes long.
    """

    name: str
    file: str
    seeds: Callable[[], Sequence[bytes]]
    use: Callable[[Path], None]
    mutate: Mutate = mutate_text
    share: float = 1.0

    def use_intact(self, folder: Path) -> None:
        """Read all intact inputs; kernels are compiled then, which may take a minute.

        Parameters
        ----------
        folder : path
            To write to.
        """
        for content in self.seeds():
            (folder / self.file).write_bytes(content)
            self.use(folder / self.file)

    def write(self, rng: random.Random, folder: Path) -> Path:
        """Write a mutated input, and return the file or folder to read.

        Parameters
        ----------
        rng : random.Random
        folder : path
        """
        seeds = self.seeds()
        content = splice(rng, seeds) if rng.random() < _SPLICED else self.mutate(rng, rng.choice(seeds))
        path = folder / self.file
        path.write_bytes(content)
        return path


class IndexTarget(Target):
    """An index, of which one array or the description is edited, checksums included."""

    def use_intact(self, folder: Path) -> None:
        """Use the index to begin with."""
        self.use(_index(folder))

    def write(self, rng: random.Random, folder: Path) -> Path:
        """Write a mutated index, and return its folder."""
        return indexes.write_mutated(rng, _index(folder), folder / self.file)


def _index(folder: Path) -> Path:
    intact = folder / "intact.index"
    if not intact.is_dir():
        indexes.small_index(intact)
    return intact


@cache
def _data() -> RankingDataset:
    data = planted_linear(5, 6, 3, noise=0.5, seed=1).data
    queries = np.repeat([f"q{n}" for n in range(data.n_queries)], data.judgments.documents_by_query)
    ids = [f"d{n}" for n in range(data.n_documents)]
    names = ["bm25", "e5", "clicks"]
    return RankingDataset.from_arrays(
        np.asarray(data.features).round(3), data.grades, qid=queries, document_ids=ids, feature_names=names
    )


def _written(suffix: str) -> Callable[[], Sequence[bytes]]:
    @cache
    def seeds() -> Sequence[bytes]:
        with tempfile.TemporaryDirectory() as folder:
            write_dataset(_data(), f"{folder}/data{suffix}")
            return [Path(folder, f"data{suffix}").read_bytes()]

    return seeds


def _texts(*texts: str) -> Callable[[], Sequence[bytes]]:
    return lambda: [text.encode() for text in texts]


@cache
def _sparse_npz() -> Sequence[bytes]:
    from scipy.sparse import csc_array

    with tempfile.TemporaryDirectory() as folder:
        X = csc_array(np.where(np.arange(90).reshape(30, 3) % 4, 0.0, np.asarray(_data().features)))
        write_dataset(RankingDataset.from_arrays(X, _data().grades, qid=np.arange(30) // 6), f"{folder}/data.npz")
        return [Path(folder, "data.npz").read_bytes(), *_written(".npz")()]


@cache
def _columns_parquet() -> Sequence[bytes]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    sink = pa.BufferOutputStream()
    pq.write_table(pa.table({"id": ["d1", "d2", "d3"], "pagerank": [0.5, 0.25, None], "depth": [1, 2, 3]}), sink)
    return [sink.getvalue().to_pybytes()]


@cache
def _models() -> Sequence[bytes]:
    pair, square = np.array([1.0, -0.5]), np.array([[1.0, 0.0], [0.5, 1.0]])
    names, grades = ("bm25", "e5"), np.array([0.0, 1.0])
    return [
        LinearModel(pair, names, metric="nDCG@10").to_json(),
        ExpectedGainModel(grades, grades, square, pair, names).to_json(),
        AdditiveModel(
            (Curve(grades, pair, deviations=grades, weight=0.5), Curve(grades[:1], pair, "constant")),
            names,
            (Product("bm25", "e5", 2.0),),
        ).to_json(),
        VaryingModel("length", (2.0, 6.0), (), square, pair, names).to_json(),
        VaryingModel("kind", None, ("who", "what"), square, pair, names).to_json(),
    ]


@cache
def _certificates() -> Sequence[bytes]:
    return [prove_optimum(_data(), metric="AP").to_json(), prove_optimum(_data(), metric="nDCG@5").to_json()]


@cache
def _manifests() -> Sequence[bytes]:
    with tempfile.TemporaryDirectory() as folder:
        write_shards([(_data(), 2)], f"{folder}/shards")
        return [Path(folder, "shards", MANIFEST).read_bytes()]


@cache
def _journals() -> Sequence[bytes]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "journal")
        with JournalFile(path, _FINGERPRINT) as file:
            journal = file.ascent("start 0")
            for n in range(3):
                journal.record("line", np.array([float(n), 1.0]), np.array([0.5]), np.array([0.1, 0.2]), seconds=0.1)
        return [path.read_bytes()]


_FINGERPRINT = {"seed": 1, "metric": "AP"}


def _use_model(path: Path) -> None:
    model = load_any_model(path)
    require(not isinstance(model, TreeEnsembleModel), "a sum of trees in place of weights")
    assert not isinstance(model, TreeEnsembleModel)
    numbers = np.concatenate([c.values for c in model.curves]) if isinstance(model, AdditiveModel) else model.weights
    check_numbers(np.ravel(numbers).tolist())
    check_texts(model.feature_names)
    with np.errstate(all="ignore"):
        if isinstance(model, VaryingModel):
            model.weights_at("3")
        elif set(model.feature_names) <= set(_data().feature_names):
            model.scores(_data())
    require(load_any_model(path).to_json() == model.to_json(), "a model that is not written as it was read")


def _tree_files(*names: str) -> Callable[[], Sequence[bytes]]:
    return lambda: [(_TREES / name).read_bytes() for name in names]


@cache
def _own_trees() -> Sequence[bytes]:
    return [load_any_model(_TREES / name).to_json() for name in ("lightgbm.txt", "xgboost.json")]


def _use_trees(path: Path) -> None:
    model = load_any_model(path)
    if not isinstance(model, TreeEnsembleModel):
        return
    check_texts(model.feature_names)
    check_numbers([model.scale, model.offset, *(x for tree in model.trees for x in tree.values.tolist())])
    if model.columns is None and not set(model.feature_names) <= set(_data().feature_names):
        return
    if model.n_columns in (None, _data().n_features):
        with np.errstate(all="ignore"):
            model.scores(_data())
    require(load_any_model(path).to_json() == model.to_json(), "a model that is not read the same again")


def _use_certificate(path: Path) -> None:
    certificate = Certificate.load(path)
    verify_certificate(certificate, _data())


def _use_manifest(path: Path) -> None:
    shards = Shards.at(path.parent)
    for shard in shards.files:
        require(Path(shard.file).parent == path.parent, "a shard outside of its folder")
        check_numbers([shard.n_queries, shard.n_documents])
        require((shard.n_queries or 0) >= 0 and (shard.n_documents or 0) >= 0, "a negative size")
    require(shards.content_hash, "no hash")


def _use_journal(path: Path) -> None:
    with JournalFile(path, _FINGERPRINT) as file:
        for entry in file.ascent("start 0").entries:
            check_numbers([*entry.values, *(entry.weights or ()), entry.seconds])


def _use_topics(path: Path) -> None:
    topics = read_topics(path)
    require(all(topics), "a topic without an id")
    check_texts([*topics, *topics.values()])


def _use_query_column(path: Path) -> None:
    values = read_query_column(path, "kind")
    check_texts([*values, *values.values()])


def _use_documents(path: Path) -> None:
    for document in read_documents(path):
        require(document.id and not any(one <= " " for one in document.id), "an id that is empty or has a blank")
        check_texts([document.id, *document.fields.values()])


def _use_columns(path: Path) -> None:
    columns = read_columns(path)
    require(not np.isinf(columns.values).any(), "columns that are infinite")
    require(len(set(columns.ids.to_list())) == len(columns.ids), "ids that are equal")
    check_texts(columns.names)


def _use_scores(path: Path) -> None:
    check_numbers(read_scores(path, n_documents=4).tolist())


def _use_metric(path: Path) -> None:
    metric = parse_metric(path.read_bytes().decode(errors="surrogateescape"))
    require(parse_metric(metric.name).name == metric.name, f"{metric.name} is not read as it is written")


def _use_feature(path: Path) -> None:
    feature = parse_feature(path.read_bytes().decode(errors="surrogateescape"))
    require(parse_feature(feature.name) == feature, f"{feature.name} is not read as it is written")


def _use_results(path: Path) -> None:
    stored = StoredStudy.load(path)
    check_numbers([stored.seconds, stored.cpu_seconds])


def _use_baseline(path: Path) -> None:
    stored = read_baseline(path)
    check_texts([stored.system, stored.ties, *stored.metrics, *stored.values])
    for values in stored.values.values():
        require(len(values) == len(stored.metrics), "a query without a value for each metric")
        require(not any(map(math.isinf, values)), "a value that is infinite")


_BASELINE = (
    "# rankmax baseline 1\n# system bm25\n# ties trec-eval\nquery\tjudgments\tnDCG@10\tAP\tlatency_ms\ttop\n"
    "q1\t5e0a1c3f\t0.61\tnan\t12.5\td7 d2\nq2\t00ff00ff\t0\t1\t3\t\n"
)
_RUN = "q1 Q0 d7 1 12.5 bm25\nq1 Q0 d2 2 11.75 bm25\nq2 Q0 d7 1 -3e-2 bm25\nq10 Q0 d1 1 0 bm25\n"
_QRELS = "q1 0 d7 1\nq1 0 d2 0\nq2 0 d7 -1\nq10 0 d1 3\n"
_NESTED = '{"q1": {"d1": 1, "d2": 0}, "q2": {"d1": 3}}\n'
_TOPICS = ("q1\twing flutter\nq2\theat transfer\n", '{"id": "q1", "text": "wing"}\n{"qid": 2, "query": "heat"}\n')
_KINDS = (
    '{"id": "q1", "kind": "who"}\n{"qid": 2, "kind": 7}\n',
    "id\ttext\tkind\nq1\ta b\twhat\nq2\tc\twho\n",
    'kind,query\nwhat,q1\n"a ""quoted"" one",q2\n',
)
_DOCUMENTS = (
    '{"id": "d1", "title": "Flutter", "text": "of swept wings"}\n{"docno": 7, "text": "heat &amp; flow"}\n',
    "id\ttitle\ttext\nd1\tFlutter\tof swept wings\nd2\t\theat\n",
    "<DOC><DOCNO> d1 </DOCNO><HL>Wings &amp; <b>flutter</b></HL> More of <P>it.</DOC>\n<DOC><DOCNO>d2</DOCNO>x</DOC>\n",
)
_COLUMNS = ("id\tpagerank\tdate\nd1\t0.5\t1970-01-11\nd2\t0.25\t1969-12-31T12:00\n", 'id,depth\n"d1",2\nd2,\nd3,-1e3\n')
_RESULTS = (
    '{"study": "growth", "settings": {"seed": 7}, "versions": {"python": "3.12"}, '
    '"steps": {"first": {"value": [0.5], "seconds": 0.1, "cpu_seconds": 0.2}}}\n',
)
_METRICS = (
    "nDCG@10",
    "nDCG(gain='exp2',dcg='exp-log2')@10",
    "AP(rel=2)",
    "ERR@20",
    "RBP(p=0.8)",
    "P@5",
    "R@100",
    "Rprec",
)
_FEATURES = (
    "bm25(k1=0.9,b=0.4):title+body",
    "column('page rank')",
    "sdm(mu=1500):'full text'",
    "dirichlet(mu=100)",
    "length",
)

TARGETS: tuple[Target, ...] = (
    Target("letor", "data.txt", _written(".txt"), lambda path: check_dataset(read_dataset(path)), share=2),
    Target("csv", "data.csv", _written(".csv"), lambda path: check_dataset(read_dataset(path)), share=2),
    Target("jsonl", "data.jsonl", _written(".jsonl"), lambda path: check_dataset(read_dataset(path)), mutate_json, 2),
    Target("npz", "data.npz", _sparse_npz, lambda path: check_dataset(read_dataset(path)), mutate_npz, 0.5),
    Target(
        "parquet",
        "data.parquet",
        _written(".parquet"),
        lambda path: check_dataset(read_dataset(path)),
        mutate_parquet,
        0.5,
    ),
    Target("run", "bm25.run", _texts(_RUN), lambda path: check_run(read_run(path)), share=2),
    Target("qrels", "qrels.txt", _texts(_QRELS), lambda path: check_qrels(read_qrels(path)), share=2),
    Target("json run", "bm25.json", _texts(_NESTED), lambda path: check_run(read_run(path)), mutate_json),
    Target("json qrels", "qrels.json", _texts(_NESTED), lambda path: check_qrels(read_qrels(path)), mutate_json),
    Target("topics", "topics", _texts(*_TOPICS), _use_topics, mutate_json),
    Target("query column", "kinds", _texts(*_KINDS), _use_query_column, mutate_json),
    Target("baseline", "baseline.tsv", _texts(_BASELINE), _use_baseline),
    Target("scores", "scores.txt", _texts("0.5\n-1e3\n7\n0\n", "q1 0 0.5\nq1 1 2\nq2 0 1\nq2 1 0\n"), _use_scores),
    Target("documents", "docs", _texts(*_DOCUMENTS), _use_documents, mutate_json),
    Target("columns", "columns.csv", _texts(*_COLUMNS), _use_columns),
    Target("columns parquet", "columns.parquet", _columns_parquet, _use_columns, mutate_parquet, 0.3),
    Target("model", "model.json", _models, _use_model, mutate_json),
    Target("lightgbm", "model.txt", _tree_files("lightgbm.txt", "lightgbm-named.txt"), _use_trees),
    Target("xgboost", "model.json", _tree_files("xgboost.json", "xgboost-dart.json"), _use_trees, mutate_json),
    Target("catboost", "model.json", _tree_files("catboost.json", "catboost-depthwise.json"), _use_trees, mutate_json),
    Target("trees", "model.json", _own_trees, _use_trees, mutate_json),
    Target("certificate", "certificate.json", _certificates, _use_certificate, mutate_json, 0.3),
    Target("manifest", MANIFEST, _manifests, _use_manifest, mutate_json),
    Target("journal", "journal", _journals, _use_journal, mutate_json),
    Target("results", "results.json", _texts(*_RESULTS), _use_results, mutate_json),
    Target("metric name", "metric", _texts(*_METRICS), _use_metric),
    Target("feature name", "feature", _texts(*_FEATURES), _use_feature),
    IndexTarget("index", "index", lambda: (), indexes.use_index, share=0.04),
)
