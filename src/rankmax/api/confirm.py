"""`rankmax.confirm`: whether a search engine ranks as the model predicts, and if not, why."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass, replace
from typing import Any

from rankmax._result_views import Block, Facts, ResultView, Table
from rankmax.api.inputs import as_model
from rankmax.api.progress import Progress
from rankmax.errors import InvalidParameterError, counted
from rankmax.models.query_weights_model import QueryWeightsModel
from rankmax.models.ranking_model import require_runs
from rankmax.workflows.deployment.changed_results import changed_results, queries_to_ask_again
from rankmax.workflows.deployment.confirming import Comparison, compare_answers, fused_answers, judged_queries
from rankmax.workflows.deployment.confirming_query_weights import compare_weighted, weighted_answers
from rankmax.workflows.deployment.project_file import NAME, ProjectFile

_MOST_SHOWN = 5  # queries that differ, and explanations


@dataclass(frozen=True, repr=False)
class Confirmation(ResultView):
    """Whether an engine ranks as the model predicts.

    Attributes
    ----------
    comparison : Comparison
        Its rankings and scores compared with the predicted ones.
    """

    comparison: Comparison

    @property
    def same(self) -> bool:
        """Whether rankings and scores are the predicted ones."""
        return self.comparison.same

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, which can be written as JSON."""
        return {"same": self.same, "same_scores": self.comparison.same_scores, **asdict(self.comparison)}

    @property
    def blocks(self) -> list[Block]:
        """The result as facts, and a table of queries that differ."""
        found = self.comparison
        n_same = found.queries - len(found.differences)
        queries = counted(found.queries, "query", "queries")
        counts = f"{n_same:,} of {queries}"
        facts = {"rankings": f"the first {found.size} documents are the predicted ones for {counts}"}
        if n_same:
            said = "as predicted" if found.same_scores else "not as predicted"
            facts["scores"] = f"{said}; the largest difference is {found.score_difference:.1e} of a query's best"
        for number, one in enumerate(found.explanations[:_MOST_SHOWN], 1):
            fits = f" (fits {one.queries:,} of {queries})" if one.kind != "changed results" else ""
            facts[f"explanation {number}"] = f"{one.text}{fits}"
        if not self.same and not found.explanations:
            facts["explanation"] = (
                "none of the known mistakes fits, and each retriever returns what was collected; compare the template "
                "of each with the search"
            )
        verdict = (
            "the engine ranks as the model predicts" if self.same else "the engine does not rank as the model predicts"
        )
        facts["verdict"] = verdict
        blocks: list[Block] = [Facts(facts)]
        if found.differences:
            rows = [
                (one.query, str(one.rank), one.engine or "none", one.predicted or "none")
                for one in found.differences[:_MOST_SHOWN]
            ]
            blocks.insert(0, Table(["first difference", "rank", "engine", "predicted"], rows))
        return blocks


def confirm(
    project: str | os.PathLike[str] = NAME, model: Any = None, *, size: int = 10, progress: Progress | None = None
) -> Confirmation:
    """Ask a project's search engine for the judged queries, and compare its rankings with those that a model predicts.

    The prediction comes from the collected runs. Where the engine differs, known mistakes are tried: ignored or swapped
    weights, another normalization, a smaller window, another index. Where none fits, some queries are asked of each
    retriever again, as the index may have changed since the runs were collected. Of weights that fit the query, each
    request gets its own, from the lists that the engine then has; the engine must take weights with a request.

    Parameters
    ----------
    project : path, default "rankmax.toml"
        Project file.
    model : model, fitted learner, or path, optional
        The fusion; by default the model file that the project names.
    size : int, default 10
        Number of documents to compare per query.
    progress : Progress, optional
        Receives progress.

    Returns
    -------
    Confirmation

    Examples
    --------
    >>> confirm("no-such.toml")
    Traceback (most recent call last):
    rankmax.errors.DataFormatError: no-such.toml: no such file; rankmax init ENGINE writes one
    """
    if size < 1:
        raise InvalidParameterError(f"size is {size}; expected a positive number")
    opened = ProjectFile(project)
    size = min(size, opened.depth)
    loaded: Any = opened.model() if model is None else as_model(model)
    fitting = loaded if isinstance(loaded, QueryWeightsModel) and loaded.moving else None
    if fitting is not None:
        require_runs(fitting, opened.retrievers)
    fusion = opened.fusion(loaded.fixed if isinstance(loaded, QueryWeightsModel) else loaded)
    opened.run_paths()
    queries = judged_queries(opened)
    told = progress or Progress()
    with told.stage("Asking the engine", total=len(queries)) as stage:
        if fitting is not None:
            answers = weighted_answers(opened, fitting, queries, size, stage.advance)
        else:
            answers = fused_answers(opened, fusion, queries, size, stage.advance)
    with told.stage("Comparing"):
        if fitting is not None:
            return Confirmation(compare_weighted(opened, fitting, answers, size))
        compared = compare_answers(opened, fusion, answers, size)
    if again := queries_to_ask_again(opened, compared):
        with told.stage("Asking each retriever again", total=len(again)) as stage:
            changed = changed_results(opened, fusion, again, stage.advance)
        compared = replace(compared, explanations=(*compared.explanations, *changed))
    return Confirmation(compared)
