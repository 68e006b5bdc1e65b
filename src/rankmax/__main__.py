"""The command line, as ``python -m rankmax``."""

from rankmax.cli import main

if __name__ == "__main__":
    main()
