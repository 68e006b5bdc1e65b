"""Sending of an export to an engine."""

from __future__ import annotations

from rankmax.engines.export_target import Request
from rankmax.engines.http_client import Credentials, address, answer, shown


def described(request: Request, url: str, credentials: Credentials | None) -> str:
    """Return the request that would be sent, without credentials.

    Parameters
    ----------
    request : Request
    url : str
        Address of the engine.
    credentials : Credentials or None

    Examples
    --------
    >>> request = Request("PUT", "_search/pipeline/mine", {})
    >>> print(described(request, "https://localhost:9200", Credentials("ApiKey of RANKMAX_API_KEY", "ApiKey c2VjcmV0")))
    PUT https://localhost:9200/_search/pipeline/mine
    Content-Type: application/json
    Authorization: ApiKey of RANKMAX_API_KEY (not shown)
    <BLANKLINE>
    {}
    """
    lines = [f"{request.method} {address(request, url)}", "Content-Type: application/json"]
    if credentials is not None:
        lines.append(f"Authorization: {credentials.source} (not shown)")
    return "\n".join([*lines, "", request.json])


def send(request: Request, url: str, credentials: Credentials | None) -> str:
    """Send a request and return the engine's response, shortened.

    Parameters
    ----------
    request : Request
    url : str
        Address of the engine.
    credentials : Credentials or None
    """
    return shown(answer(request, url, credentials), credentials)
