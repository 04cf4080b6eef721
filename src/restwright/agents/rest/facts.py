"""What a run knows: facts with their sources, and the responses that they came from."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from restwright.calls.truncate import shorten_line
from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.tools.text.words import split_words

FactKind = Literal["found", "done", "computed"]

_LABELS = ("name", "title", "label", "display_name", "full_name", "subject", "email")
_NAMING = (("name",), ("title",), ("label",))
_MAX_VALUE_CHARS = 1200
_MAX_WHOLE = 8  # properties of a thing that is shown whole where nothing says which are meant
_MAX_SMALL = 5  # properties of a plain thing that is shown whole in any case


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """
    What a step has found out or changed.

    Args:
        what: In the words of the step.
        value: What the response gave for it.
        step: Of the plan; 0 for what was looked up on the way.
        items: The objects of the response that `value` is or was taken from, ids and all.
        keys: The properties of them that the code read; prompts show these and the name.
        notes: What has to be said beside it: that only a part was read, that a value is derived.
    """

    what: str
    value: Json
    step: int = 0
    kind: FactKind = "found"
    tool: str = ""
    arguments: JsonObject = field(default_factory=dict[str, Json])
    items: tuple[JsonObject, ...] = ()
    keys: frozenset[str] = frozenset()
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        """One line, as a model reads it."""
        return self.describe(_MAX_VALUE_CHARS)

    def describe(self, max_chars: int) -> str:
        """One line with so many characters of the value."""
        notes = f" ({'; '.join(self.notes)})" if self.notes else ""
        if self.kind == "done":
            return f"- {self.what}: done{notes}"
        return f"- {self.what}{notes}: {shorten_line(say_value(self.shown), max_chars)}"

    @property
    def shown(self) -> Json:
        """The value with no more of each thing than its name and what the code read of it."""
        return _reduce(self.value, self.keys)


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownResponse:
    """One response: the tool that gave it, what it was called with, and its body."""

    tool: str
    arguments: JsonObject
    body: Json


def say_value(value: Json) -> str:
    """
    A value as prompts show it: an object as `name: Tern, length_m: 41.5`, a list by semicolons.

    Braces and quotes would be taken over into answers, and end them.
    """
    if is_object(value):
        members = (f"{key}: {say_value(member)}" for key, member in value.items())
        return ", ".join(members) or "nothing"
    if is_array(value):
        return "; ".join(map(say_value, value)) or "none"
    return value if isinstance(value, str) else json.dumps(value)


def find_label(item: JsonObject) -> str:
    """
    The property by whose value people know a thing: its name, else its id, else some text; empty
    where it has no text.
    """
    texts = [key for key, value in item.items() if isinstance(value, str)]
    named = [key for key in _LABELS if key in texts]
    named += [key for key in texts if split_words(key)[-1:] in _NAMING]
    own = [key for key in texts if split_words(key)[-1:] == ("id",)]
    return next(iter([*named, *own, *texts]), "")


def _reduce(value: Json, keys: frozenset[str]) -> Json:
    if is_array(value):
        return [_reduce(item, keys) for item in value]
    if not is_object(value):
        return value
    if len(value) <= _MAX_SMALL and not any(map(_is_nested, value.values())):
        return value
    label = find_label(value)
    told = dict.fromkeys(key for key in (label, *value) if key and (key == label or key in keys))
    kept = {key: _reduce(value[key], keys) for key in told}
    return kept if kept.keys() - {label} or (label and len(value) > _MAX_WHOLE) else value


def _is_nested(value: Json) -> bool:
    return is_object(value) or is_array(value)


def iterate_scalars(value: Json) -> Iterator[str | int | float | bool]:
    """Yield every scalar of a JSON value but null, in the order of the value."""
    if is_object(value):
        for member in value.values():
            yield from iterate_scalars(member)
    elif is_array(value):
        for item in value:
            yield from iterate_scalars(item)
    elif value is not None:
        yield value


def iterate_members(value: Json) -> Iterator[tuple[str, Json]]:
    """Yield `(name, scalar)` for each scalar that a property of a JSON value has, in lists too."""
    parts = value if is_array(value) else ()
    members = value.items() if is_object(value) else [("", part) for part in parts]
    for name, member in members:
        if is_object(member) or is_array(member):
            yield from ((own or name, each) for own, each in iterate_members(member))
        else:
            yield name, member


def iterate_keys(value: Json) -> Iterator[str]:
    """Yield the name of every property of a JSON value, as often as it stands there."""
    if is_object(value):
        for key, member in value.items():
            yield key
            yield from iterate_keys(member)
    elif is_array(value):
        for item in value:
            yield from iterate_keys(item)


def field_names(value: Json) -> frozenset[tuple[str, ...]]:
    """The words of the name of every property of a JSON value."""
    return frozenset(words for key in iterate_keys(value) if (words := split_words(key)))


def find_items(body: Json, value: Json) -> tuple[JsonObject, ...]:
    """
    Return the objects of a response that a value taken from it stands for.

    These are the objects that it consists of, where the response has them whole. Where it is made
    of parts, those elements of lists which hold such a part themselves: by its values, an object's
    must all be there. Empty where that is nothing or nearly everything.
    """
    wanted = [item for item in _parts(value) if item not in (None, "", [], {})]
    elements = list(iterate_elements(body))
    whole = [item for item in wanted if is_object(item) and item in elements]
    if wanted and len(whole) == len(wanted):
        return tuple(whole)
    if is_object(body) and len(wanted) == 1 and wanted[0] == body:
        return (body,)
    found = [element for element in elements if any(_holds(element, part) for part in wanted)]
    return tuple(found) if len(found) <= max(1, len(wanted)) else ()


def _parts(value: Json) -> list[Json]:
    return list(value) if is_array(value) else [value]


def _holds(element: JsonObject, part: Json) -> bool:
    own = [member for member in element.values() if not _is_nested(member)]
    if is_object(part):
        scalars = [member for member in part.values() if member is not None]
        return bool(scalars) and all(member in own for member in scalars)
    return not is_array(part) and not isinstance(part, bool) and part in own


def iterate_elements(value: Json) -> Iterator[JsonObject]:
    """Yield the objects that stand in lists or as values of a map, outermost first."""
    members = value.values() if is_object(value) else value if is_array(value) else ()
    for member in members:
        if is_object(member):
            yield member
        yield from iterate_elements(member)


def values_at(body: Json, path: Sequence[str]) -> Iterator[tuple[Json, JsonObject]]:
    """
    Yield `(value, object that holds it)` for each place of `path`; `[]` is every item.

    An item that is a text or a number is held by an object of itself alone, under the list's name.
    """
    is_plain = len(path) > 1 and path[-1] == "[]"
    for value, owner in _walk(body, tuple(path), {}):
        yield value, {path[-2]: value} if is_plain else owner


def things_at(body: Json, path: Sequence[str]) -> list[JsonObject]:
    """The objects at each place of `path`; `[]` is every item."""
    nodes = [body]
    for part in path:
        if part == "[]":
            nodes = [item for node in nodes if is_array(node) for item in node]
        else:
            nodes = [node.get(part) for node in nodes if is_object(node)]
    return [node for node in nodes if is_object(node)]


def _walk(
    node: Json, path: tuple[str, ...], owner: JsonObject
) -> Iterator[tuple[Json, JsonObject]]:
    if not path:
        if isinstance(node, str | int) and not isinstance(node, bool):
            yield node, owner
    elif path[0] == "[]":
        for item in node if is_array(node) else ():
            yield from _walk(item, path[1:], owner)
    elif is_object(node):
        yield from _walk(node.get(path[0]), path[1:], node)
