"""Scripts and expectations that several tasks have in common."""

from __future__ import annotations

from collections.abc import Callable

from restwright.jsontypes import Json, JsonObject
from restwright_bench.queries.query import Answered, Expected
from restwright_bench.spaces.question import Do, Script, became
from restwright_bench.spaces.space import Stores


def first_of(value: Json) -> JsonObject:
    return value["items"][0]


def reading(tool: str, arguments: JsonObject, *fields: str) -> Callable[[], Script]:
    """One call, of whose first item something is said."""

    def script() -> Script:
        item = first_of((yield Do(tool, arguments)))
        return " ".join(str(item[each]) for each in fields)

    return script


def reading_each(tool: str, field: str) -> Callable[[], Script]:
    """One call, of which each item is said."""

    def script() -> Script:
        value = yield Do(tool)
        return ", ".join(str(each[field]) for each in value["items"])

    return script


def writing(tool: str, **arguments: Json) -> Callable[[], Script]:
    """One call that writes."""

    def script() -> Script:
        yield Do(tool, arguments)
        return "Done."

    return script


def acting(
    search: str, words: str, tool: str, into: str = "id", **more: Json
) -> Callable[[], Script]:
    """A search, then a call about what was found first."""

    def script() -> Script:
        item = first_of((yield Do(search, {"q": words})))
        yield Do(tool, {into: item["id"], **more})
        return "Done."

    return script


def a_photo(*words: str, **fields: str) -> Callable[[Stores], Expected]:
    """Any photo with all these words, said by its title, its id or its URL."""

    def expected(stores: Stores) -> Expected:
        photos = stores["lumo"].all("photos")
        fitting = [
            each
            for each in photos
            if all(word in each["tags"].split() for word in words)
            if all(each[name] == value for name, value in fields.items())
        ]
        others = tuple(each["title"] for each in photos if each not in fitting)
        return Answered(any_of=tuple(said_of(each) for each in fitting), none_of=others)

    return expected


def said_of(photo: JsonObject) -> tuple[str, ...]:
    return photo["title"], photo["id"], photo["url"]


def field_of(api: str, table: str, field: str, **wanted: str) -> Callable[[Stores], Expected]:
    """A field of one record, and of no other."""

    def expected(stores: Stores) -> Expected:
        value = stores[api].where(table, **wanted)[field]
        others = {str(each[field]) for each in stores[api].all(table) if each[field] != value}
        return Answered(all_of=((str(value),),), none_of=tuple(sorted(others)))

    return expected


def fields_of(api: str, table: str, field: str, **wanted: str) -> Callable[[Stores], Expected]:
    """A field of each record that has some values."""
    return lambda stores: Answered(
        all_of=tuple(
            (str(each[field]),)
            for each in stores[api].all(table)
            if all(each[name] == value for name, value in wanted.items())
        )
    )


def became_so(api: str, table: str, title: str, **fields: Json) -> Callable[[Stores], Expected]:
    """A record, named by its title, gets these values."""
    return lambda stores: became(api, table, stores[api].where(table, title=title)["id"], **fields)
