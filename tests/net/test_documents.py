"""Documents over HTTP, against doubles of the network; one exchange goes over a real socket."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from restwright.errors import DocumentUnavailable, NoResponse, RefusedRequest, ResponseTooLarge
from restwright.net.documents import fetch_document, make_retriever
from restwright.net.messages import Request, Response
from restwright.net.storage import cache_folder
from restwright.testing import RecordingTransport, never

URL = "https://shop.example/docs/openapi.json"
TOKEN = (("Authorization", "Bearer s3cret"),)


def answered(*responses: Response) -> RecordingTransport:
    """A transport that gives one response after the other."""
    left = iter(responses)
    return RecordingTransport(lambda _: next(left))


def ok(body: bytes, **headers: str) -> Response:
    named = tuple((name.replace("_", "-"), value) for name, value in headers.items())
    return Response(status=200, body=body, headers=named)


def moved(location: str, status: int = 302) -> Response:
    return Response(status=status, headers=(("location", location),))


def why_not(send: Callable[[Request], Response], url: str = URL, **more: object) -> str:
    with pytest.raises(DocumentUnavailable) as caught:
        fetch_document(url, send=send, **more)  # type: ignore[arg-type]
    assert "s3cret" not in str(caught.value)
    return str(caught.value)


def conditions(request: Request) -> dict[str, str]:
    return {name: value for name, value in request.headers if name.startswith("If-")}


def test_credentials_are_sent_and_masked() -> None:
    send = answered(ok(b"doc"))

    assert fetch_document(URL, send=send, headers=TOKEN) == b"doc"
    assert send.sent[0].headers[1:] == TOKEN
    assert send.sent[0].secret_headers == {"authorization"}


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize(
    ("location", "target"),
    [
        ("other.json", "https://shop.example/docs/other.json"),
        ("/v2?x=1", "https://shop.example/v2?x=1"),
        ("https://shop.example:443/v2#top", "https://shop.example:443/v2"),
    ],
)
def test_redirects_within_the_origin_are_followed(status: int, location: str, target: str) -> None:
    send = answered(moved(location, status), ok(b"doc"))

    assert fetch_document(URL, send=send, headers=TOKEN) == b"doc"
    assert [(each.url, each.headers[-1]) for each in send.sent] == [
        (URL, TOKEN[0]),
        (target, TOKEN[0]),
    ]


@pytest.mark.parametrize(
    ("location", "shown"),
    [
        ("https://other.example/a?key=s3cret", "https://other.example/a"),
        ("http://shop.example/docs/openapi.json", "http://shop.example/docs/openapi.json"),
        ("https://shop.example:8443/", "https://shop.example:8443/"),
        ("//other.example/a", "https://other.example/a"),
        ("https://u:s3cret@shop.example/", "https://***@shop.example/"),
        ("https://u:s3c/ret@shop.example/", "https://***"),
        ("file:///etc/passwd", "file:///etc/passwd"),
    ],
)
def test_no_other_origin_is_asked(location: str, shown: str) -> None:
    send = answered(moved(location))

    assert why_not(send, headers=TOKEN).endswith(f"HTTP 302, it has moved to {shown}")
    assert len(send.sent) == 1


def test_redirects_are_counted() -> None:
    send = RecordingTransport(lambda _: moved("/again"))

    assert "more than 5 redirects" in why_not(send)
    assert len(send.sent) == 6


@pytest.mark.parametrize(
    "url", ["https://u:s3cret@shop.example/a", "https://u:s3c?ret@h/", "https://u:s3cret#@h/"]
)
def test_a_password_in_the_url_is_refused_and_not_repeated(url: str) -> None:
    assert "s3c" not in why_not(never, url)


@pytest.mark.parametrize(
    "header",
    [("X-Key", "s3cret\r\nHost: evil"), ("X-Key", "s3cret\0"), ("Host", "s3cret"), ("a b", "c")],
)
def test_a_header_that_says_more_than_itself_is_refused(header: tuple[str, str]) -> None:
    assert "cannot be sent as it is" in why_not(never, headers=(header,))


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (NoResponse(URL, "cannot connect", sent=False), "cannot connect"),
        (RefusedRequest(URL, "it may not be asked"), "it may not be asked"),
        (ResponseTooLarge(URL, 1000), "it is larger than 1,000 bytes"),
    ],
)
def test_what_the_network_says_is_passed_on(error: Exception, why: str) -> None:
    def send(_: Request) -> Response:
        raise error

    assert why_not(send) == f"cannot read {URL}: {why}"


def test_a_copy_is_used_when_the_server_says_it_is_good() -> None:
    send = answered(ok(b"doc", etag='"1"'), Response(status=304), ok(b"new", etag='"2"'))

    assert [fetch_document(URL, send=send) for _ in range(3)] == [b"doc", b"doc", b"new"]
    assert [conditions(each) for each in send.sent] == [
        {},
        {"If-None-Match": '"1"'},
        {"If-None-Match": '"1"'},
    ]


def test_a_date_serves_where_there_is_no_etag() -> None:
    date = "Sat, 21 Nov 2026 07:00:00 GMT"
    send = answered(ok(b"doc", last_modified=date), Response(status=304))

    assert [fetch_document(URL, send=send) for _ in range(2)] == [b"doc", b"doc"]
    assert conditions(send.sent[1]) == {"If-Modified-Since": date}


@pytest.mark.parametrize(
    "first",
    [
        ok(b"doc"),
        ok(b"doc", etag='"1"', cache_control="private, No-Store"),
        ok(b"doc", etag='"1"\u00e9'),
        Response(status=404, headers=(("etag", '"1"'),)),
    ],
    ids=["nothing to ask by", "no-store", "odd etag", "error"],
)
def test_nothing_is_kept_where_it_may_not_be(first: Response) -> None:
    send = answered(first, ok(b"new"))
    if first.status == 200:
        fetch_document(URL, send=send)
    else:
        why_not(send)

    assert fetch_document(URL, send=send) == b"new"
    assert conditions(send.sent[1]) == {}
    assert not list(cache_folder().glob("documents/*"))


def test_copies_of_different_credentials_never_mix() -> None:
    mine, yours = answered(ok(b"mine", etag='"1"')), answered(ok(b"yours"))

    fetch_document(URL, send=mine, headers=TOKEN)
    assert fetch_document(URL, send=yours, headers=(("Authorization", "Bearer other"),)) == b"yours"
    assert conditions(yours.sent[0]) == {}


def test_the_url_behind_a_redirect_is_asked_about_its_own_copy() -> None:
    send = answered(
        moved("/v1"), ok(b"one", etag='"1"'), moved("/v2"), ok(b"two", etag='"1"'), moved("/v2"),
        Response(status=304),
    )  # fmt: skip

    assert [fetch_document(URL, send=send) for _ in range(3)] == [b"one", b"two", b"two"]
    assert [conditions(each) for each in send.sent] == [
        {},
        {},
        {},
        {},
        {},
        {"If-None-Match": '"1"'},
    ]


def test_a_copy_is_not_used_without_the_server() -> None:
    fetch_document(URL, send=answered(ok(b"doc", etag='"1"')))

    def send(_: Request) -> Response:
        raise NoResponse(URL, "cannot connect", sent=False)

    assert "cannot connect" in why_not(send)


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: b"",
        lambda content: content[:-1],
        lambda content: content.replace(b"doc", b"cod"),
        lambda content: b"[]\n" + content,
        lambda content: b"{}\n",
        lambda content: content.replace(b'"etag"', b'"other"'),
    ],
)
def test_a_damaged_copy_is_as_good_as_none(damage: Callable[[bytes], bytes]) -> None:
    fetch_document(URL, send=answered(ok(b"doc", etag='"1"')))
    [path] = cache_folder().glob("documents/*")
    path.write_bytes(damage(path.read_bytes()))
    send = answered(ok(b"new"))

    assert fetch_document(URL, send=send) == b"new"
    assert conditions(send.sent[0]) == {}


def test_neither_the_url_nor_a_credential_is_kept() -> None:
    fetch_document(URL + "?key=s3cret", send=answered(ok(b"doc", etag='"1"')), headers=TOKEN)
    [path] = cache_folder().glob("documents/*")

    assert b"s3cret" not in path.read_bytes() + path.name.encode()
    assert b"shop" not in path.read_bytes()


def test_another_status_is_an_error() -> None:
    assert why_not(answered(Response(status=404))) == f"cannot read {URL}: HTTP 404"
    assert why_not(answered(Response(status=301))) == f"cannot read {URL}: HTTP 301"


def test_not_modified_without_a_copy_is_an_error() -> None:
    assert "HTTP 304" in why_not(answered(Response(status=304)))


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        known = self.headers["If-None-Match"] == '"1"'
        body = b"" if known else b"openapi: 3.1.0"
        self.send_response(304 if known else 200)
        self.send_header("ETag", '"1"')
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[str]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as listening:
        thread = threading.Thread(target=listening.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listening.server_port}/openapi.yaml"
        listening.shutdown()
        thread.join()


def test_over_our_own_transport(server: str, home: Path) -> None:
    fetch = make_retriever(headers=TOKEN)

    assert [fetch(server) for _ in range(2)] == [b"openapi: 3.1.0"] * 2
    assert len(list(home.rglob("documents/*"))) == 1
