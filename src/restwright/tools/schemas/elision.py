"""How much of a schema a model reads, and what marks the places where something is left out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from restwright.jsontypes import Json, JsonObject, is_object
from restwright.openapi.references import join_pointer
from restwright.tools.schemas.keywords import LIST_KEYWORDS, MAP_KEYWORDS, SCHEMA_KEYWORDS
from restwright.tools.schemas.traverse import schema_members, subschemas
from restwright.tools.text.json_bytes import to_json_bytes
from restwright.tools.text.prose import first_sentence
from restwright.tools.text.words import split_words

LEFT_OUT_MARK = "[left out]"

_SENTENCE = 120
_CUT = "\u2026"
# As long as a text may be that is compared with the name of its property.
_REPEATING = 60
_FILLERS = frozenset({"a", "an", "the", "of", "for", "this", "to", "its"})
_ENUM = 20
_VALUE = 60
_DEPTHS = (6, 4, 3, 2, 1)


@dataclass(frozen=True, slots=True)
class Detail:
    """
    How much of a schema is shown.

    Args:
        sentence: Characters of the first sentence of a description; None for the whole text.
        depth: Levels of optional objects and lists inside one schema; None for all of them.
        values: Of an enumeration; None for all of them.
    """

    examples: bool = True
    titles: bool = True
    sentence: int | None = None
    deprecated: bool = True
    depth: int | None = None
    values: int | None = None

    def left_out(self) -> tuple[str, ...]:
        """The kinds of texts and parts that are left out everywhere."""
        kinds = (
            ("examples", not self.examples),
            ("titles", not self.titles),
            ("descriptions after their first sentence", bool(self.sentence)),
            ("descriptions", self.sentence == 0),
            ("deprecated optional properties", not self.deprecated),
        )
        return tuple(kind for kind, is_left_out in kinds if is_left_out)


WHOLE = Detail()
_NO_EXAMPLES = replace(WHOLE, examples=False)
_NO_TITLES = replace(_NO_EXAMPLES, titles=False)
_SENTENCES = replace(_NO_TITLES, sentence=_SENTENCE)
LEAN = replace(_SENTENCES, deprecated=False)
"""First sentences only, no deprecated optional properties, no titles and no examples."""

DETAILS = (WHOLE, _NO_EXAMPLES, _NO_TITLES, _SENTENCES, LEAN)
"""What is left out one after the other before whole parts are."""

_SHALLOW = tuple(replace(LEAN, depth=depth) for depth in _DEPTHS)
BARE = replace(LEAN, depth=0, sentence=0, values=_ENUM)
"""The least that is shown of a schema: its inputs and their types."""

SHALLOW = (LEAN, *_SHALLOW, replace(BARE, depth=1, values=None), replace(BARE, depth=1), BARE)
"""What is left out of a schema that is too long by itself."""


def build_stub(schema: Json) -> JsonObject:
    """What stands for a part that is left out: its type and the mark."""
    kind = schema.get("type") if is_object(schema) else None
    return (
        {"type": kind, "description": LEFT_OUT_MARK}
        if isinstance(kind, str)
        else {"description": LEFT_OUT_MARK}
    )


def reduce_schema(schema: Json, detail: Detail) -> Json:
    """A cleaned schema with no more than `detail`; the same object for all of it."""
    return schema if detail == WHOLE else _reduce_node(schema, detail, 0)


def find_marks(schema: Json, pointer: str = "") -> Iterator[str]:
    """The JSON Pointers of the places that say that something is left out."""
    if not is_object(schema):
        return
    if LEFT_OUT_MARK in schema.get("description", ""):
        yield pointer
    for tokens, each in schema_members(schema):
        yield from find_marks(each, pointer + join_pointer(*tokens))


def join_lines(text: str, more: str) -> str:
    """Two texts on lines of their own."""
    return f"{text}\n{more}" if text and more else text or more


def _reduce_node(schema: Json, detail: Detail, level: int) -> Json:
    """`level` counts the objects and lists around it."""
    if not is_object(schema):
        return schema
    kept: JsonObject = {}
    left: list[str] = []
    for keyword, value in schema.items():
        reduce = _REDUCERS.get(keyword)
        if keyword == "properties":
            kept[keyword] = _reduce_properties(schema, detail, level, left)
        elif reduce is None:
            kept[keyword] = value
        elif (less := reduce(value, detail, level)) is not None:
            kept[keyword] = less
        elif keyword == "enum":
            left.append(_list_values(value, detail.values or 0))
    if left:
        kept["description"] = join_lines(
            kept.get("description", ""), f"{LEFT_OUT_MARK} {', '.join(left)}"
        )
    return kept


def _reduce_properties(
    schema: JsonObject, detail: Detail, level: int, left: list[str]
) -> JsonObject:
    required: list[str] = schema.get("required", ())
    kept: JsonObject = {}
    for name, each in schema["properties"].items():
        is_optional = is_object(each) and name not in required
        if is_optional and not detail.deprecated and each.get("deprecated") is True:
            left.append(f"{name} (deprecated)")
        elif is_optional and detail.depth is not None and level >= detail.depth and _is_deep(each):
            kept[name] = build_stub(each)
        else:
            kept[name] = _drop_repeating_description(
                name, _reduce_node(each, detail, level + 1), detail
            )
    return kept


def _drop_repeating_description(name: str, schema: Json, detail: Detail) -> Json:
    """A property without a description that only repeats its name, where texts are cut."""
    if detail.sentence is None or not is_object(schema) or "description" not in schema:
        return schema
    text: str = schema["description"]
    if len(text) > _REPEATING or not _FILLERS.issuperset(
        {*split_words(text)} - {*split_words(name)}
    ):
        return schema
    return {key: each for key, each in schema.items() if key != "description"}


def _is_deep(schema: JsonObject) -> bool:
    return any(True for _ in subschemas(schema))


def _list_values(values: list[Json], count: int) -> str:
    shown = ", ".join(to_json_bytes(value).decode()[:_VALUE] for value in values[:count])
    return f"{len(values) - count} of the values {shown}, ..."


def _reduce_examples(value: Json, detail: Detail, level: int) -> Json:
    del level
    return value if detail.examples else None


def _reduce_title(value: Json, detail: Detail, level: int) -> Json:
    del level
    return value if detail.titles else None


def _reduce_description(text: Json, detail: Detail, level: int) -> Json:
    del level
    if detail.sentence is None:
        return text
    if not detail.sentence:
        return None
    first = first_sentence(text, detail.sentence)
    is_whole = first.endswith(_CUT) or first == text.replace("**", "").strip()
    return first if is_whole else f"{first}{_CUT}"


def _reduce_enum(values: Json, detail: Detail, level: int) -> Json:
    del level
    return values if detail.values is None or len(values) <= detail.values else None


def _reduce_map(value: Json, detail: Detail, level: int) -> Json:
    return {name: _reduce_node(each, detail, level + 1) for name, each in value.items()}


def _reduce_list(value: Json, detail: Detail, level: int) -> Json:
    return [_reduce_node(item, detail, level) for item in value]


def _reduce_subschema(value: Json, detail: Detail, level: int) -> Json:
    return _reduce_node(value, detail, level + 1)


_REDUCERS: Mapping[str, Callable[[Json, Detail, int], Json]] = {
    "examples": _reduce_examples,
    "title": _reduce_title,
    "description": _reduce_description,
    "enum": _reduce_enum,
    **dict.fromkeys(MAP_KEYWORDS, _reduce_map),
    **dict.fromkeys(LIST_KEYWORDS, _reduce_list),
    **dict.fromkeys(SCHEMA_KEYWORDS, _reduce_subschema),
}
