"""
Where the value of an argument comes from: the conversation, a response, the schema, or the model.

Texts are compared exactly, after Unicode normalisation and without regard to case; nothing here
knows a word of any language.
"""

from __future__ import annotations

import json
import math
import re
import unicodedata
from collections.abc import Iterable, Iterator, Set
from typing import Literal

from restwright.agents.rest.facts import iterate_scalars
from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.tools.producers.fields import value_schemas

ValueSource = Literal["said", "found", "default", "derived"]

# Scripts that put no spaces between words: a word or a number may begin or end anywhere in them.
_UNSPACED_CHARS = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u303f\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf"
    "\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f"
)
UNSPACED = re.compile(f"[{_UNSPACED_CHARS}]")
NUMBER = re.compile(
    rf"(?:(?<![^\W\d_])|(?<=[{_UNSPACED_CHARS}])|(?<=\d[Tt]))(?<![^\W\d_]-)(?<!\d)"
    r"\d+(?:[.,'\u00a0\u202f \u2019]\d+)*"
)
"""A number in a text: no part of a name, as in `A4` and `s-1`, but one of a time of RFC 3339."""
_DAY = re.compile(r"(?<!\d)\d{4}(?:-\d\d-\d\d)?(?!\d)")
QUOTED = re.compile(
    '["\u201c\u201e\u00ab\u300c\u300e\u2018]'
    '([^"\u201c\u201d\u00bb\u300d\u300f\u2019]{2,80})'
    '["\u201c\u201d\u00bb\u300d\u300f\u2019]'
)
# Programs quote so; elsewhere it is an apostrophe.
_SINGLY_QUOTED = re.compile(r"(?<!\w)'(?!\s)([^'\n]{2,80})(?<!\s)'(?!\w)")
_SINGLE = str.maketrans("\u201c\u201e\u00ab\u201d\u00bb", "\u2018\u2018\u2018\u2019\u2019")
_MOST_EXACT = 2**53
_MAX_DIGITS = 300
_GROUPED = re.compile(r"(?<=\d)[.,'\u00a0\u202f \u2019](?=\d{3}(?!\d))")


def normalize_text(text: str) -> str:
    """Return a text in NFKC, without regard to case, with single spaces."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def find_quoted(text: str) -> list[str]:
    """What stands in quotation marks of any language."""
    return QUOTED.findall(text)


def find_named(text: str) -> list[str]:
    """What stands in quotation marks, in the single ones of programs too."""
    return [*QUOTED.findall(text), *_SINGLY_QUOTED.findall(text)]


def without_named(text: str) -> str:
    """A text without what `find_named` finds in it."""
    return _SINGLY_QUOTED.sub(" ", QUOTED.sub(" ", text))


def quote_singly(text: str) -> str:
    """A text with single marks: where a small model repeats double ones it ends its JSON text."""
    return text.translate(_SINGLE)


def is_in_text(value: str | float, text: str) -> bool:
    """
    Whether a text has a value: a text as whole words, a number as one.

    Args:
        text: As `normalize_text` gives it.
    """
    if isinstance(value, bool):
        return False
    if isinstance(value, int | float):
        return _spell(value) in _spell_numbers(text)
    wanted = normalize_text(value)
    start = text.find(wanted) if wanted else -1
    while start >= 0:
        if is_word_boundary(text, start) and is_word_boundary(text, start + len(wanted)):
            return True
        start = text.find(wanted, start + 1)
    return False


def normalize_scalars(value: Json) -> str:
    """All scalars of a value as one text, in which another value can be looked for."""
    return normalize_text("\n;".join(map(str, iterate_scalars(value))))


def is_said(value: str | float, said: str) -> bool:
    """
    Whether a value is said: as it stands, `in_stock` as `in stock`, or a path part by part.

    Args:
        said: Normalised.
    """
    if is_in_text(value, said) or is_in_text(_space_words(value), said):
        return True
    parts = value.strip("/").split("/") if isinstance(value, str) else []
    return len(parts) > 1 and all(is_in_text(part, said) for part in parts)


def find_source(value: Json, schema: Json, *, said: str, found: Set[Json]) -> ValueSource | None:
    """
    Say where all of a value comes from: the least sure source of its parts; None for nothing.

    Args:
        schema: Of the value, for defaults and single choices.
        said: The conversation, normalised.
        found: Scalars of responses, and what code computed of them.
    """
    if is_object(schema) and ("default" in schema and value == schema["default"]):
        return "default"
    if is_object(schema) and ("const" in schema or schema.get("enum") == [value]):
        return "default"
    return _least_sure(
        _find_scalar_source(scalar, said, found) for scalar in iterate_scalars(value)
    )


def find_derived(value: Json, *, said: str, found: Set[Json]) -> Json:
    """
    Return the parts of a value that stand nowhere: the model's own; None for nothing.

    `true` stands where it is said so. What it is said of is not known by that, so that it has no
    better source than the model.

    Args:
        said: As of `find_source`, and
        found: too.
    """
    if is_object(value):
        members = {
            name: own
            for name, member in value.items()
            if (own := find_derived(member, said=said, found=found)) is not None
        }
        return members or None
    if is_array(value):
        items = [find_derived(item, said=said, found=found) for item in value]
        return [own for own in items if own is not None] or None
    if value is None or _find_scalar_source(value, said, found) != "derived":
        return None
    return None if isinstance(value, bool) and is_in_text(json.dumps(value), said) else value


def is_checked(schema: Json, value: Json, definitions: JsonObject) -> bool:
    """
    Whether a schema says of a value more than that it is some text.

    Such a value may be the model's own: a choice of a list, a number, a truth value, a date.

    Args:
        definitions: What the schema refers to.
    """
    parts = [part for part, _ in value_schemas(schema, definitions)]
    if is_array(value):
        items = [part["items"] for part in parts if "items" in part]
        # A number in a list is an id as often as not.
        if any(isinstance(item, int | float) and not isinstance(item, bool) for item in value):
            return all(any(_is_enumerated(one) for one in items) for _ in value)
        return all(any(is_checked(one, item, definitions) for one in items) for item in value)
    if is_object(value):
        return all(
            any(is_checked(one, member, definitions) for one in _members(parts, name))
            for name, member in value.items()
        )
    if not isinstance(value, str):
        return True
    return any(part.keys() & {"enum", "const", "format", "pattern"} for part in parts)


def iterate_unnamed(schema: Json, value: Json, definitions: JsonObject) -> Iterator[str]:
    """Yield the names of the properties of a value that no schema of it names."""
    parts = [part for part, _ in value_schemas(schema, definitions)]
    if is_array(value):
        items: JsonObject = {"anyOf": [part["items"] for part in parts if "items" in part]}
        for item in value:
            yield from iterate_unnamed(items, item, definitions)
    if is_object(value):
        for name, member in value.items():
            named = [*_members(parts, name)]
            yield from () if named else (name,)
            yield from iterate_unnamed({"anyOf": named}, member, definitions)


def _is_enumerated(schema: Json) -> bool:
    return is_object(schema) and bool(schema.keys() & {"enum", "const"})


def _members(parts: Iterable[JsonObject], name: str) -> Iterator[Json]:
    for part in parts:
        members: JsonObject = part.get("properties", {})
        if name in members:
            yield members[name]


def _find_scalar_source(scalar: str | float, said: str, found: Set[Json]) -> ValueSource:
    if is_said(scalar, said):
        return "said"
    return "found" if not isinstance(scalar, bool) and scalar in found else "derived"


def _space_words(scalar: str | float) -> str | float:
    """Identifiers with spaces, which is how they are said."""
    return scalar.replace("_", " ").replace("-", " ") if isinstance(scalar, str) else scalar


def _least_sure(sources: Iterable[ValueSource]) -> ValueSource | None:
    order: tuple[ValueSource, ...] = ("derived", "found", "said")
    given = set(sources)
    return next((source for source in order if source in given), None)


def is_word_boundary(text: str, place: int) -> bool:
    """Whether a word may begin or end between two characters."""
    if place in {0, len(text)}:
        return True
    before, after = text[place - 1], text[place]
    if not (_is_word(before) and _is_word(after)):
        return True
    return bool(UNSPACED.match(before) or UNSPACED.match(after))


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"


def find_numbers(text: str) -> list[float]:
    """The numbers of a text, each once: whole ones as such; `1,200` may be 1200 or 1.2."""
    found: dict[float, None] = {}
    for spelled in _spell_numbers(text):
        try:
            number = _read_number(spelled)
        except ValueError:
            continue
        if math.isfinite(number):
            found[int(number) if float(number).is_integer() else number] = None
    return sorted(found)


def _read_number(text: str) -> float:
    """
    A number with every digit that it has.

    Raises:
        ValueError: It is none, or has more digits than are read.
    """
    return int(text) if text.isdecimal() and len(text) <= _MAX_DIGITS else float(text)


def find_days(text: str) -> list[str]:
    """The days of a text, as RFC 3339 writes them (`2026-11-23`), and what may be years."""
    return list(dict.fromkeys(_DAY.findall(text)))


def _spell(number: float) -> str:
    """A number as JSON writes it, a whole one without a point; every digit counts."""
    is_whole = isinstance(number, float) and number.is_integer() and abs(number) < _MOST_EXACT
    return str(int(number)) if is_whole else str(number)


def _spell_numbers(text: str) -> set[str]:
    """The numbers of a text, each as JSON writes it; `1,200` may be 1200 or 1.2."""
    spelled: set[str] = set()
    for match in NUMBER.finditer(text):
        for form in (match[0], _GROUPED.sub("", match[0])):
            number = form.replace(",", ".")
            try:
                spelled.add(_spell(_read_number(number)))
            except ValueError:
                parts = re.findall(r"\d+", form)
                spelled.update((*parts, *(_spell(_read_number(part)) for part in parts)))
            spelled.add(number)
    return spelled
