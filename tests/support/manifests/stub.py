"""A server on loopback that keeps what it is sent, and answers as it is told."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from tests.support.net.handlers import JSONHandler, serve_handler

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

    class Handler(JSONHandler):
        def handle_one(self) -> None:
            headers = {name.lower(): value for name, value in self.headers.items()}
            asked = Received(self.command, self.path, headers, self.read_body())
            stub.received.append(asked)
            status, value = stub.answer(asked)
            body = value.encode() if isinstance(value, str) else json.dumps(value).encode()
            kind = "text/plain; charset=utf-8" if isinstance(value, str) else "application/json"
            self.answer(body, status, kind=kind)

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = handle_one

    with serve_handler(Handler) as stub.url:
        yield stub


def calling(tool: str, arguments: JsonObject) -> JsonObject:
    """The reply of a model that takes no tools natively and calls one."""
    return {"calls": [{"tool": tool, "arguments": arguments}], "answer": ""}


def saying(text: str) -> JsonObject:
    """The reply of such a model that speaks."""
    return {"calls": [], "answer": text}
