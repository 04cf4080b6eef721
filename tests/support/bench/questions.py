"""Three questions over the shelf, with their oracles."""

from __future__ import annotations

from tests.support.bench.shelf import Shelf

from restwright.jsontypes import JsonObject
from restwright_bench.queries.query import (
    Answered,
    Changed,
    GoldCall,
    Oracle,
    Query,
    Script,
    Scripted,
)

SEARCH, ONE = GoldCall("GET", "/books"), GoldCall("GET", "/books/{id}")
ADD, REMOVE = GoldCall("POST", "/books"), GoldCall("DELETE", "/books/{id}")


def query(index: int, text: str, *gold: GoldCall) -> Query:
    return Query(api="shelf", index=index, text=text, gold=gold)


def _pages(_state: Shelf) -> Script:
    found = yield Scripted(
        method="GET", template="/books", query={"title": "Persuasion", "page": 1}
    )
    book = yield Scripted(method="GET", template="/books/{id}", path={"id": found[0]["id"]})
    return f"It has {book['pages']} pages."


def _pages_expected(state: Shelf) -> Answered:
    pages = next(each.pages for each in state.books.values() if each.title == "Persuasion")
    return Answered(all_of=((str(pages),),))


def _add(_state: Shelf) -> Script:
    book = {"title": "Sanditon", "pages": 90, "binding": "hard"}
    yield Scripted(method="POST", template="/books", body=book)
    return "Done."


def _add_expected(_state: Shelf) -> Changed:
    def is_met(before: JsonObject, after: JsonObject) -> bool:
        new = {name: each for name, each in after["books"].items() if name not in before["books"]}
        old = {name: each for name, each in after["books"].items() if name in before["books"]}
        wanted = {"title": "Sanditon", "pages": 90, "binding": "hard"}
        return old == before["books"] and [
            {name: each[name] for name in wanted} for each in new.values()
        ] == [wanted]

    return Changed(is_met=is_met, what="a book more")


def _remove(_state: Shelf) -> Script:
    found = yield Scripted(method="GET", template="/books", query={"title": "Emma"})
    yield Scripted(method="DELETE", template="/books/{id}", path={"id": found[0]["id"]})
    return "Removed."


def _remove_expected(_state: Shelf) -> Changed:
    def is_met(before: JsonObject, after: JsonObject) -> bool:
        left = {k: v for k, v in before["books"].items() if v["title"] != "Emma"}
        return after["books"] == left

    return Changed(is_met=is_met, what="Emma is gone")


QUESTIONS = (
    (
        query(0, 'How many pages does the book "Persuasion" have?', SEARCH, ONE),
        Oracle(index=0, expected=_pages_expected, script=_pages),
    ),
    (
        query(1, "Add Sanditon, a hard one of 90 pages", ADD),
        Oracle(index=1, expected=_add_expected, script=_add),
    ),
    (
        query(2, "Remove Emma", SEARCH, REMOVE),
        Oracle(index=2, expected=_remove_expected, script=_remove),
    ),
)
