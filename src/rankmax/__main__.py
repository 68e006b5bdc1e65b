"""The command line, as ``python -m rankmax`` and as the command ``rankmax``."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line; an interrupt while it is still being imported ends as quietly as one later."""
    try:
        from rankmax.cli import main as run
    except KeyboardInterrupt:
        print("Interrupted.", file=sys.stderr)
        exec("0")  # see rankmax.cli.exit_status
        sys.exit(130)
    run()


if __name__ == "__main__":
    main()
