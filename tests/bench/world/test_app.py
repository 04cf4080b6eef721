"""The same world over HTTP, with its admin channel."""

from __future__ import annotations

import json
import socket
import time
from http.client import HTTPConnection
from urllib.parse import urlsplit

import pytest
from tests.support.bench.shelf import DOCUMENT, shelf

from restwright.calls.approval.approval import approve_all
from restwright.calls.approval.policy import ALLOW
from restwright.calls.auth.connection import Connection
from restwright.calls.call import call
from restwright.net.http.transport import Transport
from restwright.net.secret import Secret
from restwright.openapi.api import load
from restwright.testing import never
from restwright.tools.catalog.catalog import catalog
from restwright_bench.world.app import MOST_BYTES, World
from restwright_bench.world.faults import fault_plan
from restwright_bench.world.inside import ORIGIN, Inside
from restwright_bench.world.serving import serving

KEY = "?key=secret"


@pytest.fixture(scope="module")
def url():
    with serving(World([shelf()])) as url:
        yield url


@pytest.fixture
def ask(url):
    connection = HTTPConnection(urlsplit(url).netloc)

    def asked(method: str, path: str, body: object = None) -> tuple[int, dict[str, str], object]:
        content = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        connection.request(method, path, content)
        response = connection.getresponse()
        text = response.read()
        headers = {name.lower(): value for name, value in response.getheaders()}
        return response.status, headers, json.loads(text) if text else None

    asked("POST", "/_world/reset", {"seed": 0, "faults": []})
    yield asked
    connection.close()


def test_the_document_is_served_as_it_is_written_but_for_the_server(ask, url):
    _, _, document = ask("GET", "/shelf/openapi.json")
    assert document == {**DOCUMENT, "servers": [{"url": f"{url}/shelf/1"}]}


@pytest.mark.parametrize(
    ("fault", "headers"),
    [
        ({"status": 404, "reason": "gone"}, {}),
        ({"status": 401}, {"WWW-Authenticate": "Bearer"}),
        ({"status": 429}, {"Retry-After": "2"}),
        ({"status": 500}, {}),
        ({"status": 503}, {"Retry-After": "1"}),
    ],
)
def test_a_planned_fault_comes_once_and_then_the_answer(ask, fault, headers):
    planned = {**fault, "template": "/books/{id}", "headers": headers}
    assert ask("POST", "/_world/reset", {"faults": [planned]})[0] == 200
    status, got, body = ask("GET", f"/shelf/1/books/1{KEY}")
    assert (status, body["status"]) == (fault["status"], fault["status"])
    assert {name.lower(): value for name, value in headers.items()}.items() <= got.items()
    assert ask("GET", f"/shelf/1/books/1{KEY}")[0] == 200


def faulty(ask, **fault):
    assert (
        ask("POST", "/_world/reset", {"faults": [{"template": "/books/{id}", **fault}]})[0] == 200
    )


def test_a_late_answer_keeps_nobody_else_waiting(ask, url):
    faulty(ask, latency_s=1)
    started = time.monotonic()
    late = HTTPConnection(urlsplit(url).netloc)
    late.request("GET", f"/shelf/1/books/1{KEY}")
    time.sleep(0.1)
    assert ask("GET", f"/shelf/1/books/2{KEY}")[0] == 200
    assert time.monotonic() - started < 1
    assert json.loads(late.getresponse().read())["id"] == 1
    assert time.monotonic() - started >= 1
    late.close()


@pytest.mark.parametrize("is_inside", [True, False])
@pytest.mark.parametrize(
    ("fault", "kind", "says"),
    [
        ({"cut": 12}, "ok", "but is no JSON"),
        ({"media_type": "text/html"}, "ok", "said to be text/html"),
        ({"latency_s": 0.1}, "ok", ""),
        ({"status": 502, "media_type": "text/html", "cut": 9}, "http_error", "502"),
    ],
)
def test_restwright_meets_each_fault_with_a_result(url, is_inside, fault, kind, says):
    world = World([shelf()])
    world.reset(faults=fault_plan([{"every": 1, **fault}]))
    tool = catalog(load(DOCUMENT, alias="shelf"))["shelf__get_book"]
    with serving(world) as own, Transport() as transport:
        origin = ORIGIN if is_inside else own
        connection = Connection(server=f"{origin}/shelf/1", auth={"key": Secret("secret")})
        send = Inside(world.answer) if is_inside else transport
        result = call(tool, {"id": 1}, connection=connection, send=send, approve=never)
    assert result.kind == kind
    assert says in " ".join((result.text, *result.warnings))


def test_the_state_and_the_log_can_be_looked_at(ask):
    ask("DELETE", f"/shelf/1/books/1{KEY}")
    _, _, snapshot = ask("GET", "/_world/snapshot")
    assert sorted(snapshot["shelf"]["books"]) == ["2", "3"]
    _, _, calls = ask("GET", "/_world/calls")
    assert [(each["method"], each["template"], each["status"]) for each in calls] == [
        ("DELETE", "/books/{id}", 204)
    ]


def test_a_reset_takes_a_seed(ask):
    assert ask("POST", "/_world/reset", {"seed": 7})[2] == {"seeds": {"shelf": 7}}
    assert ask("GET", f"/shelf/1/books/701{KEY}")[0] == 200


@pytest.mark.parametrize("body", [b"{", [], {"seed": "x"}, {"faults": [{"status": 1}]}])
def test_a_reset_that_means_nothing_is_refused(ask, body):
    assert ask("POST", "/_world/reset", body)[0] == 400


def test_a_head_has_the_status_and_no_body(ask):
    status, headers, body = ask("HEAD", f"/shelf/1/books/1{KEY}")
    assert (status, body) == (200, None)
    assert int(headers["content-length"]) > 0


def test_a_method_that_a_path_does_not_take_is_told_of(ask):
    status, headers, _ = ask("OPTIONS", f"/shelf/1/books{KEY}")
    assert (status, headers["allow"]) == (405, "GET, POST")


def test_a_body_that_is_too_large_is_refused_and_the_connection_goes_on(ask):
    assert ask("POST", f"/shelf/1/books{KEY}", b" " * (MOST_BYTES + 1))[0] == 413
    assert ask("GET", f"/shelf/1/books/1{KEY}")[0] == 200


@pytest.mark.parametrize(
    "target",
    [
        *("/shelf/1/books/%", "/shelf/1/books/%zz", "/shelf/1/books/%ff%fe", "/shelf/1/books/%00"),
        *(
            "/shelf/1/books/%2e%2e",
            "/shelf/1/%2Fbooks",
            "/shelf/1/books?%",
            "/shelf/1/books?page=%",
        ),
        *("/shelf/1/books?&&=&=x&key", "/shelf/1/books?page=1;page=2", "//shelf/1/books", "/%"),
        "/shelf/1/books?" + "title=%ff&" * 2_000,
        "/shelf/1/books/" + "9" * 8_000,
    ],
)
def test_a_malformed_target_is_never_a_fault_of_the_server(url, target):
    separator = "&" if "?" in target else "?"
    line = f"GET {target}{separator}key=secret HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    netloc = urlsplit(url)
    with socket.create_connection((netloc.hostname, netloc.port)) as client:
        client.sendall(line.encode())
        head = client.recv(100)
    assert head.split()[1] in {b"200", b"400", b"404", b"414", b"431"}


@pytest.mark.parametrize("is_inside", [True, False])
def test_restwright_calls_it_over_http_and_inside(url, is_inside):
    world = World([shelf()])
    origin = ORIGIN if is_inside else url
    tool = catalog(load(DOCUMENT, alias="shelf"))["shelf__add_book"]
    connection = Connection(server=f"{origin}/shelf/1", auth={"key": Secret("secret")})
    with Transport() as transport:
        send = Inside(world.answer) if is_inside else transport
        done = call(
            *(tool, {"title": "Lesley Castle"}),
            connection=connection,
            send=send,
            approve=approve_all,
            policy=ALLOW,
        )
    assert (done.status, done.value["title"]) == (201, "Lesley Castle")
