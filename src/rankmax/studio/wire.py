"""Requests and responses as bytes: JSON with limits, and server-sent events."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any, TypeVar

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

_MOST_BYTES_OF_A_QUESTION = 1 << 20
_Asked = TypeVar("_Asked")


async def asked_for(request: Request, kind: type[_Asked]) -> _Asked:
    """Return a request's body as a type, or refuse it with the reason.

    Parameters
    ----------
    request : Request
    kind : type
    """
    body = await body_of(request, _MOST_BYTES_OF_A_QUESTION)
    try:
        return msgspec.json.decode(body, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise HTTPException(400, f"invalid request: {error}") from None


async def body_of(request: Request, most_bytes: int) -> bytes:
    """Read a request's body, and refuse it as soon as it is too long, whatever its Content-Length.

    Parameters
    ----------
    request : Request
    most_bytes : int
    """
    content = bytearray()
    async for chunk in request.stream():
        content += chunk
        if len(content) > most_bytes:
            raise HTTPException(
                413, f"more than {most_bytes >> 20} MB; copy such a file to the project's folder instead"
            )
    return bytes(content)


def as_json(content: Any, status: int = 200) -> Response:
    """Return a response of JSON.

    Parameters
    ----------
    content : object
    status : int
    """
    return Response(msgspec.json.encode(content), status, media_type="application/json")


def as_event(kind: str, content: Any) -> bytes:
    """Return a server-sent event.

    Parameters
    ----------
    kind : str
    content : object
    """
    return b"event: %s\ndata: %s\n\n" % (kind.encode(), msgspec.json.encode(content))


def as_events(told: AsyncIterator[bytes]) -> Response:
    """Return a response of server-sent events.

    Parameters
    ----------
    told : asynchronous iterator of bytes
    """
    return StreamingResponse(told, media_type="text/event-stream")
