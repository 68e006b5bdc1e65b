"""Servers that several modules use: started once, stopped at the end."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from engines import opensearch, solr

ENGINES = Path(__file__).parents[3] / ".engines"


@pytest.fixture(scope="session")
def opensearch_address() -> Iterator[str]:
    """Return the address of a node of OpenSearch."""
    if not opensearch.is_installed(ENGINES / "opensearch"):
        pytest.skip("no OpenSearch: make engines installs it where it can be had")
    with opensearch.start(ENGINES / "opensearch") as address:
        yield address


@pytest.fixture(scope="session")
def solr_address() -> Iterator[str]:
    """Return the address of a core of Solr."""
    if not solr.is_installed(ENGINES / "solr"):
        pytest.skip("no Solr: make engines installs it where it can be had")
    with solr.start(ENGINES / "solr") as address:
        yield address
