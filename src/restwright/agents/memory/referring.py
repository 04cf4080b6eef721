"""What the steps of a plan speak of: things that are named, and results of earlier steps."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

from restwright.agents.memory.lookup import is_plainly
from restwright.agents.memory.memory import LABELS, Known, Memory, Source, label_of, thing_of
from restwright.agents.memory.several import NUMBER_WORDS, counts
from restwright.agents.spotlighting import escape_marks
from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.tools.text.prose import to_one_line
from restwright.tools.text.words import split_words
from restwright.tools.tool import Tool

# Characters of the name of a thing, and how many things are told by name.
_NAME = 80
_TOLD = 3
_IDENTITY = re.compile(r"(?i)^(?:id|uuid|uri|key|slug)$|_id$|(?-i:[a-z]I[dD]$)")
_NUMBERS = {"a": 1, "an": 1, "any": 1} | {
    word: number for number, word in enumerate(NUMBER_WORDS[:7], 1)
}
_COUNTED = re.compile(
    rf"(?i)(?:the first )?({'|'.join(_NUMBERS)}|[1-9]\d?) (?:of )?"
    r"(?!few\b|list\b|couple\b|number\b|lot\b|total\b)[^\W\d]"
)


@dataclass(frozen=True, slots=True)
class Reference:
    """
    What a step of a plan speaks of by number.

    Args:
        text: What it is called in a task.
        thing: Its kind.
        sources: The responses that gave it; none where it was only named.
        name: Its name alone, where that is known.
        things: The objects of the responses that it is, each with an id.
        is_done: It is a change that made nothing which has an id.
        is_own: It is the user's, as `my list` is.
        is_many: Each of the things is meant, as `my lists` are, and not one of them.
        is_part: There may be more of them, which were not read.
    """

    text: str
    thing: str
    sources: tuple[Source, ...] = ()
    name: str = ""
    is_own: bool = False
    things: tuple[JsonObject, ...] = ()
    is_done: bool = False
    is_many: bool = False
    is_part: bool = False

    @classmethod
    def to_name(cls, name: str, thing: str) -> Reference:
        """What a message calls by a name, of a kind such as `song` or `my list`."""
        first, _, rest = thing.partition(" ")
        is_own = first.lower() in ("my", "our") and bool(rest)
        said = thing.lower() in name.lower()
        text = name if said else f"{thing} {name}" if is_own else f"the {thing} {name}"
        return cls(text, rest if is_own else thing, name=name, is_own=is_own)

    def numbered(self, number: int, text: str) -> str:
        """`text` with `#1` in the place of the name."""
        kind = rf"(?:(?:the|a|my|our) )?(?:{re.escape(self.thing)} )?" if self.thing else ""
        return re.sub(
            rf"(?i)(?<![\w#])(?:{kind})['\"]?{re.escape(self.name)}(?!\w)['\"]?(?!\w)",
            f"#{number}",
            text,
        )

    def known(self, tool: Tool, name: str, tools: Sequence[Tool]) -> tuple[Known, ...]:
        """The values of it that fit the input `name` of `tool`."""
        found = Memory(sources=self.sources).known(tool, name, tools)
        if not self.things:
            return found
        own = {value: label_of(each) for each in self.things for value in _ids(each)}
        # What an operation gave of a thing by its id, it can be asked for again.
        called = [each.arguments.get(name) for each in self.sources if each.tool == tool.name]
        again = tuple(Known(value, own[value]) for value in called if value in own)
        fitting = again or tuple(each for each in found if each.value in own)
        if not fitting and self.is_of(thing_of(tool, name)):
            fitting = tuple(
                Known(each["id"], label_of(each)) for each in self.things if "id" in each
            )
        return fitting

    @property
    def is_thing(self) -> bool:
        """Whether it is something that has an id, and no number or text alone."""
        return bool(self.things) or not self.sources

    def is_of(self, thing: str) -> bool:
        """Whether its kind is called so: `song` is no `track`, for all that code can know."""
        return bool(frozenset(split_words(self.thing)) & frozenset(split_words(thing)))

    def held(self, key: str) -> tuple[Known, ...]:
        """What it has under `key`, such as `uri`."""
        own = tuple(Known(each[key], label_of(each)) for each in self.things if key in each)
        return own or Memory(sources=self.sources).held(key)

    def names(self, known: Iterable[Known]) -> tuple[Known, ...]:
        """That one of some values which has the name that is all that is said here."""
        fitting = [each for each in known if each.label and is_plainly(self.text, each.label)]
        return tuple(sorted(fitting, key=lambda each: -len(each.label))[:1])


def text_of(what: str, thing: str, value: Json) -> str:
    """
    What the result of a step is called in the steps after it: by its name where it has one.

    Args:
        what: The step in words.
        thing: The kind of thing that it finds.
    """
    names = [name for name in _names(value) if is_told(name)]
    if not names:
        return what
    joined = " and ".join((", ".join(names[:-1]), names[-1])) if names[1:] else names[0]
    return f"the {thing} {joined}" if thing else joined


def written(what: str, thing: str, value: Json) -> Reference:
    """What a change made, as later steps speak of it: what came back, if that itself has an id."""
    if not is_object(value) or not any(True for _ in _ids(value)):
        return Reference(f"the {thing}" if thing else what, thing, is_done=True)
    name = next((str(value[key]) for key in LABELS if isinstance(value.get(key), str)), "")
    text = f"the {thing} {name}" if name and is_told(name) else f"the {thing}" if thing else what
    return Reference(text, thing, (_of_itself(value),), name, things=(value,))


def _of_itself(value: JsonObject) -> Source:
    return Source(tool="", arguments={}, body=value, extracted=value, is_write=True)


def things_of(what: str, value: Json) -> Json:
    """What a step found, but for a number that only counts things, which is the id of none."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return None if is_number and counts(what) else value


Things: TypeAlias = list[JsonObject]


def things_in(value: Json, body: Json, thing: str = "") -> Things:
    """
    The objects with an id that a value of a response is, or that it was taken out of.

    Args:
        value: What was taken out: an object, a field of one, or a list of either.
        body: The response.
        thing: Their kind, which tells the one of several in an object that only holds them.
    """
    return _things(value, cache(lambda: _holders(body)), thing)


def _things(value: Json, holders: Callable[[], Mapping[Json, JsonObject]], thing: str) -> Things:
    if is_array(value):
        return [found for each in value for found in _things(each, holders, thing)[:1]]
    if is_object(value):
        if any(True for _ in _ids(value)):
            return [value]
        kind = frozenset(split_words(thing))
        parts = sorted(value.items(), key=lambda each: not kind.intersection(split_words(each[0])))
        found = [things for _, each in parts if (things := _things(each, holders, thing))]
        return found[0] if found else []
    if value is None or isinstance(value, bool | float) or value == "":
        return []
    held = holders().get(value)
    return [] if held is None else [held]


def _holders(body: Json) -> dict[Json, JsonObject]:
    """The first object with an id that has a text or number; before it the first called so."""
    held: dict[Json, JsonObject] = {}
    named: dict[Json, JsonObject] = {}
    for each in objects_in(body):
        if any(True for _ in _ids(each)):
            named.setdefault(label_of(each), each)
            for one in (one for one in _scalars(each) if not isinstance(one, bool)):
                held.setdefault(one, each)
    return held | named


def objects_in(body: Json) -> Iterator[JsonObject]:
    """The objects of a response, outer ones first."""
    level: list[Json] = [body]
    while level:
        yield from (each for each in level if is_object(each))
        inner = [each.values() if is_object(each) else each for each in level if has_inner(each)]
        level = [each for values in inner for each in values]


def has_inner(value: Json) -> bool:
    """Whether a value has values in it."""
    return is_object(value) or is_array(value)


def _scalars(thing: JsonObject) -> list[Json]:
    return [each for each in thing.values() if not has_inner(each)]


def _ids(thing: JsonObject) -> Iterator[str | int]:
    for key, value in thing.items():
        if _IDENTITY.search(key) and isinstance(value, str | int) and not isinstance(value, bool):
            yield value


def counted(what: str, value: Json) -> Json:
    """As many of a list as a step asks for: the first of them for `a song`, two for `two songs`."""
    found = _COUNTED.match(what)
    if found is None or not is_array(value):
        return value
    number = _NUMBERS.get(found[1].lower()) or int(found[1])
    return value[0] if number == 1 and value else value[:number]


def _names(value: Json) -> list[str]:
    if is_array(value):
        return list(dict.fromkeys(name for each in value for name in _names(each)[:1]))[:_TOLD]
    if is_object(value):
        own = label_of(value)
        inner = (name for each in value.values() for name in _names(each))
        return [own] if own else list(dict.fromkeys(inner))[:_TOLD]
    return [value] if isinstance(value, str) else []


def is_told(name: str) -> bool:
    """A task stands in no mark, so that of a response no more than a name gets there."""
    return 0 < len(name) <= _NAME and escape_marks(to_one_line(name)) == name
