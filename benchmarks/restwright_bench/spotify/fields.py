"""The `fields` parameter: only some parts of an object, as `name,items(track(name,uri))`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from restwright.jsontypes import Json, JsonObject
from restwright_bench.world.exchange import Refused

_TOKENS = re.compile(r"\s*([\w!]+|[().,])")
# Kept even where they are not asked for: the schemas of these objects require them.
_OF_PAGES = frozenset(("href", "items", "limit", "next", "offset", "previous", "total"))
_WHOLE = frozenset(("album", "images"))
MOST_NESTED = 10

Selection = Mapping[str, "Selection"]


def selected(value: JsonObject, fields: Json) -> JsonObject:
    """
    What `fields` leaves of an object; all of it where that is empty.

    Pages keep their own members, and albums and images stay whole, since their schemas require it.

    Raises:
        Refused: 400 where `fields` cannot be understood.
    """
    return _kept(value, _selection(str(fields))) if fields else value


def _selection(text: str) -> Selection:
    tokens = _TOKENS.findall(text)
    if "".join(tokens) != re.sub(r"\s", "", text):
        raise Refused(400, f"fields cannot be understood: {text[:60]!r}")
    left = iter([*tokens, ")"])
    found = _members(left, 0)
    if next(left, None) is not None:
        raise Refused(400, f"fields has a bracket too many: {text[:60]!r}")
    return found


def _members(tokens: Iterator[str], depth: int) -> dict[str, Selection]:
    """Reads up to the bracket that closes this object."""
    if depth > MOST_NESTED:
        raise Refused(400, "fields is nested too deeply")
    found: dict[str, Selection] = {}
    here = found
    last = ""
    for token in tokens:
        if token == ")":
            return found
        if token == "(":
            here[last] = _members(tokens, depth + 1)
        elif token == ".":
            here = _entered(here, last)
        elif token == ",":
            here = found
        else:
            last = token
            here[last] = {}
    raise Refused(400, "fields has a bracket that is not closed")


def _entered(here: dict[str, Selection], name: str) -> dict[str, Selection]:
    inner: dict[str, Selection] = {}
    here[name] = inner
    return inner


def _kept(value: Json, selection: Selection) -> Json:
    if not selection:
        return value
    if isinstance(value, list):
        return [_kept(each, selection) for each in value]
    if not isinstance(value, dict):
        return value
    is_page = {"items", "offset", "total"} <= value.keys()
    left = {name.removeprefix("!") for name in selection if name.startswith("!")}
    found: JsonObject = {}
    for name, each in value.items():
        if name in selection or (left and name not in left):
            inner = {} if name in _WHOLE else selection.get(name, {})
            found[name] = _kept(each, inner)
        elif is_page and name in _OF_PAGES:
            found[name] = each
    return found
