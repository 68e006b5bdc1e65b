"""`rankmax verify`: check a certificate against the data."""

from __future__ import annotations

import click

from rankmax.cli.output import print_facts, print_json, working
from rankmax.cli.shared_options import INPUT

_STEPS = 100


@click.command()
@click.argument("certificate", type=INPUT)
@click.argument("data", type=INPUT)
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
def verify(certificate: str, data: str, as_json: bool) -> None:
    """Check that no weights exceed the bound that CERTIFICATE claims for DATA; exit status 1 if some may.

    Follows the cuts of the certificate, checks that they cover all weights, and computes the bound of every cell again,
    independently of the code that made it, with numpy and fractions. So it takes longer than the proof.

    \b
    Examples:
      rankmax verify certificate.json train.txt
      rankmax verify certificate.json train.txt --json
    """
    from rankmax.api import verify as api
    from rankmax.workflows.proofs.certificate import Certificate

    loaded = Certificate.load(certificate)
    with working(f"Checking {certificate}", total=_STEPS) as work:
        n_shown = 0

        def show(share: float) -> None:
            nonlocal n_shown
            while n_shown < share * _STEPS:
                work.advance()
                n_shown += 1

        found = api.verify(loaded, data, callback=show)
    if as_json:
        facts = {"certificate": certificate, "data": data, "metric": loaded.metric.name, "verified": True}
        print_json({**facts, "value": found.value, "bound": found.bound, "leaves": found.n_leaves})
        return
    print_facts(
        {
            "metric": loaded.metric.name,
            "best value": f"{found.value:.6f}",
            "verified": f"no weights exceed {loaded.bound:.6f} on these queries (gap {loaded.gap:.6f})",
            "cells checked": f"{found.n_leaves:,}",
        }
    )
