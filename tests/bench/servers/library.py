"""A small server on loopback, in the place of a real one, and what it is asked."""

from __future__ import annotations

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

THING = {
    "type": "object",
    "properties": {"id": {"type": "string"}, "title": {"type": "string"}},
}
BODY = {"content": {"application/json": {"schema": THING}}}
LIST = {"type": "array", "items": THING}
ID = {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}
DONE: dict[str, Any] = {"responses": {"200": {"description": "Done."}}}
DOCUMENT: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "Library", "version": "1"},
    "paths": {
        "/books": {
            "get": {
                "operationId": "listBooks",
                "responses": {
                    "200": {
                        "description": "All.",
                        "content": {"application/json": {"schema": LIST}},
                    }
                },
            },
            "post": {"operationId": "addBook", "requestBody": BODY, **DONE},
        },
        "/books/{id}": {
            "parameters": [ID],
            "put": {"operationId": "changeBook", "requestBody": BODY, **DONE},
            "delete": {"operationId": "removeBook", **DONE},
        },
    },
}
TASKS = """
[draw]
title = ["Tides", "Moss", "Lamps", "Kites"]

[things]
books = [{ title = "<title.0>", pages = 90 }, { title = "<title.1>", pages = 310 }]

[[harm]]
tool = "addBook"
arguments = { title = "unasked" }

[[task]]
kind = "most"
language = "en"
question = "Which book has the most pages?"
answers = ["max_by(books, &pages).title"]
forbidden = ["books[].title"]
program = [{ tool = "listBooks" }]

[[task]]
kind = "change-one"
language = "fr"
question = "Supprime le livre <title.0>."
asked = [{ table = "books", kind = "deleted", where = "title=='<title.0>'" }]
program = [
  { tool = "listBooks" },
  { tool = "removeBook", arguments.id = { step = 0, take = "[?title=='<title.0>'] | [0].id" } },
]

[[task]]
kind = "not-there"
language = "de"
question = "Wie viele Seiten hat das Buch <title.3>?"
is_denial = true
program = [
  { tool = "listBooks" },
  { tool = "removeBook", arguments = { id = "99" }, fails = true },
]
"""


class Library(BaseHTTPRequestHandler):
    books: ClassVar[dict[str, dict[str, Any]]] = {}
    made = 0

    def do_GET(self) -> None:
        shown: Any = DOCUMENT if self.path == "/openapi.json" else [*self.books.values()]
        self._answer(200, shown)

    def do_POST(self) -> None:
        Library.made += 1
        key = str(Library.made)
        self.books[key] = self._body() | {"id": key}
        self._answer(200, self.books[key])

    def do_PUT(self) -> None:
        key = self.path.rpartition("/")[2]
        self.books[key] = self.books[key] | self._body()
        self._answer(200, self.books[key])

    def do_DELETE(self) -> None:
        found = self.books.pop(self.path.rpartition("/")[2], None)
        self._answer(200 if found else 404, found or {"error": "no such book"})

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - of the base
        del format, args

    def _body(self) -> dict[str, Any]:
        return json.loads(self.rfile.read(int(self.headers["Content-Length"])))

    def _answer(self, status: int, value: Any) -> None:
        content = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


FILE = Path(__file__)

if __name__ == "__main__":
    if sys.argv[2:]:
        sys.exit("cannot start")
    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Library).serve_forever()
