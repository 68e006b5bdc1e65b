"""Access control: only the browser that was given the studio's address may use it.

The studio listens on this machine only, but every page that is open in a browser, and every program of another user,
can send requests to it. So each request must

- name the studio in its Host header, otherwise a foreign name that resolves to 127.0.0.1 would work (DNS rebinding);
- carry a cookie that only the address with the random token sets. It is sent by the studio's own pages alone
  (SameSite=Strict) and no script can read it (HttpOnly);
- come from the studio's own pages if it changes anything. To browsers all ports of one host are the same site, so
  the cookie alone would let a page of another local server in; its Origin reveals it.

A studio for a notebook is shown in a frame of another page, where browsers send no cookie. Its address begins with the
token instead (``/token/...``), all of its own links stay below that, and only pages of this machine may frame it.

Responses load nothing from other hosts and run no script but the studio's own files (Content-Security-Policy).
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import cookie_parser
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

HOST = "127.0.0.1"

_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors "
    ),
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
_NOTEBOOKS = "http://127.0.0.1:* http://localhost:* vscode-webview:"
_READING = ("GET", "HEAD")
_NO_ENTRY = (
    "This is a rankmax studio. Open the address that `rankmax studio` printed: it has the token that lets you in.\n"
)


@dataclass(frozen=True)
class Access:
    """Port and token that give a browser access.

    Attributes
    ----------
    port : int
    token : str
        Random token.
    framed : bool
        Whether a notebook may show the studio in a frame.

    Examples
    --------
    >>> Access(8000, "s3cret").address, Access(8000, "s3cret", framed=True).address
    ('http://127.0.0.1:8000/?token=s3cret', 'http://127.0.0.1:8000/s3cret/')
    """

    port: int
    token: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)
    framed: bool = False

    @property
    def address(self) -> str:
        """Address to open in a browser."""
        return f"{self.origin}/{self.token}/" if self.framed else f"{self.origin}/?token={self.token}"

    @property
    def origin(self) -> str:
        """Origin of the studio's pages."""
        return f"http://{HOST}:{self.port}"

    @property
    def cookie(self) -> str:
        """Name of the cookie; browsers share cookies between the ports of a host."""
        return f"rankmax-studio-{self.port}"

    def opens(self, token: str) -> bool:
        """Return whether a token is correct, in constant time."""
        return secrets.compare_digest(token.encode(), self.token.encode())


class Guard:
    """Middleware that refuses requests without access, and adds security headers.

    Parameters
    ----------
    app : ASGI application
    access : Access
    """

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self._app = app
        self._access = access
        policy = _HEADERS["Content-Security-Policy"] + (_NOTEBOOKS if access.framed else "'none'")
        self._headers = {**_HEADERS, "Content-Security-Policy": policy}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse a request, or pass it on."""
        if scope["type"] != "http":  # lifespan events pass; the studio has no other protocol
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return

        async def send_bound(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(self._headers)
            await send(message)

        own = self._below_token(scope) if self._access.framed else scope
        await (self._refusal(own, is_open=own is not scope) or self._app)(own, receive, send_bound)

    def _below_token(self, scope: Scope) -> Scope:
        """Return a request without the token that its path begins with; the request itself where there is none."""
        _, token, *rest = f"{scope['path']}/".split("/", 2)
        if not rest or not self._access.opens(token):
            return scope
        path = f"/{rest[0].removesuffix('/')}"
        return {**scope, "path": path, "raw_path": path.encode(), "root_path": ""}

    def _refusal(self, scope: Scope, *, is_open: bool) -> Response | None:
        headers = Headers(scope=scope)
        origin = self._access.origin
        if headers.getlist("host") != [origin.removeprefix("http://")]:
            return PlainTextResponse("The studio answers to its own address only.\n", 421)
        if scope["method"] not in _READING and headers.get("origin") != origin:
            return PlainTextResponse("Only the studio's own pages may change anything.\n", 403)
        if is_open:
            return None
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        given = next((value for name, value in query if name == "token"), None)
        if scope["path"] == "/" and given is not None and self._access.opens(given):
            return self._entry([(name, value) for name, value in query if name != "token"])
        if not self._access.opens(cookie_parser(headers.get("cookie", "")).get(self._access.cookie, "")):
            return PlainTextResponse(_NO_ENTRY, 403)
        return None

    def _entry(self, rest: list[tuple[str, str]]) -> Response:
        """Set the cookie and remove the token from the address, where others might see it."""
        response = RedirectResponse(f"/?{urlencode(rest)}" if rest else "/", 303)
        response.set_cookie(self._access.cookie, self._access.token, httponly=True, samesite="strict", path="/")
        return response
