"""
The steps of a plan that speak of others by number: `the director of #1`.

A thing that is only named (`the film North Star`) is not looked for by a step of its own: the
operation that needs it tells which search finds it, and which of its ids is meant.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from restwright.agents.lookup import is_plainly
from restwright.agents.marks import contained
from restwright.agents.memory import Known, Memory, Source, label_of
from restwright.tools.texts import one_line
from restwright.tools.tool import Tool
from restwright.tools.words import words_of
from restwright.typing import Json, JsonObject, is_array, is_object

GoalType = Literal["find", "do"]

_NUMBER = re.compile(r"#(\d+)")
# Characters of the name of a thing, and how many things are told by name.
_NAME = 80
_TOLD = 3
_OPENED, _CLOSED = "[\"'\u201c\u2018\u00ab]", "[\"'\u201d\u2019\u00bb]"
# What a step says that only shows what was found.
_SHOWN = re.compile(
    r"(?i)^(?:please )?(?:(?:show|list|find|tell|display|recommend|suggest|look up|search)\b"
    r"(?: (?:me|us|for|about)\b)*|(?:give|get) (?:me|us)\b)"
)


@dataclass(frozen=True, slots=True)
class Goal:
    """
    One step to what the user asked for.

    Args:
        type: Whether something is found out or changed.
        what: In words; `#1` is the thing or the result that has this number.
        thing: The kind of thing that is found or changed; empty where that is not known.
        number: What other steps call its result by.
        numbers: The things and the earlier steps that it speaks of.
    """

    type: GoalType
    what: str
    thing: str = ""
    number: int = 0
    numbers: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """
    What a message comes to.

    Args:
        named: Things that it calls by their names, by number.
        goals: The steps, in the order in which they are taken.
    """

    named: Mapping[int, Reference]
    goals: tuple[Goal, ...]

    def speaks_of(self, number: int, goals: Sequence[Goal]) -> bool:
        """Whether one of `goals` speaks of the thing or the result of that number."""
        return any(number in each.numbers for each in goals)


@dataclass(frozen=True, slots=True)
class Reference:
    """
    The result of a step, as another one speaks of it.

    Args:
        text: What it is called in a task.
        thing: Its kind.
        sources: The responses that gave it; none where it was only named.
    """

    text: str
    thing: str
    sources: tuple[Source, ...] = ()

    def known(self, tool: Tool, name: str, tools: Sequence[Tool]) -> tuple[Known, ...]:
        """The values of it that fit the input `name` of `tool`."""
        return Memory(sources=self.sources).known(tool, name, tools)

    @property
    def is_thing(self) -> bool:
        """Whether it is something that has an id, and no number or text alone."""
        found = [each.extracted for each in self.sources]
        return not found or any(is_object(each) or is_array(each) for each in found)

    def is_of(self, thing: str) -> bool:
        """Whether its kind is called so: `song` is no `track`, for all that code can know."""
        return bool(frozenset(words_of(self.thing)) & frozenset(words_of(thing)))

    def held(self, key: str) -> tuple[Known, ...]:
        """What it has under `key`, such as `uri`."""
        return Memory(sources=self.sources).held(key)

    def names(self, known: Iterable[Known]) -> tuple[Known, ...]:
        """That one of some values which has the name that is all that is said here."""
        fitting = [each for each in known if each.label and is_plainly(self.text, each.label)]
        return tuple(sorted(fitting, key=lambda each: -len(each.label))[:1])


def plan_of(reply: JsonObject, question: str) -> Plan:
    """
    The plan that a planner's reply tells.

    A name that the message has not is no name, what is written without capitals is a description,
    and a number that the message has (`order #4`) is no step. What shows something is no change,
    whatever the planner calls it. Where all that is asked is a thing by its name, that is found.
    """
    told = [each for each in reply["named"] if str(each["name"]).lower() in question.lower()]
    named = {
        int(each["id"]): _named(str(each["name"]), str(each["thing"]))
        for each in told
        if _is_name(str(each["name"]), question)
    }
    described = tuple(_described(each, named, question) for each in told if each["id"] not in named)
    own = frozenset(map(int, _NUMBER.findall(question)))
    goals = (*described, *(_goal(each, own) for each in reply["asked"]))
    goals = tuple(each for each in goals if not _only_shows(each) or _first_of(each) in named)
    if not goals:
        goals = tuple(Goal("find", each.text, each.thing) for each in named.values())
    return Plan(named, goals)


def _named(name: str, thing: str) -> Reference:
    first, _, rest = thing.partition(" ")
    is_own = first.lower() in ("my", "our")
    said = thing.lower() in name.lower()
    text = name if said else f"{thing} {name}" if is_own else f"the {thing} {name}"
    return Reference(text, rest if is_own else thing)


def _is_name(name: str, question: str) -> bool:
    """Whether words are written as a name is: with a capital letter, or in quotes."""
    quoted = re.search(rf"{_OPENED}{re.escape(name)}{_CLOSED}", question, re.IGNORECASE)
    return name != name.lower() or name == name.upper() or bool(quoted)


def _described(thing: JsonObject, named: Mapping[int, Reference], question: str) -> Goal:
    """A step that finds a thing which the planner took for named: `newest book`."""
    what, number = str(thing["name"]), int(thing["id"])
    owner = re.search(rf"(\S+)['\u2019]s? {re.escape(what)}", question, re.IGNORECASE)
    if owner:
        for other, each in named.items():
            if each.text.endswith(owner[1]):
                return Goal("find", f"the {what} of #{other}", thing["thing"], number, (other,))
    return Goal("find", f"the {what}", thing["thing"], number)


def _goal(asked: JsonObject, own: Collection[int]) -> Goal:
    what, number = str(asked["what"]), int(asked["id"])
    said = dict.fromkeys(int(each) for each in _NUMBER.findall(what))
    is_shown = asked["type"] == "find" or _SHOWN.match(what)
    return Goal(
        "find" if is_shown else "do",
        what,
        str(asked["thing"]),
        number,
        tuple(each for each in said if each < number and each not in own),
    )


def _only_shows(goal: Goal) -> bool:
    """Whether a step asks for nothing but the result of another one: `list #3`."""
    rest = _NUMBER.sub("", _SHOWN.sub("", goal.what))
    rest = re.sub(r"(?i)\b(?:the|a|an)\b|[ .]", "", rest)
    return goal.type == "find" and bool(goal.numbers) and not rest


def _first_of(goal: Goal) -> int:
    return goal.numbers[0] if goal.numbers else 0


def referring(goal: Goal, references: Mapping[int, Reference]) -> Goal:
    """The step with words in the place of numbers."""

    def told(found: re.Match[str]) -> str:
        number = int(found[1])
        known = references.get(number) if number in goal.numbers else None
        return known.text if known else found[0]

    return replace(goal, what=_NUMBER.sub(told, goal.what))


def text_of(goal: Goal, value: Json) -> str:
    """What the result of a step is called in the steps after it: by its name where it has one."""
    names = [name for name in _names(value) if _is_told(name)]
    if not names:
        return goal.what
    joined = " and ".join((", ".join(names[:-1]), names[-1])) if names[1:] else names[0]
    return f"the {goal.thing} {joined}" if goal.thing else joined


def _names(value: Json) -> list[str]:
    if is_array(value):
        return list(dict.fromkeys(name for each in value for name in _names(each)[:1]))[:_TOLD]
    if is_object(value):
        own = label_of(value)
        inner = (name for each in value.values() for name in _names(each))
        return [own] if own else list(dict.fromkeys(inner))[:_TOLD]
    return [value] if isinstance(value, str) else []


def _is_told(name: str) -> bool:
    """A task stands in no mark, so that of a response no more than a name gets there."""
    return 0 < len(name) <= _NAME and contained(one_line(name)) == name
