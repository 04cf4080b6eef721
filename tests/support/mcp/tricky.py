"""A small API on loopback, and its document, with what trips bridges from OpenAPI."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489"
    "0000000d49444154789c63f8ffff3f0005fe02fea7356d810000000049454e44ae426082"
)
WAV = bytes.fromhex(
    "524946462600000057415645666d74201000000001000100401f0000803e000002001000646174610200000000"
)
LONG = (
    "a_very_long_operation_identifier_that_somebody_generated_from_the_path_and_the_method_and"
    "_the_tag_and_more_words"
)
MANY = [{"id": number, "text": "x" * 200} for number in range(1_000)]


def answers(schema: Any, media: str = "application/json") -> dict[str, Any]:
    return {"200": {"description": "ok", "content": {media: {"schema": schema}}}}


NODE = {"$ref": "#/components/schemas/Node"}
ID = {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}
IDS = {
    "name": "ids",
    "in": "query",
    "style": "form",
    "explode": False,
    "schema": {"type": "array", "items": {"type": "integer"}},
}
DEEP = {
    "name": "f",
    "in": "query",
    "style": "deepObject",
    "explode": True,
    "schema": {"type": "object", "properties": {"a": {"type": "string"}}},
}
PAGE = {"name": "page", "in": "query", "schema": {"type": "integer", "default": 1}}
DOCUMENT: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "Tricky", "version": "1", "description": "What trips bridges."},
    "servers": [{"url": "http://127.0.0.1:1"}],
    "components": {
        "schemas": {
            "Node": {
                "type": "object",
                "properties": {
                    "id": {"type": "integer", "description": "Its number."},
                    "next": NODE,
                    "name": {"type": "string"},
                },
                "required": ["id"],
                "additionalProperties": False,
            },
        },
        "securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}},
    },
    "paths": {
        "/nodes/{id}": {
            "get": {
                "operationId": "getNode",
                "summary": "One node",
                "tags": ["nodes"],
                "parameters": [ID],
                "responses": answers(NODE),
            },
            "put": {
                "operationId": "putNode",
                "summary": "id in the path and in the body",
                "tags": ["nodes"],
                "parameters": [ID],
                "requestBody": {
                    "required": True,
                    "content": {"application/json": {"schema": NODE}},
                },
                "responses": answers(NODE),
            },
            "delete": {
                "operationId": "deleteNode",
                "tags": ["nodes"],
                "parameters": [ID],
                "responses": {"204": {"description": "gone"}},
            },
        },
        "/nodes": {
            "post": {
                "operationId": "addNode",
                "tags": ["nodes"],
                "parameters": [
                    {"name": "Idempotency-Key", "in": "header", "schema": {"type": "string"}}
                ],
                "requestBody": {
                    "required": True,
                    "content": {"application/json": {"schema": NODE}},
                },
                "responses": answers(NODE),
            }
        },
        "/wrong": {
            "get": {
                "operationId": "wrong",
                "summary": "Answers what it does not promise",
                "responses": answers(NODE),
            }
        },
        "/list": {
            "get": {
                "operationId": "listNodes",
                "responses": answers({"type": "array", "items": NODE}),
            }
        },
        "/pages": {
            "get": {
                "operationId": "listPages",
                "parameters": [PAGE],
                "responses": answers({"type": "object"}),
            }
        },
        "/many": {"get": {"operationId": "listMany", "responses": answers({"type": "array"})}},
        "/fails": {"get": {"operationId": "fails", "responses": answers(NODE)}},
        "/picture": {
            "get": {
                "operationId": "picture",
                "responses": answers({"type": "string", "format": "binary"}, "image/png"),
            }
        },
        "/sound": {"get": {"operationId": "sound", "responses": answers({}, "audio/wav")}},
        "/blob": {
            "get": {"operationId": "blob", "responses": answers({}, "application/octet-stream")}
        },
        "/text": {
            "get": {"operationId": "text", "responses": answers({"type": "string"}, "text/plain")}
        },
        "/filter": {
            "get": {
                "operationId": "filtered",
                "parameters": [DEEP, IDS],
                "responses": answers({"type": "object"}),
            }
        },
        "/secret": {
            "get": {
                "operationId": "secret",
                "security": [{"key": []}],
                "responses": answers({"type": "object"}),
            }
        },
        "/slow": {"get": {"operationId": "slow", "responses": answers({"type": "object"})}},
        "/noid": {"get": {"summary": "no operationId", "responses": answers({"type": "object"})}},
        "/long": {"get": {"operationId": LONG, "responses": answers({"type": "object"})}},
        "/long2": {"get": {"operationId": f"{LONG}_2", "responses": answers({"type": "object"})}},
    },
}
JSON = "application/json"
FIXED: dict[str, tuple[int, str, bytes]] = {
    "/wrong": (200, JSON, b'{"id": "seven", "secret": "sk-1"}'),
    "/list": (200, JSON, b'[{"id": 1}, {"id": 2}]'),
    "/many": (200, JSON, json.dumps(MANY).encode()),
    "/fails": (409, JSON, b'{"detail": "stack is full", "code": 7}'),
    "/picture": (200, "image/png", PNG),
    "/sound": (200, "audio/wav", WAV),
    "/blob": (200, "application/octet-stream", b"\x00\x01\xff"),
    "/text": (200, "text/plain", b"plain words"),
}


@dataclass(slots=True)
class Upstream:
    """The API as it runs; `seen` are method, path with query, headers and body of each request."""

    url: str
    seen: list[tuple[str, str, dict[str, str], str]] = field(
        default_factory=list[tuple[str, str, dict[str, str], str]]
    )
    gone: list[str] = field(default_factory=list[str])
    slow_s: float = 30.0
    fixed: dict[str, tuple[int, str, bytes]] = field(default_factory=lambda: {**FIXED})

    def count(self, method: str) -> int:
        return sum(request[0] == method for request in self.seen)

    def document(self, **more: Any) -> dict[str, Any]:
        return {**DOCUMENT, "servers": [{"url": self.url}], **more}

    def write(self, folder: Path, **more: Any) -> Path:
        path = folder / "tricky.json"
        path.write_text(json.dumps(self.document(**more)), encoding="utf-8")
        return path


class Handler(BaseHTTPRequestHandler):
    """Answers what `Upstream` holds."""

    protocol_version = "HTTP/1.1"
    api: Upstream

    def do_GET(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        headers = dict(self.headers.items())
        self.api.seen.append((self.command, self.path, headers, body.decode()))
        path = urlsplit(self.path).path
        if path == "/slow" and not self.wait(self.api.slow_s):
            self.api.gone.append(self.path)
            return
        self.answer(*self.find(path, body))

    def do_PUT(self) -> None:
        self.do_GET()

    def do_POST(self) -> None:
        self.do_GET()

    def do_DELETE(self) -> None:
        self.do_GET()

    def find(self, path: str, body: bytes) -> tuple[int, str, bytes]:
        if self.command == "DELETE":
            return 204, "", b""
        if path == "/pages":
            number = int(self.path.partition("page=")[2] or 1)
            items = [{"id": number * 10 + place} for place in range(2)]
            return 200, JSON, json.dumps({"items": items, "pages": 3}).encode()
        if path in self.api.fixed:
            return self.api.fixed[path]
        told = {"id": 7, "path": path, "query": urlsplit(self.path).query}
        return 200, JSON, json.dumps(told | {"body": body.decode()}).encode()

    def wait(self, seconds: float) -> bool:
        """Whether the client is still there after a while."""
        self.connection.settimeout(0.05)
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            try:
                if not self.connection.recv(1):
                    return False
            except TimeoutError:
                continue
            except OSError:
                return False
        self.connection.settimeout(5)
        return True

    def answer(self, status: int, media: str, body: bytes) -> None:
        self.send_response(status)
        if media:
            self.send_header("Content-Type", media)
        if status != 204:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def upstream() -> Iterator[Upstream]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        http.daemon_threads = True
        api = Upstream(f"http://127.0.0.1:{http.server_port}")
        http.RequestHandlerClass = type("Handler", (Handler,), {"api": api})
        threading.Thread(target=http.serve_forever, args=(0.01,), daemon=True).start()
        yield api
        http.shutdown()
