"""A small API of orders on the loopback interface, and workflows over it."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from tests.support.workflows import BUY, HEAD, OPENAPI


@dataclass(slots=True)
class Shop:
    """The running API: what came in, and what is answered in turn to `METHOD /path`."""

    url: str
    requests: list[tuple[str, str, Any]] = field(default_factory=list[tuple[str, str, Any]])
    headers: list[dict[str, str]] = field(default_factory=list[dict[str, str]])
    replies: dict[str, list[tuple[int, Any]]] = field(
        default_factory=dict[str, list[tuple[int, Any]]]
    )

    @property
    def calls(self) -> list[str]:
        """`METHOD /path` of what came in, without queries."""
        return [f"{method} {path.partition('?')[0]}" for method, path, _ in self.requests]


ANSWERS: dict[str, tuple[int, Any]] = {
    "GET /products": (200, [{"id": 7, "name": "mug", "stock": 3}]),
    "POST /orders": (201, {"id": 41, "status": "Open"}),
    "GET /orders/41": (200, {"id": 41, "status": "Open", "product_id": 7}),
    "DELETE /orders/41": (204, None),
    "GET /jobs": (200, {"state": "done"}),
}


@pytest.fixture
def shop() -> Iterator[Shop]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            sent = json.loads(body) if body else None
            running.requests.append((self.command, self.path, sent))
            running.headers.append({name.lower(): value for name, value in self.headers.items()})
            place = f"{self.command} {self.path.partition('?')[0]}"
            waiting = running.replies.get(place)
            status, value = waiting.pop(0) if waiting else ANSWERS.get(place, (404, {"no": place}))
            answer = b"" if value is None else json.dumps(value).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def do_POST(self) -> None:
            self.do_GET()

        def do_DELETE(self) -> None:
            self.do_GET()

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        running = Shop(f"http://127.0.0.1:{http.server_port}")
        threading.Thread(target=http.serve_forever, args=(0.01,), daemon=True).start()
        yield running
        http.shutdown()


@pytest.fixture
def write(tmp_path: Path):
    """Write `workflows` (YAML below that key) beside their API, and return the path."""

    def written(workflows: str = BUY, head: str = HEAD) -> str:
        (tmp_path / "orders.yaml").write_text(OPENAPI, encoding="utf-8")
        path = tmp_path / "buy.arazzo.yaml"
        path.write_text(head + workflows, encoding="utf-8")
        return str(path)

    return written
