"""`rankmax warm-up`: compile all kernels before they are needed."""

from __future__ import annotations

import click

from rankmax.cli.output import note, working


@click.command()
@click.option("--jobs", type=click.IntRange(1), help="Processes.  [default: one for each processor]")
def warm_up(jobs: int | None) -> None:
    """Compile all kernels, so that no verb has to wait for them when it is first used.

    For checkouts, and for images that are built from source: a wheel for your platform and Python brings its kernels
    compiled, and nothing is left to do. Compiled kernels are written to the folder that the environment variable
    NUMBA_CACHE_DIR names, or beside the package, or to the user's cache folder.

    \b
    Examples:
      rankmax warm-up
      NUMBA_CACHE_DIR=/var/cache/rankmax rankmax warm-up
    """
    from rankmax.workflows.warm_up.jobs import JOBS
    from rankmax.workflows.warm_up.processes import warm_up as compile_kernels

    with working("Compiling kernels", total=len(JOBS)) as work:
        n_compiled = compile_kernels(n_processes=jobs, tick=lambda _: work.advance())
    note(f"compiled {n_compiled} kernels" if n_compiled else "all kernels were compiled already")
