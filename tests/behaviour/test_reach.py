"""Where calls may go: servers of documents, redirects, proxies, and the secrets that stay here."""

from __future__ import annotations

import itertools
import socket
import threading
from base64 import b64encode
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from tests.support.net.drivers import Driver, both, failure, response
from tests.support.net.servers import Server, http, running

from restwright.calls.approval.approval import approve_all
from restwright.calls.approval.destination import add_idempotency_key
from restwright.calls.auth.connection import Connection
from restwright.calls.call import call
from restwright.errors import MissingServer, RefusedRequest
from restwright.net.http.transport import Transport
from restwright.net.messages import Request
from restwright.net.policy.origins import Origin
from restwright.net.policy.proxies import Proxy, find_proxy
from restwright.openapi.api import load
from restwright.testing import document
from restwright.tools.catalog.catalog import catalog
from restwright.tools.tool import Tool

CANARY = "canary-5f1d7c"
ADVERSARIAL = Path(__file__).parents[3] / "shared" / "data" / "conformance" / "adversarial"


class Collector:
    """A listener on loopback that keeps every byte and answers each request the same."""

    def __init__(self, answer: bytes = b"HTTP/1.1 204 No Content\r\n\r\n") -> None:
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.answer, self.received = answer, b""
        threading.Thread(target=self.run, daemon=True).start()

    @property
    def port(self) -> int:
        return self.listener.getsockname()[1]

    def run(self) -> None:
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection: socket.socket) -> None:
        with connection, suppress(OSError):
            connection.settimeout(2)
            while data := connection.recv(65536):
                self.received += data
                connection.sendall(self.answer)


@pytest.fixture
def collector() -> Iterator[Collector]:
    found = Collector()
    yield found
    found.listener.close()


def tool_of(source: object) -> Tool:
    (tool,) = catalog(load(source)).tools  # type: ignore[arg-type]
    return tool


SERVERS = sorted(ADVERSARIAL.glob("server_*.yaml"))


@pytest.mark.corpus
@pytest.mark.skipif(not SERVERS, reason="the shared fixtures are not there")
@pytest.mark.parametrize("path", SERVERS, ids=lambda path: path.stem)
@pytest.mark.parametrize("auth", [None, "env:CANARY"])
def test_a_server_that_only_a_document_names_gets_nothing(
    collector: Collector, monkeypatch: pytest.MonkeyPatch, path: Path, auth: str | None
) -> None:
    monkeypatch.setenv("CANARY", CANARY)
    text = path.read_text().replace("PORT", str(collector.port))
    public = ["8.8.8.8"]
    tool = tool_of(text.encode())
    kind = "refused"
    with Transport(timeout_s=0.2, resolve=lambda *_: public) as send:
        if auth is None and "attacker" in text and "op_override" not in path.stem:
            return  # a public server of the document as a whole may be asked, without secrets
        with suppress(MissingServer, RefusedRequest):
            kind = call(
                tool, {}, connection=Connection(auth=auth), send=send, approve=approve_all
            ).kind
    assert (kind, collector.received) == ("refused", b"")


def served(*, document_server: str, own: str | None = None) -> Tool:
    operation = {"operationId": "op", "responses": {}}
    if own:
        operation["servers"] = [{"url": own}]
    return tool_of(document(paths={"/x": {"get": operation}}, servers=[{"url": document_server}]))


def test_a_named_server_on_this_machine_is_asked(collector: Collector) -> None:
    url = f"http://127.0.0.1:{collector.port}"
    tool = served(document_server="https://api.example.test")
    with Transport() as send:
        result = call(tool, {}, connection=Connection(server=url), send=send, approve=approve_all)
    assert result.status == 204


def test_a_document_cannot_name_this_machine(collector: Collector) -> None:
    tool = served(document_server=f"http://127.0.0.1:{collector.port}")
    with Transport() as send:
        result = call(tool, {}, connection=Connection(), send=send, approve=approve_all)
    assert (result.kind, collector.received) == ("refused", b"")
    assert result.error is not None
    assert f"http://127.0.0.1:{collector.port}" in result.error.hint
    assert "Connection" not in result.text


def test_an_operation_on_another_origin_is_refused_until_that_is_named() -> None:
    tool = served(document_server="https://api.example.test", own="https://files.example.test")
    with Transport() as send:
        result = call(tool, {}, connection=Connection(), send=send, approve=approve_all)
    assert result.kind == "refused"
    assert result.error is not None
    assert "Connection(server='https://files.example.test')" in result.error.hint


def test_an_idempotency_key_is_made_where_the_document_declares_one() -> None:
    parameter = {"name": "Idempotency-Key", "in": "header", "schema": {"type": "string"}}
    operation = {"operationId": "op", "parameters": [parameter], "responses": {}}
    tool = tool_of(document(paths={"/x": {"post": operation}}))
    ((name, made),) = add_idempotency_key(tool, {}).items()
    assert len(made) == 36
    assert add_idempotency_key(tool, {}) != {name: made}
    assert add_idempotency_key(tool, {name: "mine"}) == {name: "mine"}


BASIC = b64encode(f"alice:{CANARY}".encode()).decode()
SECRETS = {
    "basic": ((("Authorization", f"Basic {BASIC}"),), ""),
    "bearer": ((("Authorization", f"Bearer {CANARY}"),), ""),
    "header": ((("X-API-Key", CANARY),), ""),
    "cookie": ((("Cookie", f"session={CANARY}"),), ""),
    "query": ((), f"?key={CANARY}"),
}
TARGETS = (
    *("port", "host", "scheme", "no scheme", "userinfo", "userinfo of the origin"),
    *("metadata", "file"),
)


STATUSES = pytest.mark.parametrize("status", [301, 302, 303, 307, 308])


def moved(status: int, location: str) -> bytes:
    head = f"HTTP/1.1 {status} Moved\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n"
    return head.encode()


@both
@STATUSES
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("follows", [0, 5])
def test_a_redirect_takes_no_secret_to_another_origin(
    collector: Collector, drive: Driver, status: int, target: str, follows: int
) -> None:
    start = Collector()
    start.answer = moved(
        status,
        {
            "port": f"http://127.0.0.1:{collector.port}/",
            "host": f"http://localhost:{collector.port}/",
            "scheme": f"https://127.0.0.1:{start.port}/",
            "no scheme": f"//127.0.0.1:{collector.port}/",
            "userinfo": f"http://me@127.0.0.1:{collector.port}/",
            "userinfo of the origin": f"http://127.0.0.1:{start.port}@127.0.0.1:{collector.port}/",
            "metadata": "http://169.254.169.254/latest",
            "file": "file:///etc/passwd",
        }[target],
    )
    requests = [
        Request(
            method=method,
            url=f"http://127.0.0.1:{start.port}/{query}",
            headers=headers,
            is_named=True,
        )
        for method, (headers, query) in itertools.product(("GET", "POST"), SECRETS.values())
    ]
    outcomes = drive(*requests, max_redirects=follows)
    assert [response(each).status for each in outcomes] == [status] * len(requests)
    assert collector.received == b""
    assert secrets_in(start.received) == 2 * len(SECRETS)
    start.listener.close()


def secrets_in(received: bytes) -> int:
    return received.count(CANARY.encode()) + received.count(BASIC.encode())


@both
@STATUSES
@pytest.mark.parametrize("kind", SECRETS)
def test_a_redirect_inside_the_origin_keeps_the_secret_of_a_read(
    drive: Driver, status: int, kind: str
) -> None:
    headers, query = SECRETS[kind]
    server = Server((moved(status, "/b"), http(b"there")))
    request = Request(method="GET", url=server.url(query), headers=headers, is_named=True)
    with running(server):
        (outcome,) = drive(request, max_redirects=1)
    assert response(outcome).body == b"there"
    first, second = server.requests
    assert (secrets_in(first), first.split()[1]) == (1, f"/{query}".encode())
    # A key in the query is part of the URL that was left.
    assert (secrets_in(second), second.split()[1]) == (0 if query else 1, b"/b")


@both
@STATUSES
def test_a_redirect_inside_the_origin_is_followed_for_reads_alone(
    drive: Driver, status: int
) -> None:
    server = Server((moved(status, "/b"),))
    requests = [
        Request(method=method, url=server.url(), is_named=True)
        for method in ("GET", "HEAD", "POST", "PUT", "DELETE")
    ]
    with running(server):
        got, looked, *written = drive(*requests, max_redirects=3)
    for outcome in (got, looked):
        assert "more than 3 redirects" in str(failure(outcome))
    assert [response(each).status for each in written] == [status] * 3
    asked = [each.split(b" ")[0] for each in server.requests]
    assert asked == [b"GET"] * 4 + [b"HEAD"] * 4 + [b"POST", b"PUT", b"DELETE"]


@pytest.mark.parametrize(
    ("no_proxy", "host", "is_used"),
    [
        ("", "api.test", True),
        ("api.test", "api.test", False),
        (".test", "api.test", False),
        ("*.test", "api.test", False),
        ("pi.test", "api.test", True),
        ("api.test:81", "api.test", True),
        ("*", "api.test", False),
        ("10.0.0.0/8", "10.1.2.3", False),
        ("", "127.0.0.1", False),
        ("", "localhost", False),
    ],
)
def test_the_proxy_of_the_environment_is_used(
    monkeypatch: pytest.MonkeyPatch, no_proxy: str, host: str, is_used: bool
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://me:p%40ss@proxy.test:3128")
    monkeypatch.setenv("NO_PROXY", no_proxy)
    wanted = Proxy("http://proxy.test:3128", ("me", "p@ss")) if is_used else None
    assert find_proxy(Origin("http", host, 80)) == wanted


def test_a_proxy_that_cannot_be_used_is_refused_without_its_password(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HTTP_PROXY", f"socks5://me:{CANARY}@proxy.test:3128")
    with pytest.raises(RefusedRequest) as caught:
        find_proxy(Origin("http", "api.test", 80))
    assert CANARY not in str(caught.value)


def test_a_write_without_an_answer_says_that_its_outcome_is_unknown(collector: Collector) -> None:
    collector.answer = b"not HTTP\r\n\r\n"
    url = f"http://127.0.0.1:{collector.port}"
    operation = {"operationId": "op", "responses": {}}
    tool = tool_of(document(paths={"/x": {"post": operation}}))
    with Transport(timeout_s=2) as send:
        result = call(tool, {}, connection=Connection(server=url), send=send, approve=approve_all)
    assert result.kind == "no_response"
    assert result.text.endswith("whether it took effect is unknown: look before repeating it")
