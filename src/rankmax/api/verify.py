"""`rankmax.verify`: check a certificate of `rankmax.prove`."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from rankmax.api.inputs import as_dataset
from rankmax.workflows.proofs.certificate import Certificate
from rankmax.workflows.proofs.verification import Verification, verify_certificate


def verify(
    certificate: Certificate | str | os.PathLike[str], data: Any, *, callback: Callable[[float], None] | None = None
) -> Verification:
    """Check a certificate against the data, with none of the code that made it; raise if it does not hold.

    Parameters
    ----------
    certificate : Certificate or path
        Certificate of :func:`rankmax.prove <rankmax.api.prove.prove>`.
    data : RankingDataset or path of a data file
        The data that the certificate is about.
    callback : callable, optional
        Receives the share of cells checked so far.

    Returns
    -------
    Verification

    Examples
    --------
    >>> from rankmax import prove
    >>> from rankmax.data import planted_linear
    >>> data = planted_linear(10, 5, 2, noise=0.4, seed=1).data
    >>> certificate = prove(data, "AP")
    >>> abs(verify(certificate, data).value - certificate.value) < 1e-12
    True
    """
    loaded = certificate if isinstance(certificate, Certificate) else Certificate.load(certificate)
    return verify_certificate(loaded, as_dataset(data), callback=callback)
