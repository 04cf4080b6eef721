"""Believable values drawn by schema: types, formats, enumerations, patterns and bounds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, timedelta
from math import ceil, floor
from random import Random
from uuid import UUID

from restwright.jsontypes import Json, JsonObject, is_array
from restwright_bench.any.invented import invent_name, invent_sentence, invent_slug, invent_word
from restwright_bench.any.patterns import text_matching
from restwright_bench.any.schemas import Schema

DEEPEST = 5
"""Objects inside of objects; below only what is required is drawn."""
_FULL_DEPTH = 1
_LARGEST = 900
_LONG_TEXT_WORDS = ("description", "summary", "note", "comment", "text", "body", "bio", "content")
_FIRST_DAY = date(2023, 1, 1)
_DAYS = 1400


def draw(schema: Schema, rng: Random, name: str = "", depth: int = 0) -> Json:
    """
    Draw one value.

    Args:
        name: Of the property that it is for.
        depth: As many objects it is inside of.
    """
    listed = schema.enum()
    if listed:
        return rng.choice(listed)
    maker = _MAKERS.get(schema.type)
    return maker(schema, rng, name, depth) if maker else _untyped(schema, rng)


def draw_object(
    schema: Schema, rng: Random, depth: int = 0, *, only_required: bool = False
) -> JsonObject:
    """Draw an object: what is required, and near the root what is optional and plain too."""
    drawn: JsonObject = {}
    for name in dict.fromkeys((*schema.properties, *schema.required)):
        member = schema.member(name)
        is_needed = name in schema.required
        is_wanted = not only_required and depth < _FULL_DEPTH and member.is_scalar
        if is_needed or is_wanted:
            drawn[name] = draw(member, rng, name, depth + 1)
    for name in [*schema.properties][: int(schema.node.get("minProperties") or 0)]:
        drawn.setdefault(name, draw(schema.member(name), rng, name, depth + 1))
    return drawn


def draw_text(schema: Schema, rng: Random, name: str = "") -> str:
    """Draw a text by format, pattern, lengths and the name of its property."""
    node = schema.node
    shape = node.get("format")
    shortest, longest = int(node.get("minLength") or 0), int(node.get("maxLength") or 64)
    pattern = node.get("pattern")
    found = text_matching(pattern, rng, shortest=shortest) if isinstance(pattern, str) else None
    if found is not None:
        return found[:longest]
    if isinstance(shape, str) and shape in FORMATS:
        return FORMATS[shape](rng)
    drawn = _by_example(node.get("example"), rng) or _by_name(name, rng, longest)
    while len(drawn) < shortest:
        drawn += invent_word(rng, 2)
    return drawn[: max(longest, 1)]


def _by_name(name: str, rng: Random, longest: int) -> str:
    lowered = name.lower()
    if lowered.endswith(("url", "uri", "href", "link")):
        return f"https://example.test/{invent_slug(rng)}"
    if any(word in lowered for word in _LONG_TEXT_WORDS):
        return invent_sentence(rng, longest)
    return invent_name(rng, longest)


def _by_example(example: Json, rng: Random) -> str:
    """A text in the form of an example that is a date, a URL or only digits."""
    if not isinstance(example, str) or not example:
        return ""
    if example.isdecimal():
        return "".join(rng.choice("123456789") for _ in example)
    if example.startswith(("http://", "https://")):
        return f"https://example.test/{invent_slug(rng)}"
    if _is_date(example):
        return FORMATS["date-time" if "T" in example else "date"](rng)
    return ""


def _is_date(text: str) -> bool:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def _day(rng: Random) -> date:
    return _FIRST_DAY + timedelta(days=rng.randrange(_DAYS))


def _moment(rng: Random) -> str:
    day = _day(rng)
    moment = datetime(
        day.year, day.month, day.day, rng.randrange(24), rng.randrange(60), tzinfo=UTC
    )
    return moment.isoformat().replace("+00:00", "Z")


def draw_uuid(rng: Random) -> str:
    """A random UUID."""
    return str(UUID(int=rng.getrandbits(128), version=4))


FORMATS: Mapping[str, Callable[[Random], str]] = {
    "date": lambda rng: _day(rng).isoformat(),
    "date-time": _moment,
    "time": lambda rng: f"{rng.randrange(24):02}:{rng.randrange(60):02}:00Z",
    "duration": lambda rng: f"P{rng.randint(1, 9)}D",
    "uuid": draw_uuid,
    "email": lambda rng: f"{invent_word(rng)}@example.test",
    "uri": lambda rng: f"https://example.test/{invent_slug(rng)}",
    "url": lambda rng: f"https://example.test/{invent_slug(rng)}",
    "uri-reference": lambda rng: f"/{invent_slug(rng)}",
    "hostname": lambda rng: f"{invent_word(rng)}.example.test",
    "ipv4": lambda rng: f"192.0.2.{rng.randint(1, 254)}",
    "ipv6": lambda rng: f"2001:db8::{rng.randint(1, 9999):x}",
    "byte": lambda _: "YWJj",
    "binary": invent_word,
}


def bounds(schema: Schema) -> tuple[float, float]:
    """The least and the largest number that a schema allows, as far as it tells."""
    node = schema.node
    least = _bound(node, "minimum", "exclusiveMinimum", 1)
    largest = _bound(node, "maximum", "exclusiveMaximum", -1)
    low = 1.0 if least is None else least
    if largest is not None and largest < low and least is None:
        low = largest - 10
    high = low + _LARGEST if largest is None else largest
    return low, max(low, min(high, low + 100_000))


def _bound(node: JsonObject, closed: str, opened: str, inward: int) -> float | None:
    value, beyond = node.get(closed), node.get(opened)
    if isinstance(beyond, int | float) and not isinstance(beyond, bool):
        return float(beyond) + inward * (1 if float(beyond).is_integer() else 0.01)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value) + (inward * 1 if beyond is True else 0)
    return None


def draw_number(schema: Schema, rng: Random) -> int | float:
    """An integer, or a number with two decimals, within the bounds."""
    low, high = bounds(schema)
    step = schema.node.get("multipleOf")
    if schema.type == "integer":
        drawn = rng.randint(ceil(low), max(ceil(low), floor(high)))
        return int(drawn // step * step) if isinstance(step, int) and step > 1 else drawn
    if isinstance(step, int | float) and step not in (0.01, 0.1):
        return rng.randint(ceil(low / step), max(ceil(low / step), floor(high / step))) * step
    return round(rng.uniform(low, high), 2)


def _array(schema: Schema, rng: Random, name: str, depth: int) -> list[Json]:
    least = int(schema.node.get("minItems") or 0)
    items = schema.items()
    wanted = 1 if items.is_scalar and depth <= _FULL_DEPTH + 1 else 0
    if depth > DEEPEST:
        wanted = 0
    return [draw(items, rng, name, depth + 1) for _ in range(max(least, wanted))]


def _object(schema: Schema, rng: Random, _: str, depth: int) -> JsonObject:
    return draw_object(schema, rng, depth) if depth <= DEEPEST + 3 else {}


def _untyped(schema: Schema, rng: Random) -> Json:
    example = schema.node.get("example", schema.node.get("default"))
    if example is None and is_array(schema.node.get("examples")) and schema.node["examples"]:
        example = schema.node["examples"][0]
    return invent_word(rng) if example is None else example


_MAKERS: Mapping[str, Callable[[Schema, Random, str, int], Json]] = {
    "string": lambda schema, rng, name, _: draw_text(schema, rng, name),
    "integer": lambda schema, rng, _, __: draw_number(schema, rng),
    "number": lambda schema, rng, _, __: draw_number(schema, rng),
    "boolean": lambda _, rng, __, ___: rng.random() < 0.5,
    "array": _array,
    "object": _object,
}
