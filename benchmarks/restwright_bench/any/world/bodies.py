"""Bodies of responses: an item or a page of items within what the document puts around them."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from urllib.parse import urlencode

from restwright.jsontypes import Json, JsonObject, is_object
from restwright_bench.any.draw import draw, draw_object
from restwright_bench.any.locate import Place, at, find_item
from restwright_bench.any.resources import Resource
from restwright_bench.any.schemas import Schema
from restwright_bench.any.world.listing import NUMBERS, OFFSETS, SIZES, Page, simplify

_TOTALS = ("total", "totalcount", "count", "totalresults", "totalitems", "totalelements")
_MORE = ("hasmore", "hasnext", "hasnextpage", "moreavailable", "istruncated")
_TOKENS = (
    *("nextcursor", "nextpagetoken", "nexttoken", "endcursor", "continuationtoken", "nextmarker"),
    *("continue", "nextpage"),
)
_LINKS = ("next", "nexturl", "nextpageuri", "nextpageurl", "nextlink", "nexthref")
_DEEPEST = 2
ORIGIN = "http://world.test"


def shown(record: JsonObject, schema: Schema) -> JsonObject:
    """The part of a record that a schema names; all of it where it names nothing."""
    names = schema.properties
    return {name: each for name, each in record.items() if name in names} if names else record


def page_body(schema: Schema, resource: Resource, page: Page, path: str, rng: Random) -> Json:
    """A page of a list, with what its response says of how the list goes on."""
    items = [shown(each, resource.shown) for each in page.records]
    if not resource.array:
        return items
    body = _around(schema, resource.array, items, rng)
    _tell_pages(body, schema, page, path, 0)
    return body


def has_cursor(schema: Schema, depth: int = 0) -> bool:
    """Whether a response has a place for where the next page begins."""
    for name in schema.properties if schema.type == "object" else ():
        member = schema.member(name)
        if simplify(name) in (*_TOKENS, *_LINKS) and member.type in ("string", ""):
            return True
        if member.type == "object" and depth < _DEEPEST and has_cursor(member, depth + 1):
            return True
    return False


def item_body(
    schema: Schema, resource: Resource, record: JsonObject, rng: Random, *, place: Place | None
) -> Json:
    """
    A thing as an operation answers with it.

    Args:
        place: Where it is; None to look for where its id can stand.
    """
    if place is None:
        found = find_item(schema, resource.id_name or "id", resource.noun)
        place = found[0] if found and found[1] == resource.id_name else None
    if place is None:
        return draw(schema, rng)
    target = at(schema, place)
    told = {k: v for k, v in shown(record, target).items() if _is_listed(target.member(k), v)}
    whole = {**_missing(target, told, rng), **told}
    return _around(schema, place, whole, rng) if place else whole


def _is_listed(schema: Schema, value: Json) -> bool:
    """Whether a value may stand where only some may: a deleted thing is of another `object`."""
    return not schema.enum() or value in schema.enum()


def _missing(schema: Schema, record: JsonObject, rng: Random) -> JsonObject:
    """What a schema requires and a record has not."""
    drawn = draw_object(schema, rng, only_required=True)
    return {name: value for name, value in drawn.items() if name not in record}


def _around(schema: Schema, place: Place, value: Json, rng: Random) -> JsonObject:
    body = draw_object(schema, rng, only_required=True)
    first, rest = place[0], place[1:]
    body[first] = _around(schema.member(first), rest, value, rng) if rest else value
    return body


def _tell_pages(body: JsonObject, schema: Schema, page: Page, path: str, depth: int) -> None:
    for name in schema.properties:
        member = schema.member(name)
        if member.type == "object" and depth < _DEEPEST and _tells_pages(member):
            inner = body.get(name)
            if not is_object(inner):
                inner = body[name] = draw_object(member, Random(0), only_required=True)
            _tell_pages(inner, member, page, path, depth + 1)
        elif member.is_scalar or not member.type:
            _tell(body, name, member, page, path, is_needed=name in schema.required)


def _tells_pages(schema: Schema, depth: int = 0) -> bool:
    names = {simplify(each) for each in schema.properties}
    inner = (schema.member(each) for each in schema.properties)
    return bool(names & {*_TOTALS[:2], *_MORE, *_TOKENS, *_LINKS}) or (
        depth < 1 and any(each.type == "object" and _tells_pages(each, depth + 1) for each in inner)
    )


def _tell(
    body: JsonObject, name: str, schema: Schema, page: Page, path: str, *, is_needed: bool
) -> None:
    plain = simplify(name)
    is_number = schema.type in ("integer", "number")
    values: Mapping[str, Json] = {
        **(dict.fromkeys(_TOTALS, page.total) if is_number else {}),
        **(dict.fromkeys(SIZES, page.size) if is_number and plain not in _TOTALS else {}),
        **(dict.fromkeys(OFFSETS, page.start) if is_number else {}),
        **(dict.fromkeys(NUMBERS, page.start // page.size + 1) if is_number else {}),
        **(dict.fromkeys(_MORE, bool(page.following)) if schema.type == "boolean" else {}),
    }
    if plain in values:
        body[name] = values[plain]
    elif plain in (*_TOKENS, *_LINKS) and schema.type in ("string", ""):
        _tell_next(body, name, page, path, is_link=_is_link(plain, schema), is_needed=is_needed)


def _is_link(plain: str, schema: Schema) -> bool:
    return plain in _LINKS or schema.node.get("format") in ("uri", "url", "uri-reference")


def _tell_next(
    body: JsonObject, name: str, page: Page, path: str, *, is_link: bool, is_needed: bool
) -> None:
    body.pop(name, None)
    if page.following:
        token = str(next(iter(page.following.values())))
        query = urlencode(dict(page.following))
        body[name] = f"{ORIGIN}{path}?{query}" if is_link else token
    elif is_needed:
        body[name] = ""


def merge_values(place: Place, body: Json) -> JsonObject:
    """The values that a request gives, taken out of what the document puts around them."""
    for name in place:
        body = body.get(name) if is_object(body) else None
    return dict(body) if is_object(body) else {}
