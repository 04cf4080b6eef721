"""The one property that a step asks a thing for, where it leaves no choice of another."""

from __future__ import annotations

from collections import Counter

from restwright.agents.rest.asked import Parsed
from restwright.agents.rest.facts import find_label, iterate_keys
from restwright.agents.rest.provenance import (
    find_named,
    find_numbers,
    is_in_text,
    normalize_text,
    without_named,
)
from restwright.calls.json_lists import find_list_path, items_at
from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.tools.text.words import split_words


def read_asked_field(what: str, call: str, body: Json, *, is_thing: bool) -> Parsed | None:
    """
    Return the property of one thing that a text has in quotation marks; None where it may be
    another, and a model has to choose.

    The thing is the response, or the only one of its list that is called as the text quotes. The
    text has no word of another property of it, and whatever else it names is called so by the call
    or is the name of the thing.

    Args:
        what: What is asked for.
        call: In words, what gave the response.
        is_thing: Whether the call was for one thing.
    """
    names = find_named(what)
    thing = _find_thing(body, {normalize_text(name) for name in names}, is_thing=is_thing)
    key, label = _find_key(what, thing), find_label(thing)
    value = thing.get(key)
    if value is None or is_object(value) or is_array(value):
        return None
    known = normalize_text(f"{call}\n;{thing.get(label, '')}")
    others = [name for name in names if split_words(name) != split_words(key)]
    if not all(is_in_text(part, known) for part in (*others, *find_numbers(without_named(what)))):
        return None
    is_named = key == label and normalize_text(str(value)) in map(normalize_text, others)
    shown = {name: thing[name] for name in (label, key) if name}
    return None if is_named else Parsed(shown, frozenset({key}), (thing,))


def without_envelope(body: Json) -> Json:
    """The thing that a response is, or is the only member of: of `data`."""
    while is_object(body) and len(body) == 1:
        (body,) = body.values()
    return body


def _find_thing(body: Json, names: set[str], *, is_thing: bool) -> JsonObject:
    """The thing of a response; an empty one where it is not plain which."""
    if is_thing:
        body = without_envelope(body)
        return body if is_object(body) else {}
    path = find_list_path(body)
    items = filter(is_object, items_at(body, path)) if path is not None else ()
    called = [item for item in items if normalize_text(str(item.get(find_label(item)))) in names]
    return called[0] if len(called) == 1 else {}


def _find_key(what: str, thing: JsonObject) -> str:
    """The property that is asked for; empty where none is quoted, or another may be meant."""
    quoted = set(map(split_words, find_named(what)))
    asked = [key for key in thing if split_words(key) in quoted]
    if len(asked) != 1:
        return ""
    own, told = split_words(asked[0]), {*split_words(without_named(what))}
    is_only = Counter(map(split_words, iterate_keys(thing)))[own] == 1
    others = {word for key in thing for word in split_words(key) if split_words(key) != own}
    return asked[0] if is_only and not told & others else ""
