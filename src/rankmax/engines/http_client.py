"""Requests to an engine over HTTP; credentials come from the environment, and are neither stored nor shown."""

from __future__ import annotations

import base64
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from http.client import HTTPException
from time import time
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, build_opener
from urllib.request import Request as HTTPRequest

import msgspec

from rankmax._version import __version__
from rankmax.engines.export_target import Request
from rankmax.errors import InvalidParameterError, ServerError, TransientServerError

API_KEY, USER, PASSWORD = "RANKMAX_API_KEY", "RANKMAX_USER", "RANKMAX_PASSWORD"
"""Environment variables that hold credentials."""

SECONDS = 30.0
"""Time limit of a request by default."""

_MOST_SHOWN = 1000  # characters of a response
_LOCAL = {"localhost", "127.0.0.1", "::1"}
_MAY_PASS = {408, 429, 500, 502, 503, 504}  # statuses after which the same request may succeed


@dataclass(frozen=True)
class Credentials:
    """Credentials sent to an engine.

    Attributes
    ----------
    source : str
        Where they come from; safe to show.
    authorization : str
        Value of the Authorization header; never shown.
    """

    source: str
    authorization: str = field(repr=False)

    @staticmethod
    def from_environment(environment: Mapping[str, str] | None = None) -> Credentials | None:
        """Return the credentials of the environment, or None where it has none.

        Parameters
        ----------
        environment : mapping, optional
            Environment variables; those of the process by default.

        Examples
        --------
        >>> Credentials.from_environment({"RANKMAX_API_KEY": "c2VjcmV0"})
        Credentials(source='ApiKey of RANKMAX_API_KEY')
        """
        given = os.environ if environment is None else environment
        key, user, password = (given.get(name) for name in (API_KEY, USER, PASSWORD))
        if key and (user or password):
            raise InvalidParameterError(f"both {API_KEY} and {USER} or {PASSWORD} are set; unset one")
        if key:
            return Credentials(f"ApiKey of {API_KEY}", f"ApiKey {_one_line(API_KEY, key)}")
        if not user and not password:
            return None
        if not user or not password:
            raise InvalidParameterError(f"{USER} and {PASSWORD} go together; one of them is not set")
        pair = f"{_one_line(USER, user)}:{_one_line(PASSWORD, password)}"
        return Credentials(f"Basic of {USER} and {PASSWORD}", f"Basic {base64.b64encode(pair.encode()).decode()}")


def address(request: Request, url: str) -> str:
    """Return the full address of a request, or refuse a URL that cannot be an engine's.

    Parameters
    ----------
    request : Request
    url : str
        Address of the engine, without credentials.

    Examples
    --------
    >>> address(Request("PUT", "schema/model-store", {}), "http://localhost:8983/solr/books/")
    'http://localhost:8983/solr/books/schema/model-store'
    >>> address(Request("PUT", "schema/model-store", {}), "https://me:secret@localhost")
    Traceback (most recent call last):
    rankmax.errors.InvalidParameterError: the URL holds credentials; put them into RANKMAX_API_KEY, or into ...
    """
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        raise InvalidParameterError(f"the URL is not valid: {error}") from None
    if parts.username is not None or parts.password is not None:
        raise InvalidParameterError(
            f"the URL holds credentials; put them into {API_KEY}, or into {USER} and {PASSWORD}"
        )
    plain = all("!" <= character <= "~" for character in url)
    if parts.scheme not in ("http", "https") or not host or parts.query or parts.fragment or not plain:
        raise InvalidParameterError(f"{url!r} is not the address of an engine; expected e.g. https://localhost:9200")
    return f"{url.rstrip('/')}/{request.path}"


def answer(request: Request, url: str, credentials: Credentials | None, *, timeout: float = SECONDS) -> bytes:
    """Send a request and return the body of the engine's response.

    Redirects are not followed, as they would receive the credentials; credentials never leave this machine unencrypted.
    Failures that may pass (no connection, a time limit, 429, 5xx) raise a
    :class:`~rankmax.errors.TransientServerError`.

    Parameters
    ----------
    request : Request
    url : str
        Address of the engine.
    credentials : Credentials or None
    timeout : float
        Time limit in seconds.
    """
    where = address(request, url)
    headers = {"Content-Type": "application/json", "User-Agent": f"rankmax/{__version__}"}
    if credentials is not None:
        if urlsplit(url).scheme == "http" and urlsplit(url).hostname not in _LOCAL:
            raise InvalidParameterError("credentials are sent to other machines only over https; give an https URL")
        headers["Authorization"] = credentials.authorization
    empty = request.method in ("GET", "DELETE") and not request.body  # engines refuse a body there
    body = None if empty else msgspec.json.encode(request.body)
    try:
        with build_opener(_NoRedirection).open(
            HTTPRequest(where, data=body, headers=headers, method=request.method), timeout=timeout
        ) as response:
            content: bytes = response.read()
            return content
    except HTTPError as error:
        with error:
            reason = shown(error.read(), credentials)
        message = f"{where} answered {error.code} {error.reason}: {reason}"
        if error.code in _MAY_PASS:
            raise TransientServerError(message, _seconds(error.headers.get("Retry-After"))) from None
        raise ServerError(message, error.code) from None
    except (URLError, HTTPException, OSError) as error:
        cause = error.reason if isinstance(error, URLError) else error
        raise TransientServerError(f"{where} could not be reached: {cause or type(error).__name__}") from None


def shown(content: bytes, credentials: Credentials | None) -> str:
    """Return a response as a short text in which the credentials are blanked.

    Parameters
    ----------
    content : bytes
    credentials : Credentials or None

    Examples
    --------
    >>> shown(b"ApiKey c2VjcmV0 is not allowed", Credentials("ApiKey", "ApiKey c2VjcmV0"))
    '... is not allowed'
    """
    text = content.decode(errors="replace").strip()
    if credentials is not None:
        text = text.replace(credentials.authorization, "...").replace(credentials.authorization.split()[1], "...")
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}..."


class _NoRedirection(HTTPRedirectHandler):
    def redirect_request(self, *_: object) -> None:
        return None


def _seconds(retry_after: str | None) -> float | None:
    """Return the seconds of a Retry-After header, which has either a number or a date."""
    if retry_after is None:
        return None
    try:
        if retry_after.strip().isdecimal():
            return float(retry_after)
        return max(0.0, parsedate_to_datetime(retry_after).timestamp() - time())
    except (ValueError, OverflowError):
        return None


def _one_line(name: str, value: str) -> str:
    if not value.isprintable():
        raise InvalidParameterError(f"{name} must be one line of printable characters")
    return value
