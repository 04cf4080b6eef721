"""A scorer without an index: tools by the words that they share with a query."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import log

from restwright.jsontypes import Json, JsonObject, is_object
from restwright.openapi.references import find_ref
from restwright.tools.schemas.traverse import subschemas
from restwright.tools.text.words import split_words, to_singular
from restwright.tools.tool import Tool

_WEIGHTS: Mapping[str, float] = {
    "name": 3.0,
    "summary": 2.5,
    "path": 2.0,
    "tags": 1.5,
    "parameters": 1.5,
    "description": 1.0,
    "response": 0.7,
}
_RESPONSE_DEPTH = 5

# Words of questions that are about no operation.
_STOP = frozenset(
    to_singular(word)
    for word in (
        *("a", "an", "and", "are", "as", "at", "be", "by", "can", "do", "does", "for", "from"),
        *("has", "have", "how", "i", "in", "is", "it", "its", "me", "my", "of", "on", "or"),
        *("please", "s", "so", "than", "that", "the", "their", "them", "then", "there", "these"),
        *("this", "to", "was", "we", "were", "what", "when", "which", "who", "will", "with"),
        *("would", "you", "your"),
    )
)


def score_overlap(query: str, tools: Sequence[Tool]) -> list[float]:
    """
    Score tools by the words that they share with `query`; a `Scorer`.

    A word counts by the best place it is found in (name, summary, path, parameters, description,
    names in the response), and the more the fewer tools have it.
    """
    asked = _query_words(query)
    weighed = [_weigh_words(tool) for tool in tools]
    counts = Counter(word for words in weighed for word in words if word in asked)
    rarity = {word: log(1 + len(tools) / counts[word]) for word in counts}
    return [sum(words[word] * rarity[word] for word in asked if word in words) for words in weighed]


def _query_words(query: str) -> tuple[str, ...]:
    words = dict.fromkeys(split_words(query))
    # A query of nothing but such words still means something.
    return tuple(word for word in words if word not in _STOP) or tuple(words)


def _weigh_words(tool: Tool) -> dict[str, float]:
    """`{word: weight of the best place}` of a tool."""
    weighed: dict[str, float] = {}
    for place, text in _tool_texts(tool):
        for word in split_words(text):
            weighed[word] = max(weighed.get(word, 0.0), _WEIGHTS[place])
    return weighed


def _tool_texts(tool: Tool) -> Iterator[tuple[str, str]]:
    operation = tool.operation
    yield "name", tool.operation_name
    yield "summary", operation.summary
    yield "path", operation.path
    yield "tags", " ".join(operation.tags)
    yield "description", operation.description
    yield "parameters", " ".join(tool.properties)
    yield "response", " ".join(_property_names(tool.output))


def _property_names(output: Json) -> Iterator[str]:
    """Names of properties in the upper levels of a response; each definition once."""
    definitions: JsonObject = output.get("$defs", {}) if is_object(output) else {}
    level, seen = [output], set[str]()
    for _ in range(_RESPONSE_DEPTH):
        resolved = [_resolve_schema(schema, definitions, seen) for schema in level]
        objects = [item for item in resolved if is_object(item)]
        for object_ in objects:
            yield from object_.get("properties", {})
        level = [child for item in objects for child in subschemas(item)]


def _resolve_schema(schema: Json, definitions: JsonObject, seen: set[str]) -> Json:
    ref = find_ref(schema)
    if ref is None:
        return schema
    if ref in seen:
        return True
    seen.add(ref)
    return definitions.get(ref.rpartition("/")[2], True)
