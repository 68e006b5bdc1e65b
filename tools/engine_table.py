"""Compare the rankings of real engines with those of rankmax on TREC DL 2019, for all pairs and triples of its systems.

    python tools/engine_table.py [opensearch] [solr] [vespa] [elasticsearch]

prints a table in Markdown: the first ten documents of all queries, and the largest relative difference of their scores.
The engines are those of tools/fetch_engines.py, and for Elasticsearch the server that RANKMAX_ELASTICSEARCH names; the
runs are those of RANKMAX_DATA; weights are drawn with a fixed seed.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import combinations
from pathlib import Path

import numpy as np

from engines import opensearch, solr, vespa
from engines.replay import (
    ElasticsearchReplay,
    OpenSearchReplay,
    Ranking,
    Runs,
    SolrReplay,
    agreement,
    in_single_precision,
    predicted,
    vespa_rankings,
    without_ties,
)
from engines.server import call
from rankmax.formats.trec import read_run
from rankmax.models import LinearModel
from rankmax.preprocessing.feature_normalization import Normalization

ROOT = Path(__file__).parents[1]
SYSTEMS = ("bm25", "rm3", "e5", "splade", "colbert", "monot5")
Rank = Callable[[list[LinearModel]], Iterable[dict[str, Ranking]]]
Way = tuple[str, tuple[str, ...], Rank, Runs]
"""Title, normalizations, what ranks by models, and the runs that are ranked."""


def main() -> None:
    """Print the table."""
    chosen = sys.argv[1:] or ["opensearch", "solr", "vespa"]
    folder = Path(os.environ.get("RANKMAX_DATA") or ROOT.parent / "shared" / "data") / "runs" / "dl19-passage"
    runs = in_single_precision({name: read_run(folder / f"{name}.run.gz").to_dict() for name in SYSTEMS})
    print(
        "| engine | normalization | top tens equal | largest relative difference of scores |\n| --- | --- | --- | --- |"
    )
    for engine in chosen:
        with _ENGINES[engine](ROOT / ".engines" / engine, runs) as ways:
            for title, normalizations, rank, ranked in ways:
                for name in normalizations:
                    print(f"| {title} | `{name}` | {_compared(Normalization.named(name), rank, ranked)} |", flush=True)


def _compared(normalization: Normalization, rank: Rank, runs: Runs) -> str:
    rng = np.random.default_rng(0)
    models = []
    for systems in [*combinations(SYSTEMS, 2), *combinations(SYSTEMS, 3)]:
        weights = rng.dirichlet(np.ones(len(systems)))
        model = LinearModel(weights, systems, normalization)
        if normalization.name == "none":  # engines rerank every candidate, whichever system retrieved it
            share = dict(zip(systems, weights, strict=True))
            model = LinearModel(np.array([share.get(name, 0.0) for name in SYSTEMS]), SYSTEMS)
        models.append(model)
    found = [agreement(*pair) for pair in zip(rank(models), (predicted(one, runs) for one in models), strict=True)]
    alike, queries = sum(each.alike for each in found), sum(each.queries for each in found)
    return f"{alike:,} of {queries:,} | {max(each.difference for each in found):.0e}"


@contextmanager
def _opensearch(folder: Path, runs: Runs) -> Iterator[list[Way]]:
    with opensearch.start(folder) as address:
        replay = OpenSearchReplay(address, runs)
        fusions = ("opensearch-min-max", "l2", "opensearch-z-score", "reciprocal-rank")
        title = f"OpenSearch {opensearch.VERSION}"
        plugin = [(f"{title}, Learning to Rank plugin", ("none",), partial(map, replay.reranked), runs)]
        has_plugin = opensearch.LEARNING_TO_RANK in opensearch.plugins(folder)
        yield [(f"{title}, hybrid query", fusions, partial(map, replay.hybrid), runs), *(plugin if has_plugin else [])]


@contextmanager
def _elasticsearch(folder: Path, runs: Runs) -> Iterator[list[Way]]:
    address = os.environ["RANKMAX_ELASTICSEARCH"]
    replay = ElasticsearchReplay(address, runs, index="rankmax-engine-table")
    fusions = ("elasticsearch-min-max", "l2", "reciprocal-rank")
    try:
        version = call(address)["version"]["number"]
        yield [(f"Elasticsearch {version}, retrievers", fusions, partial(map, replay.fused), runs)]
    finally:
        call(f"{address}/{replay.index}", "DELETE")


@contextmanager
def _solr(folder: Path, runs: Runs) -> Iterator[list[Way]]:
    with solr.start(folder) as address:
        replay = SolrReplay(address, runs)
        names = (f"model{i}" for i in range(1_000_000))
        rank = partial(map, lambda model: replay.reranked(model, name=next(names)))
        yield [(f"Solr {solr.VERSION}", ("none",), rank, runs)]


@contextmanager
def _vespa(folder: Path, runs: Runs) -> Iterator[list[Way]]:
    title = f"Vespa {vespa.VERSION}, without a content node"
    distinct = without_ties(runs)  # it ranks equal scores in the order of the first phase
    rank = partial(_vespa_rankings, folder, distinct)
    yield [(title, ("none", "min-max", "reciprocal-rank"), rank, distinct)]


def _vespa_rankings(folder: Path, runs: Runs, models: list[LinearModel]) -> list[dict[str, Ranking]]:
    return vespa_rankings(folder, models, runs)


_ENGINES = {"opensearch": _opensearch, "solr": _solr, "vespa": _vespa, "elasticsearch": _elasticsearch}

if __name__ == "__main__":
    main()
