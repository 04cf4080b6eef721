"""
The selector's part that code does: what it reads of each operation, and a second look at a choice.

A small model says well which piece of data is asked, and of which kind of thing; among many
operations it then often takes one that only sounds like the task. Where its choice has nothing of
what it said is asked, and another operation has, that one is taken.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from restwright.agents.roles.failure import first_line
from restwright.jsontypes import Json, JsonObject, is_object
from restwright.openapi.references import find_ref
from restwright.tools.text.words import split_words
from restwright.tools.tool import Tool

_FIELDS = 10
_DEPTH = 3
# What is counted or put in order is said by the task, and by no field.
_COUNTING = frozenset(
    {
        "number",
        "count",
        "list",
        "amount",
        "total",
        "all",
        "the",
        "of",
        "a",
        "an",
        "in",
        "for",
        "get",
    }
    | {"to", "and", "by", "with", "on", "detail", "s"}
)
# A kind that fits makes up for words that are missing, as half of all words are not enough alone.
_ENOUGH = 0.5
_KIND = 0.5
_PART = 5
_NAMED = 0.25
_WHOLE = 0.1
# Fields that most things have tell none of them apart.
_COMMON = frozenset({"id", "name", "title", "type", "url", "uri", "href"})


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a task asks for: a piece of data, and the kind of thing that it is of; and the task."""

    asked: str
    of: str
    task: str = ""


def line_of(name: str, tool: Tool) -> str:
    """An operation in one line; what gives one thing also tells what is known of that."""
    text = f"- {name}: {first_line(tool)}"
    fields = _fields(tool)[:_FIELDS] if tool.operation.path.endswith("}") else ()
    return f"{text} ({', '.join(fields)})" if fields and tool.operation.method.is_read else text


def better(name: str, wanted: Wanted, tools: Mapping[str, Tool]) -> str:
    """
    The name of the operation that has what is wanted: the chosen one unless it has nothing of it.

    Args:
        name: What was chosen.
        tools: `{name: tool}`, all that could be.
    """
    words = frozenset(split_words(wanted.asked)) - _COUNTING - _COMMON
    if not words or not tools[name].operation.method.is_read or _has(tools[name], words):
        return name
    kind = frozenset(split_words(wanted.of))
    if (
        _called(tools[name])
        & frozenset(split_words(wanted.task)) - words - kind - _COUNTING - _COMMON
    ):
        # It does what the task says, in words that the model left out.
        return name
    reads = {each: tool for each, tool in tools.items() if tool.operation.method.is_read}
    scores = {each: _score(tool, words, kind) for each, tool in reads.items()}
    best = max(scores, key=lambda each: scores[each])
    return best if scores[best] > _ENOUGH else name


def _called(tool: Tool) -> frozenset[str]:
    """The words of an operation's name and of what it does."""
    operation = tool.operation
    return frozenset(split_words(f"{operation.operation_id or ''} {operation.headline}"))


def _score(tool: Tool, words: frozenset[str], kind: frozenset[str]) -> float:
    """How well an operation fits: above one half where it has more than half of what is wanted."""
    has = _has(tool, words)
    of = bool(kind & frozenset(split_words(_things(tool.operation.path))))
    named = words <= frozenset(split_words(_last(tool.operation.path)))
    whole = any(words == frozenset(split_words(each)) for each in _fields(tool))
    return has * (1 + _KIND * of + _NAMED * named + _WHOLE * whole)


def _has(tool: Tool, words: frozenset[str]) -> float:
    """Which share of the words its path ends with or its response's fields are called by."""
    said = frozenset(split_words(_last(tool.operation.path)))
    said |= {word for each in _fields(tool) for word in split_words(each)} - _COMMON
    return sum(any(_is_same(word, each) for each in said) for word in words) / len(words)


def _is_same(word: str, other: str) -> bool:
    """Whether two words are one, or one is put together with the other: `birthplace`, `birth`."""
    short, long = sorted((word, other), key=len)
    return word == other or (len(short) >= _PART and short in long)


def _last(path: str) -> str:
    """The last segment, unless it is a placeholder."""
    last = path.rstrip("/").rpartition("/")[2]
    return "" if last.startswith("{") else last


def _things(path: str) -> str:
    """The segment before the last placeholder: what kind of thing the operation is of."""
    before, found, _ = path.rpartition("/{")
    return before.rpartition("/")[2] if found else path.split("/")[1]


@lru_cache(maxsize=2048)
def _fields(tool: Tool) -> tuple[str, ...]:
    """Names of the fields of a response: of the items where it is a list."""
    output = tool.output
    if not is_object(output):
        return ()
    found = _properties(output, output.get("$defs", {}), _DEPTH)
    return tuple(dict.fromkeys(each for each in found if each not in _COMMON))


def _properties(schema: Json, definitions: JsonObject, left: int) -> Iterator[str]:
    if not is_object(schema) or not left:
        return
    name = find_ref(schema)
    if name is not None:
        yield from _properties(definitions.get(name.rpartition("/")[2]), definitions, left - 1)
    for each in schema.get("allOf", ()):
        yield from _properties(each, definitions, left - 1)
    properties: JsonObject = schema.get("properties", {})
    # The items of a list stand for it; of other properties only the names count.
    lists = [each for each in properties.values() if is_object(each) and "items" in each]
    is_wrapper = len(lists) == 1 and "id" not in properties
    for key, each in properties.items():
        if is_wrapper and is_object(each) and "items" in each:
            yield from _properties(each["items"], definitions, left - 1)
        else:
            yield key
    yield from _properties(schema.get("items"), definitions, left - 1)
