"""Inputs of `rankmax.check`: judgments, baseline and candidates in every form, as values by query."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from rankmax._io.files import open_binary
from rankmax.api.inputs import Judged, as_model, as_systems, is_model, is_model_file
from rankmax.api.progress import Progress
from rankmax.api.scored_systems import system_scores
from rankmax.data.dataset import RankingDataset
from rankmax.data.judging import JudgedRun, judge
from rankmax.data.judgments import Judgments
from rankmax.data.runs import Qrels
from rankmax.errors import DataFormatError, IncompatibleError, InvalidDataError, UnknownNameError, some_of
from rankmax.formats.interchange import as_run
from rankmax.formats.run_latencies import COLUMNS, read_latencies
from rankmax.metrics.metric import Metric
from rankmax.metrics.ties import TiePolicy
from rankmax.models.ranking_model import RankingModel
from rankmax.workflows.relevance_gate.baseline_file import BaselineFile, is_baseline, read_baseline
from rankmax.workflows.relevance_gate.check_file import ENGINE, CheckFile
from rankmax.workflows.relevance_gate.gate_rules import GateRules
from rankmax.workflows.relevance_gate.gate_systems import GateSystem, judgment_digests, system_of
from rankmax.workflows.relevance_gate.live_candidates import live_run

_HEAD = 4096  # bytes in which a model names its schema


@dataclass(frozen=True, eq=False)
class GateInputs:
    """Judgments of a gate, and how systems are evaluated by them.

    Attributes
    ----------
    judged : Judged
    metrics : tuple of Metric
    rules : GateRules
    runs : object
        Runs that models fuse; by default those of the project.
    topics : str or None
        File of the queries.
    project : CheckFile or None
        The project, whose engine may be a candidate.
    progress : Progress
    """

    judged: Judged
    metrics: tuple[Metric, ...]
    rules: GateRules
    runs: Any
    topics: str | None
    project: CheckFile | None
    progress: Progress

    @property
    def content(self) -> Qrels | RankingDataset | Judgments:
        """The judgments themselves."""
        content = self.judged.content
        if not isinstance(content, Qrels | RankingDataset | Judgments):
            raise IncompatibleError(f"{self.judged.name} are shards; a gate takes qrels or one data file")
        return content

    @property
    def ties(self) -> TiePolicy:
        """Order of documents with equal scores."""
        return TiePolicy.TREC_EVAL if isinstance(self.content, Qrels) else TiePolicy.DOCUMENT_ORDER

    @cached_property
    def digests(self) -> tuple[str, ...]:
        """Hashes of the queries' judgments."""
        content = self.content
        return judgment_digests(content.judgments if isinstance(content, RankingDataset) else content)

    def baseline(self, source: Any) -> tuple[GateSystem, BaselineFile | None]:
        """Return the baseline, and the file of values if it is one.

        Parameters
        ----------
        source : path of a baseline file, or a system
        """
        if isinstance(source, str | os.PathLike):
            if not os.path.exists(source):
                raise DataFormatError(source, "no such baseline; rankmax check --update-baseline writes one")
            if is_baseline(source):
                stored = read_baseline(source)
                queries = self.content.query_ids
                system = stored.as_system(queries, self.digests, self.metrics, self.ties.value, self._grades())
                return system, stored
        (name, system), *others = as_systems(source).items()
        if others:
            raise InvalidDataError("several baselines are given; compare candidates with one")
        return self._system(name, system), None

    def candidates(self, source: Any) -> list[GateSystem]:
        """Return the candidates.

        Parameters
        ----------
        source : one system, a list of systems, or a mapping of names to systems
        """
        if isinstance(source, str) and _is_live(source):
            source = {source.partition(":")[2] or ENGINE: source}
        return [self._system(name, system) for name, system in as_systems(source).items()]

    def _system(self, name: str, source: Any) -> GateSystem:
        path = os.fspath(source) if isinstance(source, str | os.PathLike) and not _is_live(source) else None
        judged = self._judged(name, source)
        self._check(path or name, judged)
        system = system_of(name, path, judged, self.metrics, self.ties, self.rules.depth)
        latencies = _latencies(source)
        if latencies is None:
            return system
        return replace(system, latencies=np.array([latencies.get(query, np.nan) for query in system.query_ids]))

    def _judged(self, name: str, source: Any) -> JudgedRun:
        content = self.content
        if isinstance(content, RankingDataset | Judgments):
            judgments = content.judgments if isinstance(content, RankingDataset) else content
            return JudgedRun(judgments, system_scores(name, source, content), (), ())
        if _is_live(source):
            if self.project is None:
                raise IncompatibleError(
                    f"the candidate {source!r} is asked of an engine: give a project file that names it"
                )
            project = self.project.project
            with self.progress.stage("Asking the engine", total=len(project.topics())) as stage:
                return judge(live_run(project, source, stage.advance), content)
        if is_model(source) or isinstance(source, RankingModel) or _is_model_path(source):
            runs = self.runs if self.runs is not None or self.project is None else self.project.runs
            if runs is None:
                raise IncompatibleError(
                    f"{name} is a model: give the runs that it fuses, or a data file instead of qrels"
                )
            named = runs if isinstance(runs, Mapping) else as_systems(runs)
            return judge(as_model(source).rank(named, topics=self.topics), content)
        if isinstance(source, str | os.PathLike) and is_baseline(source):
            raise IncompatibleError(
                f"{source} is a file of baseline values; a candidate is a run, a model or an engine"
            )
        return judge(as_run(source), content)

    def _check(self, name: str, judged: JudgedRun) -> None:
        missing, n_queries = judged.missing_queries, judged.judgments.n_queries
        if len(missing) == n_queries:
            raise InvalidDataError(
                f"{name}: no query in common with {self.judged.name}; it is of another collection, or ids differ"
            )
        if missing and self.rules.missing_queries == "error":
            raise InvalidDataError(
                f"{name}: has nothing for {len(missing)} of {n_queries} queries of {self.judged.name} "
                f"({some_of(missing)}); give a run of all judged queries, or set missing_queries to zero"
            )
        if np.isnan(judged.judgments.grades).all():
            raise InvalidDataError(
                f"{name}: none of its documents is judged in {self.judged.name}; it is of another collection, "
                "or ids differ"
            )

    def _grades(self) -> dict[str, dict[str, float]]:
        content = self.content
        if isinstance(content, Qrels):
            return {query: dict(grades) for query, grades in content.to_dict().items()}
        judgments = content.judgments if isinstance(content, RankingDataset) else content
        grades, bounds, ids = judgments.grades.tolist(), judgments.query_offsets.tolist(), judgments.document_ids
        names = None if ids is None else ids.to_list()
        return {
            query: {(str(d - a + 1) if names is None else names[d]): grades[d] for d in range(a, b)}
            for query, a, b in zip(judgments.query_ids, bounds[:-1], bounds[1:], strict=True)
        }


def _is_live(source: Any) -> bool:
    return isinstance(source, str) and (source == ENGINE or source.startswith(f"{ENGINE}:"))


def _is_model_path(source: Any) -> bool:
    if not isinstance(source, str | os.PathLike) or not is_model_file(source):
        return False
    with open_binary(source) as file:
        return b'"rankmax/' in file.read(_HEAD)  # the schema; a run may be JSON, too


def _latencies(source: Any) -> Mapping[str, float] | None:
    if isinstance(source, str | os.PathLike):
        return None if _is_live(source) or _is_model_path(source) else read_latencies(source)
    column = next((name for name in COLUMNS if name in getattr(source, "columns", ())), None)
    if column is None:
        return None
    query = next(name for name in ("query_id", "qid", "q_id") if name in source.columns)
    found: dict[str, float] = {}
    for key, value in zip(source[query].to_list(), source[column].to_list(), strict=True):
        found[str(key)] = max(float(value), found.get(str(key), 0.0))
    return found


def segment_columns(topics: str | None, columns: Sequence[str]) -> dict[str, dict[str, str]]:
    """Return columns of the topics, by name.

    Parameters
    ----------
    topics : str or None
        File of the topics.
    columns : sequence of str
    """
    if not columns:
        return {}
    if topics is None:
        raise IncompatibleError(f"segments are columns of the topics: give topics with a column {columns[0]!r}")
    from rankmax.formats.topic_columns import read_query_column

    return {column: read_query_column(topics, column) for column in columns}


def topic_texts(topics: str | None) -> dict[str, str]:
    """Return the text of each query, as far as topics give it.

    Parameters
    ----------
    topics : str or None
        File of the topics.
    """
    if topics is None:
        return {}
    from rankmax.formats.topic_columns import read_query_column
    from rankmax.formats.topics import read_topics

    for column in ("text", "query", "title"):
        with suppress(UnknownNameError, DataFormatError):
            return read_query_column(topics, column)
    with suppress(DataFormatError):  # a table without texts, which are only shown
        return read_topics(topics)
    return {}
