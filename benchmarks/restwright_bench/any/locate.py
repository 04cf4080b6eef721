"""Where the items and the item stand in the responses of an operation."""

from __future__ import annotations

from collections.abc import Iterator

from restwright.tools.text.words import split_words
from restwright_bench.any.schemas import Schema

Place = tuple[str, ...]
_DEEPEST = 2
_GENERIC = frozenset(
    ("data", "item", "result", "entry", "value", "record", "list", "content", "element", "row")
)


def find_array(schema: Schema, noun: str, *, is_strict: bool = False) -> Place | None:
    """
    Return where the array of objects is in a list's response; None where there is none.

    Args:
        noun: The last segment of the path.
        is_strict: Only at the root, under the noun, or under a name that says nothing.
    """
    if schema.type == "array":
        return () if schema.items().type == "object" else None
    found = sorted(_arrays(schema, (), 0), key=lambda place: _rank(place, noun))
    if not found:
        return None
    best = found[0]
    return None if is_strict and _rank(best, noun)[0] > 1 else best


def _arrays(schema: Schema, place: Place, depth: int) -> Iterator[Place]:
    for name in schema.properties if schema.type == "object" else ():
        member = schema.member(name)
        if member.type == "array" and member.items().type == "object":
            yield (*place, name)
        elif member.type == "object" and depth + 1 < _DEEPEST:
            yield from _arrays(member, (*place, name), depth + 1)


def _rank(place: Place, noun: str) -> tuple[int, int]:
    words = split_words(place[-1])
    kind = 0 if words == split_words(noun) else 1 if set(words) <= _GENERIC else 2
    return kind, len(place)


def at(schema: Schema, place: Place) -> Schema:
    """The schema at a place; of an array's elements where it ends in one."""
    for name in place:
        schema = schema.member(name)
    return schema.items() if schema.type == "array" else schema


def find_item(schema: Schema, placeholder: str, noun: str) -> tuple[Place, str] | None:
    """Return where the object of an item is in a response, and the name of its id."""
    if (name := find_id(schema, placeholder, noun)) is not None:
        return (), name
    for name in schema.properties if schema.type == "object" else ():
        member = schema.member(name)
        if member.type == "object" and (found := find_id(member, placeholder, noun)) is not None:
            return (name,), found
    return None


def find_id(schema: Schema, placeholder: str, noun: str) -> str | None:
    """Return the property that fills the placeholder of an item's path."""
    names = [
        each for each in schema.properties if schema.member(each).type in ("string", "integer")
    ]
    words = split_words(placeholder)
    own = tuple(each for each in words if each not in split_words(noun))
    wanted = [words, own, words[-1:], *((each,) for each in _IDS)]
    for each in wanted:
        found = next((name for name in names if split_words(name) == each and each), None)
        if found is not None:
            return found
    return None


_IDS = ("id", "gid", "uuid", "uid", "sid", "key", "slug", "name", "number")
