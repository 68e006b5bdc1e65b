from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from rankmax.engines.configuration_push import described, send
from rankmax.engines.export_target import Request
from rankmax.engines.http_client import Credentials, address
from rankmax.errors import InvalidParameterError, ServerError

REQUEST = Request("PUT", "_search/pipeline/mine", {"description": "größer"})
SECRET = Credentials.from_environment({"RANKMAX_USER": "me", "RANKMAX_PASSWORD": "hunter2"})


@dataclass
class Engine:
    """A server that answers as told, and keeps what it was sent."""

    url: str = ""
    status: int = 200
    answer: bytes = b'{"acknowledged": true}'
    location: str | None = None
    got: list[tuple[str, str, dict[str, str], bytes]] = field(default_factory=list)


@pytest.fixture
def engine() -> Iterator[Engine]:
    state = Engine()

    class Handler(BaseHTTPRequestHandler):
        def do_PUT(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            state.got.append((self.command, self.path, dict(self.headers), body))
            self.send_response(state.status)
            if state.location is not None:
                self.send_header("Location", state.location)
            self.send_header("Content-Length", str(len(state.answer)))
            self.end_headers()
            self.wfile.write(state.answer)

        do_GET = do_PUT  # noqa: N815

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        state.url = f"http://127.0.0.1:{server.server_port}"
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield state
        server.shutdown()


def test_the_request_arrives(engine: Engine) -> None:
    assert send(REQUEST, f"{engine.url}/", None) == '{"acknowledged": true}'
    ((method, path, headers, body),) = engine.got
    assert (method, path) == ("PUT", "/_search/pipeline/mine")
    assert headers["Content-Type"] == "application/json"
    assert "Authorization" not in headers
    assert json.loads(body) == REQUEST.body


def test_credentials_are_sent_but_not_shown(engine: Engine) -> None:
    send(REQUEST, engine.url, SECRET)
    assert engine.got[0][2]["Authorization"] == "Basic bWU6aHVudGVyMg=="
    for text in (described(REQUEST, engine.url, SECRET), repr(SECRET)):
        assert "hunter2" not in text
        assert "bWU6aHVudGVyMg" not in text


def test_an_answer_that_repeats_credentials_is_blanked(engine: Engine) -> None:
    engine.status, engine.answer = 403, b"Basic bWU6aHVudGVyMg== is not allowed"
    with pytest.raises(ServerError, match=r"answered 403 Forbidden: \.\.\. is not allowed"):
        send(REQUEST, engine.url, SECRET)


def test_a_redirection_is_not_followed(engine: Engine) -> None:
    engine.status, engine.location = 302, f"{engine.url}/elsewhere"
    with pytest.raises(ServerError, match="answered 302"):
        send(REQUEST, engine.url, SECRET)
    assert len(engine.got) == 1


def test_long_answers_are_cut(engine: Engine) -> None:
    engine.status, engine.answer = 400, b"x" * 5000
    with pytest.raises(ServerError) as error:
        send(REQUEST, engine.url, None)
    assert len(str(error.value)) < 1200


def test_nobody_there() -> None:
    with HTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as server:
        port = server.server_port
    with pytest.raises(ServerError, match="could not be reached"):
        send(REQUEST, f"http://127.0.0.1:{port}", None)


def test_credentials_do_not_leave_the_machine_unencrypted() -> None:
    with pytest.raises(InvalidParameterError, match="only over https"):
        send(REQUEST, "http://search.example.org:9200", SECRET)


@pytest.mark.parametrize(
    "url",
    [
        "localhost:9200",
        "file:///etc/passwd",
        "https://",
        "https://a/?b=c",
        "https://a:port",
        "https://[a",
        "https://ä",
        "https://a/\r\nX: y",
        "https://a b",
    ],
)
def test_what_is_no_address(url: str) -> None:
    with pytest.raises(InvalidParameterError):
        address(REQUEST, url)


def test_credentials_in_the_address_are_refused_without_being_shown() -> None:
    with pytest.raises(InvalidParameterError, match="RANKMAX_API_KEY") as error:
        address(REQUEST, "https://me:hunter2@localhost")
    assert "hunter2" not in str(error.value)


def test_credentials_of_the_environment() -> None:
    assert Credentials.from_environment({}) is None
    key = Credentials.from_environment({"RANKMAX_API_KEY": "abc=="})
    assert key is not None
    assert key.authorization == "ApiKey abc=="


@pytest.mark.parametrize(
    "environment",
    [
        {"RANKMAX_API_KEY": "abc", "RANKMAX_USER": "me"},
        {"RANKMAX_USER": "me"},
        {"RANKMAX_PASSWORD": "hunter2"},
        {"RANKMAX_API_KEY": "abc\r\nX: y"},
    ],
)
def test_credentials_that_do_not_go_together(environment: dict[str, str]) -> None:
    with pytest.raises(InvalidParameterError) as error:
        Credentials.from_environment(environment)
    assert "abc" not in str(error.value)
    assert "hunter2" not in str(error.value)
