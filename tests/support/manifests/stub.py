"""A server on loopback that keeps what it is sent, and answers as it is told."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from restwright.jsontypes import Json, JsonObject


@dataclass(frozen=True)
class Received:
    """One request: what a test compares with what it expects."""

    method: str
    path: str
    headers: dict[str, str] = field(compare=False)
    body: bytes = b""

    @property
    def json(self) -> Json:
        return json.loads(self.body) if self.body else None


Answer = Callable[[Received], tuple[int, Json]]


@dataclass
class Stub:
    """Answers every request with what `answer` makes of it."""

    answer: Answer = lambda _: (200, {"is": "ok"})
    received: list[Received] = field(default_factory=list)
    url: str = ""


@contextmanager
def serving(answer: Answer | None = None) -> Iterator[Stub]:
    stub = Stub() if answer is None else Stub(answer)

    class Handler(BaseHTTPRequestHandler):
        def handle_one(self) -> None:
            length = int(self.headers.get("content-length") or 0)
            headers = {name.lower(): value for name, value in self.headers.items()}
            asked = Received(self.command, self.path, headers, self.rfile.read(length))
            stub.received.append(asked)
            status, value = stub.answer(asked)
            body = value.encode() if isinstance(value, str) else json.dumps(value).encode()
            kind = "text/plain; charset=utf-8" if isinstance(value, str) else "application/json"
            self.send_response(status)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = handle_one  # noqa: N815

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    stub.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield stub
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def calling(tool: str, arguments: JsonObject) -> JsonObject:
    """The reply of a model that takes no tools natively and calls one."""
    return {"calls": [{"tool": tool, "arguments": arguments}], "answer": ""}


def saying(text: str) -> JsonObject:
    """The reply of such a model that speaks."""
    return {"calls": [], "answer": text}
