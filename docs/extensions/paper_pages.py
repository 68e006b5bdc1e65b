"""The papers' experiments, re-run: pages made of the results that come with the package."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from rankmax.errors import MissingDependencyError
from rankmax.papers.papers import Exhibit, Paper
from rankmax.papers.registry import PAPERS
from rankmax.papers.reports import Report, Verdict
from rankmax.papers.running import shipped_results
from rankmax.papers.store import StoredStudy


def pages() -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each page, and of each figure."""
    papers = list(PAPERS.load_all().values())
    listing = "\n".join(f"paper-{paper.name}" for paper in papers)
    yield "papers.md", _OVERVIEW.format(rows="\n".join(map(_overview_row, papers)), listing=listing)
    for paper in papers:
        sections = []
        for exhibit in paper.exhibits:
            stored = shipped_results(paper, exhibit.study)
            figure = None if stored is None else _figure(exhibit, stored)
            figure_name = f"paper-{paper.name}-{exhibit.name}.svg"
            if figure is not None:
                yield figure_name, figure
            sections.append(_section(paper, exhibit, stored, figure_name if figure is not None else None))
        readme = (paper.folder / "README.md").read_text(encoding="utf-8")
        yield f"paper-{paper.name}.md", f"{readme}\n{paper.reference}.\n\n" + "\n".join(sections)


def _overview_row(paper: Paper) -> str:
    verdicts = Counter(
        finding.verdict for exhibit in paper.exhibits for finding in _report(paper, exhibit).findings.values()
    )
    counts = [str(verdicts[verdict]) for verdict in Verdict]
    studies = {exhibit.study.name: exhibit.study for exhibit in paper.exhibits}
    stored = [shipped_results(paper, study) for study in studies.values()]
    minutes = sum(one.cpu_seconds for one in stored if one is not None) / 60
    return f"| {paper.reference} | {' | '.join(counts)} | {minutes:.1f} |"


def _report(paper: Paper, exhibit: Exhibit) -> Report:
    stored = shipped_results(paper, exhibit.study)
    return paper.report(exhibit, {} if stored is None else stored.values)


def _section(paper: Paper, exhibit: Exhibit, stored: StoredStudy | None, figure: str | None) -> str:
    report = _report(paper, exhibit)
    lines = [f"## {exhibit.name.replace('-', ' ').capitalize()}: {exhibit.title}\n"]
    for table in report.tables:
        lines.append(f"{table.title}:\n\n{table.markdown()}\n")
    if figure is not None:
        lines.append(f"![{exhibit.title}]({figure})\n")
    claims = paper.claims_of(exhibit)
    if claims:
        lines.append("| claim | where | verdict | evidence |\n| --- | --- | --- | --- |")
        for claim in claims:
            finding = report.findings[claim.id]
            lines.append(f"| {claim.says} | {claim.where} | **{finding.verdict}** | {finding.evidence} |")
        lines.append("")
    if stored is not None:
        versions = ", ".join(f"{name} {version}" for name, version in stored.versions.items())
        spent = f"{stored.cpu_seconds / 60:.1f} minutes of processor time for its study"
        lines.append(f"Seed {stored.settings['seed']}; {spent}; {versions}.\n")
    return "\n".join(lines)


def _figure(exhibit: Exhibit, stored: StoredStudy) -> str | None:
    """Return a figure as SVG; none where nothing can draw."""
    if exhibit.draw is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "figure.svg")
        try:
            exhibit.draw(stored.values, path)
        except MissingDependencyError:
            return None
        return path.read_text(encoding="utf-8")


_OVERVIEW = """\
# The papers, re-run

`rankmax reproduce PAPER` runs a paper's experiments on collections at hand, and says which of its claims hold there.
What follows comes from the results that rankmax was released with; claims are not tested where they have none yet.

A claim is decided by a 95% confidence interval of the effect that it claims, against bounds that the paper's
`expected.toml` fixes: it *holds* where the whole interval is on its side of the bound, *does not hold* where the whole
interval excludes the effect, and is *inconclusive* where these collections cannot tell.

| paper | claims that hold | that do not | inconclusive | not tested | processor minutes |
| --- | --- | --- | --- | --- | --- |
{rows}

:::{{toctree}}
:maxdepth: 1

{listing}
:::
"""
