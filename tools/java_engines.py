"""Install the search engines that run on Java into .engines, for the tests in tests/engines/real.

What is installed is left as it is; what cannot be had is named with the reason, and its tests are skipped.
"""

from __future__ import annotations

from pathlib import Path

from engines import opensearch, solr, vespa

ENGINES = {"opensearch": opensearch.install, "solr": solr.install, "vespa": vespa.install}


def main() -> None:
    """Install what is not there, and print a line for each engine."""
    for name, install in ENGINES.items():
        print(install(Path(__file__).parents[1] / ".engines" / name), flush=True)


if __name__ == "__main__":
    main()
