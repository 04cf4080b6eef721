"""A small API of books, as a world serves it."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field

from restwright.jsontypes import JsonObject
from restwright.testing import document
from restwright_bench.world.api import Api
from restwright_bench.world.checking import Fault
from restwright_bench.world.document import Route
from restwright_bench.world.exchange import Answer, Asked, Received, Refused

BOOK = {"$ref": "#/components/schemas/Book"}
KEY = {"name": "key", "in": "query", "type": "apiKey"}


def answered(schema: JsonObject) -> JsonObject:
    return {"description": "", "content": {"application/json": {"schema": schema}}}


def parameter(name: str, location: str, **schema: object) -> JsonObject:
    return {"name": name, "in": location, "required": location == "path", "schema": schema}


DOCUMENT = document(
    {
        "/books": {
            "get": {
                "operationId": "search_books",
                "summary": "Search for books by their title",
                "parameters": [
                    parameter("title", "query", type="string"),
                    parameter("page", "query", type="integer", minimum=1, default=1),
                    parameter("ratio", "query", type="number"),
                    parameter("is_lent", "query", type="boolean"),
                    parameter("tags", "query", type="array", items={"type": "string"}),
                ],
                "responses": {"200": answered({"type": "array", "items": BOOK})},
            },
            "post": {
                "operationId": "add_book",
                "summary": "Add a book",
                "requestBody": {
                    "required": True,
                    "content": {
                        "application/json": {
                            "schema": {
                                "type": "object",
                                "required": ["title"],
                                "properties": {
                                    "title": {"type": "string", "minLength": 1},
                                    "pages": {"type": "integer"},
                                    "binding": {"enum": ["soft", "hard"], "type": "string"},
                                },
                            }
                        }
                    },
                },
                "responses": {"201": answered(BOOK)},
            },
        },
        "/books/latest": {
            "get": {
                "operationId": "get_latest_book",
                "summary": "The book that came last",
                "responses": {"200": answered(BOOK)},
            },
        },
        "/books/{id}": {
            "parameters": [parameter("id", "path", type="integer")],
            "get": {
                "operationId": "get_book",
                "summary": "One book with its number of pages",
                "responses": {"200": answered(BOOK), "404": {"description": ""}},
            },
            "delete": {
                "operationId": "remove_book",
                "summary": "Remove a book",
                "responses": {"204": {"description": ""}},
            },
        },
        "/statistics": {
            "get": {
                "operationId": "statistics",
                "responses": {
                    "200": answered(
                        {
                            "type": "object",
                            "required": ["books"],
                            "properties": {"books": {"type": "integer", "minimum": 3}},
                        }
                    )
                },
            }
        },
    },
    components={
        "securitySchemes": {"key": KEY},
        "schemas": {
            "Book": {
                "type": "object",
                "required": ["id", "title"],
                "properties": {
                    "id": {"type": "integer"},
                    "title": {"type": "string"},
                    "pages": {"type": "integer"},
                    "binding": {"type": "string"},
                },
            }
        },
    },
    security=[{"key": []}],
)


@dataclass(kw_only=True)
class Book:
    id: int
    title: str
    pages: int = 0
    binding: str = "soft"


@dataclass
class Shelf:
    """Three books; the first id is 100 times the seed."""

    books: dict[int, Book] = field(default_factory=dict[int, Book])

    def snapshot(self) -> JsonObject:
        return {"books": {str(key): asdict(each) for key, each in self.books.items()}}


def make(seed: int) -> Shelf:
    titles = ("Emma", "Persuasion", "Mansfield Park")
    books = [
        Book(id=100 * seed + place, title=title, pages=200 + seed + place)
        for place, title in enumerate(titles, 1)
    ]
    return Shelf({each.id: each for each in books})


def search(state: Shelf, asked: Asked) -> Answer:
    wanted = str(asked.query.get("title", "")).casefold()
    found = [asdict(each) for each in state.books.values() if wanted in each.title.casefold()]
    return Answer(body=found)


def one(state: Shelf, asked: Asked) -> Answer:
    return Answer(body=asdict(found(state, asked)))


def latest(state: Shelf, _asked: Asked) -> Answer:
    return Answer(body=asdict(list(state.books.values())[-1]))


def add(state: Shelf, asked: Asked) -> Answer:
    told = {name: asked.body[name] for name in ("title", "pages", "binding") if name in asked.body}
    book = Book(id=max(state.books, default=0) + 1, **told)
    state.books[book.id] = book
    return Answer(status=201, body=asdict(book))


def remove(state: Shelf, asked: Asked) -> Answer:
    del state.books[found(state, asked).id]
    return Answer(status=204)


def found(state: Shelf, asked: Asked) -> Book:
    if asked.path["id"] not in state.books:
        raise Refused(404, "no such book")
    return state.books[asked.path["id"]]


def guard(received: Received, _route: Route) -> Refused | None:
    if ("key", "secret") in received.query:
        return None
    return Refused(401, "a key is needed")


def failure(status: int, reason: str, faults: tuple[Fault, ...]) -> JsonObject:
    return {"status": status, "message": reason, "faults": list(faults)}


def let_in(received: Received) -> Received:
    return Received(
        method=received.method,
        path=received.path,
        query=(*received.query, ("key", "secret")),
        headers=received.headers,
        body=received.body,
    )


def shelf() -> Api:
    return Api(
        name="shelf",
        prefix="/shelf/1",
        document=DOCUMENT,
        handlers={
            ("GET", "/books"): search,
            ("POST", "/books"): add,
            ("GET", "/books/latest"): latest,
            ("GET", "/books/{id}"): one,
            ("DELETE", "/books/{id}"): remove,
        },
        make=make,
        guard=guard,
        failure=failure,
    )
