"""Fetch the search engines that can be had into .engines, for the tests in tests/engines/real.

What is there is left as it is; what cannot be had is named with the reason, and its tests are skipped.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from engines import opensearch, python_packages, solr, vespa

ENGINES: dict[str, Callable[[Path], str]] = {
    "python": python_packages.install,
    "opensearch": opensearch.install,
    "solr": solr.install,
    "vespa": vespa.install,
}
"""Functions that install engines into a folder, and tell in one line what they got or why not."""
NOT_PACKAGED = {
    "Elasticsearch": "no package repository has its server; tools/elasticsearch_in_docker.sh tests it where Docker is",
    "Weaviate": "no package repository has its server",
}


def main() -> None:
    """Install what is not there, and print what each function tells."""
    for name, install in ENGINES.items():
        print(install(Path(__file__).parents[1] / ".engines" / name), flush=True)
    for name, reason in NOT_PACKAGED.items():
        print(f"{name} is not installed: {reason}")


if __name__ == "__main__":
    main()
