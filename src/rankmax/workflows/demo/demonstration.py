"""The demonstration: from the docstrings of numpy and scipy to learned rankings, compared on held-out queries."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rankmax._arrays import F64
from rankmax._io.files import atomic_writer
from rankmax.data.dataset import RankingDataset
from rankmax.data.runs import Qrels
from rankmax.datasets import TextCollection, docstrings
from rankmax.evaluation.comparison import BaselineComparison, compare_systems
from rankmax.formats.npz import write_npz
from rankmax.formats.trec import write_qrels, write_run
from rankmax.metrics.metric import Metric
from rankmax.metrics.registry import parse_metric
from rankmax.retrieval.analysis.analyzer import Analyzer
from rankmax.retrieval.features import BM25, Dirichlet, Feature
from rankmax.retrieval.index.builder import build_index
from rankmax.workflows.demo.demo_models import Learned, families, learn, training_data, windows_feature
from rankmax.workflows.demo.hybrid import N_QUERIES, SYSTEMS, write_hybrid
from rankmax.workflows.searching.feature_trials import Trials
from rankmax.workflows.searching.function_parameters import Tuning, tune_function
from rankmax.workflows.searching.judged_queries import JudgedQueries
from rankmax.workflows.searching.topic_search import model_ranker
from rankmax.workflows.warm_up.processes import wait_for_job, warming_up

METRICS: tuple[Metric, ...] = (parse_metric("AP"), parse_metric("nDCG@10"))
BASELINE = "language model"
DEPTH = 1000
RUN_DEPTH = 50
"""Documents per query in run files, which would otherwise hold a third of the collection for every query."""


@dataclass(frozen=True, eq=False)
class Demo:
    """Results of the demonstration.

    Attributes
    ----------
    collection : TextCollection
    train, test : mapping of str to str
        Training topics and held-out topics.
    data : RankingDataset
        Training data.
    language_models, bm25s : mappings of Metric to Tuning
        The baselines, tuned for each metric.
    learned : tuple of Learned
        Models by family of features and metric.
    values : mapping of Metric to mapping of str to array
        Metric values of the held-out queries, by metric and system; each system was tuned or trained for that metric.
    comparisons : mapping of Metric to BaselineComparison
        Comparisons of the systems with the language model.
    """

    collection: TextCollection
    train: Mapping[str, str]
    test: Mapping[str, str]
    data: RankingDataset
    language_models: Mapping[Metric, Tuning[Dirichlet]]
    bm25s: Mapping[Metric, Tuning[BM25]]
    learned: tuple[Learned, ...]
    values: Mapping[Metric, Mapping[str, F64]]
    comparisons: Mapping[Metric, BaselineComparison]


def run_demo(folder: Path, *, seed: int = 7, say: Callable[[str], None] = lambda _: None) -> Demo:
    """Run the demonstration: tune, learn, compare, and write index, topics, judgments, data, models and runs.

    Parameters
    ----------
    folder : Path
        Existing folder to write to; files of an earlier demonstration are replaced.
    seed : int
        Random seed of the split and of the learners. The same seed, with the same numpy and scipy, gives the same
        files.
    say : callable
        Called with a message at each step.
    """
    with warming_up("training", "views") as compiler:
        say("Reading the docstrings of numpy and scipy")
        collection = docstrings()
        train, test = split_by_text(collection.topics, seed=seed)
        for part, topics in (("train", train), ("test", test)):
            write_queries(folder, part, topics, collection.qrels)
        _write_pairs(folder / "excluded.tsv", collection.excluded)
        say("Indexing")
        index = build_index(
            collection.documents,
            folder / "index",
            analyzer=Analyzer(stop="english", stemmer="porter2"),
            store=("name", "signature", "body"),
            replace=True,
        )
        say("Tuning the language model and BM25")
        training, held_out = (
            JudgedQueries.of(index, topics, collection.qrels, excluded=collection.excluded, depth=DEPTH)
            for topics in (train, test)
        )
        with Trials(training, METRICS) as trials:
            language_models = {metric: tune_function(Dirichlet(), trials, metric) for metric in METRICS}
            bm25s = {metric: tune_function(BM25(), trials, metric) for metric in METRICS}
        say("Working out features")
        tuned = language_models[METRICS[0]].best.function, bm25s[METRICS[0]].best.function
        chosen = families(index, *tuned)
        data = training_data(index, train, collection, chosen, tuned)
        write_npz(data, folder / "train.npz")
        for family in chosen:
            held_out.find(family.features)
        say("Compiling the training kernels, which happens once")
        wait_for_job(compiler)
        learned = []
        for family in chosen:
            for metric in METRICS:
                say(f"Learning from {family.name} features for {metric}")
                learned.append(learn(family, metric, data, seed=seed))
                learned[-1].model.save(folder / f"{file_name(family.name, metric)}.json")
        say("Ranking for the held-out queries")
        values: dict[Metric, dict[str, F64]] = {}
        for metric in METRICS:
            systems: dict[str, Feature] = {
                BASELINE: language_models[metric].best.function,
                "BM25": bm25s[metric].best.function,
                **{one.family.name: model_ranker(one.model) for one in learned if one.metric == metric},
            }
            rankings = {name: held_out.rank(ranker) for name, ranker in systems.items()}
            for name, found in rankings.items():
                tag = file_name(name, metric)
                write_run(held_out.run(found, tag, depth=RUN_DEPTH), folder / f"{tag}.run")
            values[metric] = {name: held_out.evaluate(found, [metric])[0] for name, found in rankings.items()}
            if metric == METRICS[-1]:
                others = [held_out.rank(feature) for feature in (windows_feature(tuned[0]), BM25(fields=("name",)))]
                named = zip(SYSTEMS, [rankings["BM25"], *others], strict=True)
                runs = {name: held_out.run(hits, name, depth=RUN_DEPTH) for name, hits in named}
                write_hybrid(folder, runs, collection.qrels, split_by_text(test, seed=seed, n_first=N_QUERIES))
        comparisons = {metric: compare_systems(values[metric], BASELINE, seed=seed) for metric in METRICS}
        return Demo(collection, train, test, data, language_models, bm25s, tuple(learned), values, comparisons)


def split_by_text(
    topics: Mapping[str, str], *, seed: int, n_first: int | None = None
) -> tuple[dict[str, str], dict[str, str]]:
    """Split queries into two parts at random; queries of equal text stay together.

    Parameters
    ----------
    topics : mapping of str to str
        Texts by query id.
    seed : int
    n_first : int, optional
        Number of distinct texts in the first part; half of all by default and at most.

    Examples
    --------
    >>> split_by_text({"cos": "Cosine.", "sin": "Sine.", "cosine": "Cosine."}, seed=1)
    ({'cos': 'Cosine.', 'cosine': 'Cosine.'}, {'sin': 'Sine.'})
    """
    texts = list(dict.fromkeys(map(str.casefold, topics.values())))
    order = np.random.default_rng(seed).permutation(len(texts))
    half = len(texts) // 2
    first = {texts[i] for i in order[: half if n_first is None else min(n_first, half)]}
    return (
        {query_id: text for query_id, text in topics.items() if text.casefold() in first},
        {query_id: text for query_id, text in topics.items() if text.casefold() not in first},
    )


def file_name(system: str, metric: Metric) -> str:
    """Return the file name of a system, without suffix.

    Examples
    --------
    >>> file_name("bag of words", METRICS[1])
    'bag-of-words-nDCG@10'
    """
    return f"{system.replace(' ', '-')}-{metric.name}"


def write_queries(folder: Path, part: str, topics: Mapping[str, str], qrels: Qrels) -> None:
    """Write the topics of some queries and their judgments.

    Parameters
    ----------
    folder : Path
    part : str
        Prefix of the file names.
    topics : mapping of str to str
    qrels : Qrels
        Judgments; may have more queries.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_queries(Path(folder), "test", {"q1": "wing"}, Qrels.from_dict({"q1": {"d1": 1}, "q2": {"d1": 0}}))
    ...     (Path(folder) / "test.qrels").read_text().split()
    ['q1', '0', 'd1', '1']
    """
    _write_pairs(folder / f"{part}.topics.tsv", topics)
    judged = {query_id: grades for query_id, grades in qrels.to_dict().items() if query_id in topics}
    write_qrels(Qrels.from_dict(judged), folder / f"{part}.qrels")


def _write_pairs(path: Path, texts: Mapping[str, str]) -> None:
    with atomic_writer(path) as file:
        file.write("".join(f"{query_id}\t{text}\n" for query_id, text in texts.items()).encode())
