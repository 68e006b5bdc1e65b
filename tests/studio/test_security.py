"""Each defense, tried."""

from __future__ import annotations

import socket

import pytest

from rankmax.studio.security import Access
from rankmax.studio.server import StudioServer

READ = {"data": "train.npz", "current": {"weights": {"f1": 1}}, "reference": {"weights": {"f2": 1}}}


def test_the_token_buys_a_cookie_and_leaves_the_address(client, server: StudioServer) -> None:
    entered = client.get(f"/?token={server.access.token}&x=1", Cookie=None)
    assert (entered.status, entered.headers["location"]) == (303, "/?x=1")
    cookie = entered.headers["set-cookie"].lower()
    assert {"httponly", "samesite=strict", "path=/"} <= {part.strip() for part in cookie.split(";")}
    assert client.get("/", Cookie=entered.headers["set-cookie"].split(";")[0]).status == 200


@pytest.mark.parametrize(
    "cookie", [None, "", "rankmax-studio-1=x", "{name}=", "{name}=wrong", "{name}={token}x", "other={token}"]
)
@pytest.mark.parametrize("path", ["/", "/api/project", "/static/app.js", "/api/models/baseline.json/file"])
def test_nothing_is_shown_without_the_cookie(client, cookie: str | None, path: str) -> None:
    name, token = client.access.cookie, client.access.token
    answer = client.get(path, Cookie=cookie and cookie.format(name=name, token=token))
    assert answer.status == 403
    assert b"script" not in answer.body


def test_a_wrong_token_opens_nothing(client) -> None:
    assert client.get("/?token=guess", Cookie=None).status == 403
    assert client.get("/?token=", Cookie=None).status == 403
    assert client.get(f"/api/project?token={client.access.token}", Cookie=None).status == 403, "only the front door"


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{port}", "localhost:{port}", "127.0.0.1", "127.0.0.1:1", None]
)
def test_other_hosts_are_refused(client, host: str | None) -> None:
    answer = client.get("/", Host=host and host.format(port=client.access.port))
    assert answer.status in (400, 421)  # without any Host the protocol itself is broken
    assert b"rankmax studio" not in answer.body


@pytest.mark.parametrize(
    "origin", [None, "null", "https://evil.example", "http://127.0.0.1:1", "http://localhost:{port}"]
)
@pytest.mark.parametrize(
    ("method", "path"), [("POST", "/api/models"), ("POST", "/api/read"), ("DELETE", "/api/runs/1")]
)
def test_other_pages_change_nothing(client, origin: str | None, method: str, path: str) -> None:
    given = origin and origin.format(port=client.access.port)
    assert client.send(method, path, READ, Origin=given).status == 403


def test_other_pages_learn_nothing(client) -> None:
    headers = client.get("/api/project", Origin="https://evil.example").headers
    assert "access-control-allow-origin" not in headers
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("path", ["/", "/static/app.js", "/api/project", "/no-such-page"])
def test_the_browser_is_told_to_load_and_run_nothing_else(client, path: str) -> None:
    policy = client.get(path).headers["content-security-policy"]
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == "'none'"
    assert rules["script-src"] == rules["style-src"] == rules["connect-src"] == "'self'"
    assert rules["frame-ancestors"] == rules["base-uri"] == rules["form-action"] == "'none'"
    assert "unsafe" not in policy


def test_only_this_machine_is_listened_to(server: StudioServer) -> None:
    listening = socket.socket()
    listening.bind(("127.0.0.2", server.access.port))  # would be taken if the studio listened on every address
    listening.close()


def test_tokens_differ_and_stay_out_of_messages() -> None:
    first, second = Access(1), Access(1)
    assert first.token != second.token
    assert len(first.token) >= 40
    assert first.token not in repr(first)
