"""Sending of an export to an engine; credentials come from the environment, and are neither stored nor shown."""

from __future__ import annotations

import base64
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.client import HTTPException
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, build_opener
from urllib.request import Request as HTTPRequest

import msgspec

from rankmax._version import __version__
from rankmax.engines.export_target import Request
from rankmax.errors import InvalidParameterError, ServerError

API_KEY, USER, PASSWORD = "RANKMAX_API_KEY", "RANKMAX_USER", "RANKMAX_PASSWORD"
"""Environment variables that hold credentials."""

_SECONDS = 30.0
_MOST_SHOWN = 1000  # characters of a response
_LOCAL = {"localhost", "127.0.0.1", "::1"}


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


def send(request: Request, url: str, credentials: Credentials | None) -> str:
    """Send a request and return the engine's response.

    Redirects are not followed, as they would receive the credentials; credentials never leave this machine unencrypted.

    Parameters
    ----------
    request : Request
    url : str
        Address of the engine.
    credentials : Credentials or None
    """
    where = address(request, url)
    headers = {"Content-Type": "application/json", "User-Agent": f"rankmax/{__version__}"}
    if credentials is not None:
        if urlsplit(url).scheme == "http" and urlsplit(url).hostname not in _LOCAL:
            raise InvalidParameterError("credentials are sent to other machines only over https; give an https URL")
        headers["Authorization"] = credentials.authorization
    body = msgspec.json.encode(request.body)
    try:
        with build_opener(_NoRedirection).open(
            HTTPRequest(where, data=body, headers=headers, method=request.method), timeout=_SECONDS
        ) as answer:
            content: bytes = answer.read()
    except HTTPError as error:
        with error:
            reason = _shown(error.read(), credentials)
        raise ServerError(f"{where} answered {error.code} {error.reason}: {reason}") from None
    except (URLError, HTTPException, OSError) as error:
        cause = error.reason if isinstance(error, URLError) else error
        raise ServerError(f"{where} could not be reached: {cause}") from None
    return _shown(content, credentials)


class _NoRedirection(HTTPRedirectHandler):
    def redirect_request(self, *_: object) -> None:
        return None


def _one_line(name: str, value: str) -> str:
    if not value.isprintable():
        raise InvalidParameterError(f"{name} must be one line of printable characters")
    return value


def _shown(content: bytes, credentials: Credentials | None) -> str:
    text = content.decode(errors="replace").strip()
    if credentials is not None:
        text = text.replace(credentials.authorization, "...").replace(credentials.authorization.split()[1], "...")
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}..."
