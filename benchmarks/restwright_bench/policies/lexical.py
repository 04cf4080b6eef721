"""A baseline without a model: the search of the catalog, and rules that a page can hold."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from restwright.calls.response.result import Result
from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.tools.search import search
from restwright.tools.tool import Tool
from restwright_bench.policies.run import Said, Task
from restwright_bench.policies.tools import Tools
from restwright_bench.world.inside import Inside

MOST_CALLS = 3
MOST_SAID = 400
"""Characters of an answer; one that says everything would always be right."""
_TEXT_NAMES = frozenset(("q", "query", "text", "search", "title"))
_QUOTED = re.compile("[\"'\u2018\u201c](.+?)[\"'\u2019\u201d]")
_NAME = re.compile(r"(?<![.?!] )(?<!^)\b[A-Z][\w:'-]*(?: (?:of|the|and|in|[A-Z0-9][\w:'-]*))*\b")
_NUMBER = re.compile(r"\b\d+\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """What of a question can be an argument."""

    question: str
    name: str
    numbers: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LexicalPolicy:
    """
    Calls the read that a search finds; where it needs an id, first one that takes a name.

    Says what the first entry of the last answer says. Nothing in it knows an API.
    """

    tools: Tools
    name: str = "lexical"

    def answer(self, task: Task) -> Said:
        """Make one call, or two."""
        question = task.query.text
        reads = [each for each in self.tools.catalog.tools if each.operation.method == "get"]
        found = [each.tool for each in search(question, reads, k=MOST_CALLS)]
        if not found:
            return Said(stopped="lost")
        send = Inside(task.running.answer_whole)
        words, known = words_of(question), dict[str, Json]()
        goal = found[0]
        if missing(goal, words, known) and (way := _way(words, reads)):
            known = ids_in(self._called(way, words, known, send).value)
        result = self._called(goal, words, known, send)
        return Said(answer=" ".join(said(result.value))[:MOST_SAID])

    def _called(self, tool: Tool, words: Words, known: Mapping[str, Json], send: Inside) -> Result:
        return self.tools.call(tool, arguments(tool, words, known), send)


def words_of(question: str) -> Words:
    """The name in a question (quoted, else the longest run of capitals), and its numbers."""
    names = _QUOTED.findall(question) or _NAME.findall(question)
    numbers = tuple(int(each) for each in _NUMBER.findall(question))
    return Words(question=question, name=max(names, key=len, default=""), numbers=numbers)


def arguments(tool: Tool, words: Words, known: Mapping[str, Json]) -> JsonObject:
    """A value for each required argument that has one, and for one that takes a text."""
    wanted = [*tool.required, *(each for each in tool.properties if each in _TEXT_NAMES)]
    found = {each: _value(each, tool.properties[each], words, known) for each in wanted}
    return {name: each for name, each in found.items() if each is not None}


def missing(tool: Tool, words: Words, known: Mapping[str, Json]) -> bool:
    """Whether a required argument has no value."""
    return not set(tool.required) <= set(arguments(tool, words, known))


def ids_in(value: Json) -> JsonObject:
    """`{"id": ...}` of the first entry that has one, wherever it is."""
    found = next((each["id"] for each in _objects(value) if each.get("id") is not None), None)
    return {} if found is None else {"id": found}


def said(value: Json) -> Iterator[str]:
    """The scalars of the first entry of a value, in its order."""
    first = next((each for each in _objects(value) if "id" in each or "name" in each), value)
    for each in first.values() if is_object(first) else [first]:
        if not is_object(each) and not is_array(each) and each is not None:
            yield str(each)


def _way(words: Words, reads: list[Tool]) -> Tool | None:
    """The read that takes a text and needs nothing that is not known."""
    takes = [each for each in reads if _TEXT_NAMES & set(each.properties)]
    ready = [each for each in takes if not missing(each, words, {})]
    return next((each.tool for each in search(words.question, ready, k=1)), None)


def _value(name: str, schema: Json, words: Words, known: Mapping[str, Json]) -> Json:
    if name in _TEXT_NAMES:
        return words.name or None
    if is_object(schema) and schema.get("enum"):
        return _listed(schema["enum"], words.question)
    items = schema.get("items", {}) if is_object(schema) else {}
    if items.get("enum"):
        return [_listed(items["enum"], words.question)]
    if name.rpartition("_")[2] in {"id", "ids"}:
        return known.get("id")
    return words.numbers[0] if words.numbers else None


def _listed(values: list[Json], question: str) -> Json:
    """The value that the question has in it, else the first."""
    low = question.casefold()
    return next((each for each in values if str(each).casefold() in low), values[0])


def _objects(value: Json) -> Iterator[JsonObject]:
    """Objects, outer ones first, each before those in it."""
    level = [value]
    while level:
        yield from (each for each in level if is_object(each))
        level = [
            child
            for each in level
            for child in (each.values() if is_object(each) else each if is_array(each) else ())
        ]
