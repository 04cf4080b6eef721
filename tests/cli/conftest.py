"""The command line in this process, a document on disk, and a server on the loopback interface."""

from __future__ import annotations

import io
import json
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from tests.support.net.handlers import JSONHandler, serve_handler
from tests.support.workflows import Shop, run_shop

from restwright.agents.steps import Model
from restwright.cli import main
from restwright.cli.surroundings import Surroundings

DOCUMENT = """\
openapi: 3.1.0
info: {title: Things, version: "1", description: What there is.}
paths:
  /things:
    get:
      operationId: list_things
      summary: All things.
      responses:
        "200":
          description: They.
          content:
            application/json:
              schema: {type: array, items: {$ref: "#/components/schemas/Thing"}}
    post:
      operationId: add_thing
      summary: Add a thing.
      requestBody:
        required: true
        content:
          application/json: {schema: {$ref: "#/components/schemas/Thing"}}
      responses: {"201": {description: It.}}
  /things/{thing_id}:
    get:
      operationId: get_thing
      summary: One thing.
      tags: [reading]
      parameters:
        - {name: thing_id, in: path, required: true, schema: {type: integer}}
      responses: {"200": {description: It.}}
components:
  schemas:
    Thing:
      type: object
      required: [thing_id]
      properties: {thing_id: {type: integer}, colour: {type: string}}
"""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Standard output as the one JSON document that it must be."""
        return json.loads(self.out)


@dataclass(slots=True)
class Restwright:
    """Runs one command as the entry point does; `stdin` is not a terminal."""

    capsys: pytest.CaptureFixture[str]
    monkeypatch: pytest.MonkeyPatch
    surroundings: Surroundings = field(default_factory=Surroundings)

    def __call__(self, *argv: str, stdin: str = "") -> Ended:
        typed = io.TextIOWrapper(io.BytesIO(stdin.encode()), encoding="utf-8")
        self.monkeypatch.setattr(sys, "stdin", typed)
        code = main(argv, surroundings=self.surroundings)
        return Ended(code, *self.capsys.readouterr())

    def find_model(self, find: Callable[[str | None, str | None], Model]) -> None:
        """Have commands ask the model that `find` returns for a name and a URL."""
        self.surroundings = replace(self.surroundings, find_model=find)


@pytest.fixture
def restwright(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Restwright:
    return Restwright(capsys, monkeypatch)


@pytest.fixture
def things(tmp_path: Path) -> str:
    """Path of a document with two reads and a write."""
    path = tmp_path / "things.yaml"
    path.write_text(DOCUMENT, encoding="utf-8")
    return str(path)


@dataclass(frozen=True, slots=True)
class Server:
    """A running server; `requests` are `(method, path, headers, body)` in the order of arrival."""

    url: str
    requests: list[tuple[str, str, dict[str, str], str]] = field(
        default_factory=list[tuple[str, str, dict[str, str], str]]
    )


ANSWERS: dict[str, tuple[int, object]] = {
    "/things": (200, [{"thing_id": 7, "colour": "teal"}]),
    "/things/7": (200, {"thing_id": 7, "colour": "teal"}),
    "/things/302": (302, "/things/7"),
    "/things/303": (302, "http://other.test/things/7?token=t0ps3cret"),
    "/things/401": (401, {"detail": "who are you?"}),
    "/things/500": (500, {"detail": "out of order"}),
    "/things/1000": (200, {"text": "x" * 1000}),
    "/openapi.json": (200, {"openapi": "3.1.0", "info": {"title": "Served", "version": "1"}}),
}


@pytest.fixture
def server() -> Iterator[Server]:
    """Answers `ANSWERS`; `/things/30` never answers."""
    stopping = threading.Event()

    class Handler(JSONHandler):
        def do_GET(self) -> None:
            body = self.read_body().decode()
            running.requests.append((self.command, self.path, dict(self.headers.items()), body))
            if self.path == "/things/30":
                stopping.wait(20)
                return
            status, value = ANSWERS.get(self.path, (404, {"detail": "no such thing"}))
            headers = {"Location": str(value)} if status == 302 else {}
            self.answer(value, 201 if self.command == "POST" else status, headers=headers)

        def do_POST(self) -> None:
            self.do_GET()

    with serve_handler(Handler) as url:
        running = Server(url)
        yield running
        stopping.set()


@pytest.fixture
def shop() -> Iterator[Shop]:
    """The API of orders that workflows are about."""
    with run_shop() as running:
        yield running
