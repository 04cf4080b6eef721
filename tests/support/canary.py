"""A secret, servers that repeat it, and all places where it must not be seen."""

from __future__ import annotations

import base64
import io
import json
import logging
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import quote, quote_plus

import pytest

from restwright.calls.auth.connection import mask_request
from restwright.calls.response.result import Result


def forms(canary: str) -> list[str]:
    """Texts that give the canary away."""
    octets = canary.encode()
    inside = [base64.b64encode(b"\0" * n + octets + b"\0\0\0").decode()[4:-8] for n in range(3)]
    return [
        *(canary, canary.lower(), quote(canary, safe=""), quote_plus(canary), octets.hex()),
        *(json.dumps(canary)[1:-1], *inside),
    ]


def assert_unseen(canary: str, seen: str) -> None:
    for form in forms(canary):
        assert form not in seen, f"the secret is seen as {form!r}"


def shown(result: Result) -> str:
    """All that anybody may read of a result."""
    parts: list[object] = [result, result.value, result.text, result.warnings]
    parts.append(json.dumps(result.value, ensure_ascii=False))
    if result.response:
        parts += [result.response, result.response.headers, result.response.body]
        parts += [result.response.url, result.response.body.decode("utf-8", "replace")]
    if result.request:
        parts += [result.request, mask_request(result.request)]
    return "\n".join(str(each) for each in parts)


Handle = Callable[[BaseHTTPRequestHandler], None]


def echoing(handler: BaseHTTPRequestHandler) -> None:
    status = int(handler.headers.get("x-status", "200"))
    body = json.dumps({"path": handler.path, "headers": dict(handler.headers.items())}).encode()
    handler.send_response(status)
    for name, value in handler.headers.items():
        handler.send_header(f"X-Echo-{name}", value)
    handler.send_header("Location", handler.path)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)


def silent(handler: BaseHTTPRequestHandler) -> None:
    handler.server.stopping.wait(5)  # type: ignore[attr-defined]


def broken(handler: BaseHTTPRequestHandler) -> None:
    said = " ".join([handler.path, *handler.headers.values()])
    handler.wfile.write(f"HTTP/1.1 {said}\r\n\r\n".encode())


def too_short(handler: BaseHTTPRequestHandler) -> None:
    handler.send_response(200, "OK")
    handler.send_header("Content-Length", "1000000")
    handler.end_headers()
    handler.wfile.write(" ".join(handler.headers.values()).encode())


def redirecting(handler: BaseHTTPRequestHandler) -> None:
    said = quote(" ".join(handler.headers.values()))
    handler.send_response(302)
    handler.send_header("Location", f"http://127.0.0.1:1{handler.path}&said={said}")
    handler.send_header("Content-Length", "0")
    handler.end_headers()


def too_long(handler: BaseHTTPRequestHandler) -> None:
    handler.send_response(200)
    handler.send_header("Content-Length", "20000")
    handler.end_headers()
    handler.wfile.write((" ".join(handler.headers.values()) * 1000).encode()[:20000].ljust(20000))


@pytest.fixture
def server() -> Iterator[Callable[[Handle], str]]:
    running: list[ThreadingHTTPServer] = []

    def start(handle: Handle) -> str:
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.close_connection = True
                handle(self)

            def log_message(self, *_: object) -> None:
                pass

        http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        http.stopping = threading.Event()  # type: ignore[attr-defined]
        running.append(http)
        threading.Thread(target=http.serve_forever, args=(0.01,), daemon=True).start()
        return f"http://127.0.0.1:{http.server_port}"

    yield start
    for http in running:
        http.stopping.set()  # type: ignore[attr-defined]
        http.shutdown()
        http.server_close()


@pytest.fixture
def logged() -> Iterator[io.StringIO]:
    """Everything that is logged here; `httpcore2` below logs the headers of a response itself."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    root = logging.getLogger("restwright")
    level = root.level
    root.setLevel(logging.DEBUG)
    root.addHandler(handler)
    yield stream
    root.removeHandler(handler)
    root.setLevel(level)


HANDLES = [echoing, silent, broken, too_short, redirecting, too_long]
