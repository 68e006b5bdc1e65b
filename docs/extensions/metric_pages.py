"""The table of metrics, read from the metric classes."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import fields

from rankmax.metrics.metric import Metric
from rankmax.metrics.registry import registered_metrics

EVERYWHERE = {field.name for field in fields(Metric)}  # explained once, above the table


def pages() -> Iterator[tuple[str, str]]:
    """Yield the name and the text of the page."""
    yield "metrics.md", _PAGE.format(rows="\n".join(map(_row, registered_metrics())))


def _row(metric: type[Metric]) -> str:
    names = ", ".join(f"`{name}`" for name in (metric.symbol, *metric.aliases))
    link = f"{{py:class}}`~{metric.__module__}.{metric.__qualname__}`"
    parameters = ", ".join(f"`{f.name}`" for f in fields(metric) if f.repr and f.name not in EVERYWHERE)
    summary = (inspect.getdoc(metric) or "").partition("\n")[0]
    return f"* - {names}\n  - {link}\n  - {parameters}\n  - {summary}"


_PAGE = """\
# Metrics

Each takes a cutoff, written behind `@` (`AP@100`), and what a query without relevant documents counts as
(`no_relevant`), besides the parameters below. The class page gives the formula and the reference.

:::{{list-table}}
:header-rows: 1

* - Name
  - Class
  - Parameters
  - Meaning
{rows}
:::
"""
