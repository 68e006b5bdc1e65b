"""The studies behind Tables 6 and 9 (retrieval functions), and 7, 8, 10 and 11 (submitted runs)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, partial
from typing import Any

import numpy as np

from rankmax._arrays import F64
from rankmax.data.runs import Run
from rankmax.papers.papers import Step, Study
from rankmax.papers.setup import Setup
from rankmax.papers.yue2007.base_functions import BaseFunctions, RetrievalFunctions, SubmittedRuns
from rankmax.papers.yue2007.learning import METHODS, OURS, Binned, average_over_trials
from rankmax.papers.yue2007.random_trials import N_TRAIN, N_TRIALS, N_VALIDATION, Deal, deal_rounds

BASE = "base functions"
CHOSEN = "best function of the trial's queries"
WITHOUT_BEST = " without the best"


def _functions(setup: Setup) -> list[BaseFunctions]:
    return [RetrievalFunctions(corpus, setup) for corpus in setup.corpora]


def _submissions(setup: Setup) -> list[BaseFunctions]:
    return [SubmittedRuns(runs) for runs in setup.run_sets]


def _settings(sources: Callable[[Setup], list[BaseFunctions]], setup: Setup) -> dict[str, Any]:
    return {
        "sources": {one.name: one.fingerprint for one in sources(setup)},
        "methods": _methods(setup),
        "trials": _n_trials(setup),
        "bins": setup.bins,
    }


def _methods(setup: Setup) -> list[str]:
    known = [*METHODS][:3] if setup.small else [*METHODS, OURS]
    return known if setup.methods is None else [method for method in known if method in setup.methods]


def _n_trials(setup: Setup) -> int:
    return setup.trials or (4 if setup.small else N_TRIALS)


def _n_shares(setup: Setup) -> int:
    return 1 if setup.small else 5  # parts of the trials, so that an interrupt loses a fifth of them at most


class _Source:
    """Base functions of one collection, with their data computed once."""

    def __init__(self, functions: BaseFunctions, setup: Setup, *, without_best: bool = False) -> None:
        self.functions, self.setup, self.without_best = functions, setup, without_best
        self.name = functions.name + (WITHOUT_BEST if without_best else "")

    @cached_property
    def binned(self) -> Binned:
        return Binned(self.functions.data.select_features(self._names), self.setup.bins)

    @cached_property
    def _names(self) -> list[str]:
        """Functions to learn from, by name."""
        means = {name: values.mean() for name, values in self.functions.values.items()}
        best = max(means, key=lambda name: means[name])
        return [name for name in means if not (self.without_best and name == best)]

    def base(self, _: object) -> dict[str, list[float]]:
        return {name: values.round(5).tolist() for name, values in self.functions.values.items()}

    @property
    def rounds(self) -> list[list[Deal]]:
        """All trials."""
        return deal_rounds(self.functions.data.n_queries, seed=self.setup.seed, n_trials=_n_trials(self.setup))

    def chosen(self, _: object) -> list[float]:
        """Return each query's mean when every trial uses the function that is best on its training queries."""
        values = np.array([self.functions.values[name] for name in self._names])
        totals, times = np.zeros((2, values.shape[1]))
        for deal in (deal for one in self.rounds for deal in one):
            best = np.argmax(values[:, np.append(deal.train, deal.validation)].mean(axis=1))
            totals[deal.test] += values[best, deal.test]
            times[deal.test] += 1
        rounded: list[float] = (totals / times).round(5).tolist()
        return rounded

    def trials(self, method: str, number: int, _: object) -> list[float]:
        """Return each query's mean over a part of the rounds of trials; empty where there are too few rounds."""
        deals = [deal for one in self.rounds[number :: _n_shares(self.setup)] for deal in one]
        if not deals:
            return []
        found = average_over_trials(self.binned, method, deals, small=self.setup.small, seed=self.setup.seed)
        rounded: list[float] = found.round(5).tolist()
        return rounded


def _steps(sources: Callable[[Setup], list[_Source]], setup: Setup) -> Iterator[tuple[str, Step]]:
    for source in sources(setup):
        yield f"{source.name}, {BASE}", source.base
        yield f"{source.name}, {CHOSEN}", source.chosen
        for method in _methods(setup):
            for number in range(_n_shares(setup)):
                yield f"{source.name}, {method}, part {number + 1}", partial(source.trials, method, number)


def _function_sources(setup: Setup) -> list[_Source]:
    return [_Source(one, setup) for one in _functions(setup)]


def _submission_sources(setup: Setup) -> list[_Source]:
    return [_Source(one, setup, without_best=flag) for one in _submissions(setup) for flag in (False, True)]


def _description(source: _Source, _: object) -> dict[str, int]:
    data = source.binned.sensitive
    counts = {"functions": source.binned.data.n_features, "features": data.n_features}
    return {**counts, "queries": data.n_queries, "documents": data.n_documents}


def _all_sources(setup: Setup) -> list[BaseFunctions]:
    return [*_functions(setup), *_submissions(setup)]


DESCRIPTION = Study(
    "description",
    lambda setup: {"sources": {one.name: one.fingerprint for one in _all_sources(setup)}, "bins": setup.bins},
    lambda setup: [(one.name, partial(_description, _Source(one, setup))) for one in _all_sources(setup)],
    "a collection of text, or submitted runs",
)
_PROCESS = 250_000_000  # bytes of the interpreter, its libraries and kernels
_LINE = 60  # bytes of a line of a run
_STRETCH = 64  # bytes of a score that a classification SVM learns from, while its indicators are listed as stretches
_FREED = 1.2  # times what is used: freed memory is not given back at once


def submissions_memory(setup: Setup) -> int:
    """Return the bytes that the study of submitted runs needs at once, about.

    Scores take eight bytes per document and run, as they are read, with and without the best run; codes one byte for
    each kind of binning, two with more than 254 thresholds. Each trial in progress has a copy of its queries, and a
    classification SVM lists their indicators as stretches of thresholds, whose number does not depend on `bins`.

    Parameters
    ----------
    setup : Setup
    """
    from rankmax._kernels.threads import n_threads

    methods = _methods(setup)
    kinds = {METHODS[method][0] for method in methods if method != OURS}
    largest = 0
    for runs in setup.run_sets:
        read, qrels = runs.content
        n_lines = sum(run.n_documents for run in read.values())
        cells = _n_candidates(read.values()) * len(read)
        share = min(1.0, (N_TRAIN + N_VALIDATION) / max(qrels.n_queries, 1))
        codes = 1 if setup.bins <= 254 else 2
        trial = codes * cells * share
        if any("acc" in method for method in methods):
            trial += (8 * cells + _STRETCH * n_lines) * share
        if OURS in methods:
            trial = max(trial, 16 * cells * share)
        sources = 24 + 2 * codes * len(kinds) + 16 * (OURS in methods)
        own = _FREED * (_LINE * n_lines + sources * cells + n_threads() * trial)
        largest = max(largest, int(own))
    return _PROCESS + largest


def _n_candidates(runs: Iterable[Run]) -> int:
    """Return the number of pairs of a query and a document that any run has."""
    pairs: dict[str, set[str]] = {}
    for run in runs:
        for q, query in enumerate(run.query_ids):
            span = slice(int(run.query_offsets[q]), int(run.query_offsets[q + 1]))
            pairs.setdefault(query, set()).update(run.document_ids[span].to_list())
    return sum(map(len, pairs.values()))


FUNCTIONS = Study(
    "functions", partial(_settings, _functions), partial(_steps, _function_sources), "a collection of text"
)
SUBMISSIONS = Study(
    "submissions",
    partial(_settings, _submissions),
    partial(_steps, _submission_sources),
    "submitted runs: --runs DIR --qrels FILE",
    submissions_memory,
)


def mean_over_parts(parts: Sequence[Sequence[float]]) -> F64:
    """Return each query's mean over the parts that had trials.

    Parameters
    ----------
    parts : sequence of sequences of float

    Examples
    --------
    >>> mean_over_parts([[0.5, 1.0], [0.7, 0.0], []])
    array([0.6, 0.5])
    """
    mean: F64 = np.mean([one for one in parts if one], axis=0)
    return mean
