"""
What a run has found: the answers to what was asked, and the responses that they came from.

Ids are never taken from a model's mind. They come from responses (by the producers that the
document implies), or from the user's own words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from restwright.agents.memory.tool_inputs import properties_of
from restwright.calls.arguments.check import check_value
from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.tools.producers import Producer, find_producers
from restwright.tools.tool import Tool

# Of the things that APIs number; more are written with digits.
_ORDINALS = (
    "first|1st",
    "second|2nd",
    "third|3rd",
    "fourth|4th",
    "fifth|5th",
    "sixth|6th",
    "seventh|7th",
    "eighth|8th",
    "ninth|9th",
    "tenth|10th",
)
# `4K`, `2nd`, `90s`, `5GB`: how much or which, unless it stands after the name of the thing.
_MEASURED = re.compile(r"\d+[A-Za-z]{1,3}")
# Characters that are looked at before a word, for what it is the id of.
_BEFORE = 80
_NUMBERED = re.compile(r"(?i)(?<![a-z])number$|(?<=[a-z])Number$")
MOST_OFFERED = 40
"""As many known values are offered to choose from."""

LABELS = ("name", "title", "label", "display_name", "full_name", "subject", "email")


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """
    One thing that was asked for, with the value that a response gave for it.

    Args:
        is_on_the_way: It leads to what was asked for.
    """

    asked: str
    tool: str
    value: Json
    is_write: bool = False
    is_on_the_way: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One response: the tool that gave it, its JSON body, and what was taken out of it."""

    tool: str
    arguments: JsonObject
    body: Json
    extracted: Json
    is_write: bool = False


@dataclass(frozen=True, slots=True)
class Known:
    """A value that may be used as an argument, with a name that people use for it."""

    value: str | int
    label: str


@dataclass(frozen=True, slots=True)
class Memory:
    """All that a run has found, oldest first."""

    findings: tuple[Finding, ...] = ()
    sources: tuple[Source, ...] = ()

    def with_finding(self, finding: Finding) -> Memory:
        """Return this memory and one finding more."""
        return replace(self, findings=(*self.findings, finding))

    def with_source(self, source: Source) -> Memory:
        """Return this memory and one response more."""
        return replace(self, sources=(*self.sources, source))

    def held(self, key: str) -> tuple[Known, ...]:
        """What the things have under `key` (such as `uri`) that were last taken out of a read."""
        for source in reversed(self.sources):
            if not source.is_write:
                if own := _with_own(source.extracted, key):
                    return own
                asked = set(_scalars(source.extracted)) - {""}
                things = list(_holders(source.body, key, asked))
                if things:
                    return tuple(Known(each[key], label_of(each)) for each in things)
        return ()

    def known(self, tool: Tool, name: str, tools: Sequence[Tool]) -> tuple[Known, ...]:
        """The values found so far that fit the input `name` of `tool`, latest first."""
        paths = {each.tool.name: each.path for each in find_producers(tool, name, tools)}
        found: dict[str | int, Known] = {}
        for source in reversed(self.sources):
            if source.tool in paths:
                for known in _focused(source, paths[source.tool]):
                    found.setdefault(known.value, known)
        return tuple(found.values())


def id_producers(tool: Tool, name: str, tools: Sequence[Tool]) -> tuple[Producer, ...]:
    """The operations that can supply `name`; empty where it is no id, so that a model fills it."""
    schema = properties_of(tool).get(name, {})
    if not is_object(schema) or "enum" in schema or "const" in schema:
        return ()
    location = next((each.location for each in tool.inputs if each.name == name), None)
    if location != "path" and not re.search(r"(?i)(^|_|[a-z])(id|uuid|ids)$", name):
        return ()
    return find_producers(tool, name, tools)


def mentioned(tool: Tool, name: str, question: str) -> tuple[Known, ...]:
    """
    Ids in the user's own words: words with a letter and a digit that fit the schema of `name`, and
    bare numbers only right after `#`, `id`, `number` or the name of the thing. Where things are
    counted (`season_number`), also words that count them: `the second season`.
    """
    thing = thing_of(tool, name)
    checks = tool.model_checks
    schema = {**checks, "properties": {"it": checks["properties"][name]}, "required": ["it"]}
    numbered = _counted(thing, question) if _NUMBERED.search(name) else ()
    found = [Known(each, f"{thing} {each}") for each in numbered]
    found = [each for each in found if not check_value(schema, {"it": each.value})]
    others = tuple(each for each in _other_things(tool, name) if each != thing)
    for match in re.finditer(r"[\w][\w.:-]*[\w]|\w", question):
        word = match[0]
        if not any(map(str.isdecimal, word)):
            continue
        before = question[max(0, match.start() - _BEFORE) : match.start()].rstrip().lower()
        is_named = before.endswith(("#", " id", " number", "no.", thing.lower()))
        is_other = bool(others) and before.endswith(others)
        is_address = "@" in (
            question[match.start() - 1 : match.start()],
            question[match.end() : match.end() + 1],
        )
        is_no_id = is_other or (not is_named and (is_address or _MEASURED.fullmatch(word)))
        has_both = bool(re.search(r"[A-Za-z]", word)) and not is_no_id
        if not (is_named if word.isdecimal() else has_both):
            continue
        for value in (word, int(word)) if word.isdecimal() else (word,):
            if not check_value(schema, {"it": value}):
                found.append(Known(value, word))
    return tuple(found)


def _other_things(tool: Tool, name: str) -> Iterator[str]:
    """What the other inputs in the path are the ids of: `store s7` is no product."""
    for each in tool.inputs:
        if each.location == "path" and each.name != name:
            yield thing_of(tool, each.name)


def says_name_of(known: Known, task: str) -> bool:
    """Whether a task speaks of what is known, by its id or its name."""
    return any(_is_in(each, task) for each in (str(known.value), known.label) if each)


def _is_in(name: str, task: str) -> bool:
    """Whether a task has a name: 7 is not in `1977`. Not all languages put spaces around one."""
    return bool(re.search(rf"(?a)(?<!\w){re.escape(name.lower())}(?!\w)", task.lower()))


def few(known: tuple[Known, ...], task: str) -> tuple[Known, ...]:
    """As many values as are offered: of very many those that the task names, else the latest."""
    if len(known) <= MOST_OFFERED:
        return known
    named = tuple(each for each in known if says_name_of(each, task))
    return (named or known)[:MOST_OFFERED]


def _counted(thing: str, text: str) -> Iterator[int]:
    for number, words in enumerate(_ORDINALS, 1):
        if re.search(rf"(?i)\b(?:{words})\s+{re.escape(thing)}\b", text):
            yield number


def thing_of(tool: Tool, name: str) -> str:
    """What an id is the id of, in words: `product_id` -> `product`, `/films/{id}` -> `film`."""
    words = re.sub(r"(?i)[_-]?(id|uuid|key|number|slug)s?$", "", name)
    if not words:
        before = re.search(r"/([^/{}]+)/\{" + re.escape(name) + r"\}", tool.operation.path)
        words = re.sub(r"(?<=[^s])s$", "", before[1]) if before else "item"
    return re.sub(r"(?<=[a-z])(?=[A-Z])|[_-]+", " ", words).lower()


def values_at(body: Json, path: Sequence[str]) -> Iterator[tuple[Json, JsonObject]]:
    """Yield `(value, object that holds it)` for each place of `path`; `[]` is every item."""
    yield from _walk(body, tuple(path), {})


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


def label_of(owner: JsonObject) -> str:
    """The words by which people know an object; empty where it has none."""
    named = (owner.get(key) for key in LABELS)
    texts = (value for key, value in owner.items() if not key.endswith("id"))
    return next((text for text in (*named, *texts) if isinstance(text, str)), "")


def _focused(source: Source, path: Sequence[str]) -> list[Known]:
    """The ids of those objects of a response that the task asked for."""
    places = list(values_at(source.body, path))
    scalars = set(_scalars(source.extracted))
    # Where ids were taken out, those are meant; another number may be the id of something else.
    ids = set(_held(source.extracted, path[-1])) if path else set[str | int | float]()
    chosen = [each for each in places if each[0] in (ids or scalars)]
    if not chosen:
        chosen = [each for each in places if label_of(each[1]) in scalars - {""}]
    if not chosen and len(places) == 1 and source.extracted is not None:
        chosen = places
    return [Known(value, label_of(owner)) for value, owner in chosen]


def _with_own(extracted: Json, key: str) -> tuple[Known, ...]:
    """What was taken out itself, where each of it has a value under `key`."""
    things = extracted if is_array(extracted) else [extracted]
    objects = [each for each in things if is_object(each) and isinstance(each.get(key), str | int)]
    if len(objects) < len(things):
        return ()
    return tuple(Known(each[key], label_of(each)) for each in objects)


def _held(value: Json, key: str) -> Iterator[str | int | float]:
    """What the outermost objects have under `key`."""
    if is_object(value):
        own = value.get(key)
        if isinstance(own, str | int | float) and not isinstance(own, bool):
            yield own
            return
    inner = value.values() if is_object(value) else value if is_array(value) else ()
    for each in inner:
        yield from _held(each, key)


def _holders(node: Json, key: str, asked: set[str | int | float]) -> Iterator[JsonObject]:
    """The outermost objects with a value under `key`, asked for by that or by their name."""
    if is_object(node):
        value = node.get(key)
        is_value = isinstance(value, str | int) and not isinstance(value, bool)
        if is_value and (value in asked or label_of(node) in asked):
            yield node
            return
    inner = node.values() if is_object(node) else node if is_array(node) else ()
    for each in inner:
        yield from _holders(each, key, asked)


def _scalars(value: Json) -> Iterator[str | int | float]:
    if is_object(value):
        for each in value.values():
            yield from _scalars(each)
    elif is_array(value):
        for each in value:
            yield from _scalars(each)
    elif isinstance(value, str | int | float) and not isinstance(value, bool):
        yield value
