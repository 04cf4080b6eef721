"""
The plan of a message: the things that it names, and the steps, which speak of them by number.

The planner's reply is put in order by code: what is named is spoken of by its number everywhere, a
new name is no thing that can be found, and a step that changes what belongs to a thing finds that
first.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from restwright.agents.memory.referring import Reference
from restwright.agents.memory.wording import (
    NUMBER,
    Parts,
    belonging,
    gets_name,
    has_place,
    head_of,
    in_place_of,
    is_name,
    is_plain_order,
    is_to_assistant,
    is_verbless,
    names_told,
    nested,
    only_shows,
    order_in,
    own_kind,
    owner_of,
    shows,
)
from restwright.jsontypes import JsonObject

GoalType = Literal["find", "do"]

# Steps that code adds have numbers of their own; those of a planner are below twenty.
_AGAIN = 20
_BELONGING, _NESTED, _SECOND, _SAID, _ORDERED = 100, 200, 300, 400, 500


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


def plan_of(
    reply: JsonObject, question: str, *, verbs: Collection[str] = (), before: str = ""
) -> Plan:
    """
    The plan that a planner's reply tells.

    A name that nobody said is no name, what is written without capitals is a description, and a
    number that the message has (`order #4`) is no step. What shows something is no change, whatever
    the planner calls it. Where all that is asked is a thing by its name, that is found.

    Args:
        verbs: What the operations that change something are called by: `add`, `follow`.
        before: The conversation so far.
    """
    heard = f"{before}\n{question}" if before else question
    told = [each for each in reply["named"] if str(each["name"]).lower() in heard.lower()]
    named = {int(each["id"]): _named(each, heard) for each in told if _is_named(each, heard)}
    others = [_described(each, named, heard) for each in told if int(each["id"]) not in named]
    described = [each for each in others if has_place(each.what) or each.numbers]
    words = {each.number: each.what for each in others if each not in described}
    reader = _Reader(
        named=named,
        own=frozenset(map(int, NUMBER.findall(question))),
        given=frozenset([*named, *(each.number for each in described)]),
        question=question,
        verbs=frozenset(verbs),
    )
    # A name that nobody said, such as a translated one, may be asked about, and no more.
    listed = {int(each["id"]): _named(each, heard).text for each in reply["named"]}
    known = {*reader.given, *words}
    unsaid = {number: text for number, text in listed.items() if number not in known}
    steps = reader.steps(
        _inlined(each, words | unsaid if each["type"] == "find" else words)
        for each in _apart(reply["asked"], listed, reader.own)
    )
    first = [each for each in described if later(steps, each.number)]
    goals = _once([*first, *steps], named)
    if not goals:
        goals = _once((Goal("find", each.text, each.thing) for each in named.values()), named)
    if not goals and reply["language"] == "English" and not is_to_assistant(question):
        # What can you do? needs no step, but what is asked of an API does.
        is_order = order_in(question, verbs) and is_plain_order(question)
        kind: GoalType = "do" if is_order else "find"
        goals = _once([Goal(kind, question.strip(" ?.!"))], named)
    return Plan(named, goals)


def unfounded(reply: JsonObject, question: str) -> str:
    """What is wrong with a plan: a name that it leaves out; empty where nothing is."""
    told = [str(each["name"]) for each in reply["named"]]
    told += [str(each["what"]) for each in reply["asked"]]
    for name in names_told(question, language=str(reply["language"])):
        if not any(name.lower() in each.lower() for each in told):
            return f"'{name}' is left out: if it is a name, list it under \"named\""
    return ""


def referring(goal: Goal, references: Mapping[int, Reference]) -> Goal:
    """The step with words in the place of numbers."""
    texts = {each: references[each].text for each in goal.numbers if each in references}
    return replace(goal, what=_with_words(goal.what, texts))


def unknown_in(goal: Goal, question: str) -> tuple[int, ...]:
    """The numbers in a step that nothing stands for: no name, no earlier step, no message."""
    own = (*goal.numbers, *map(int, NUMBER.findall(question)))
    return tuple(each for each in map(int, NUMBER.findall(goal.what)) if each not in own)


def later(goals: Iterable[Goal], number: int) -> list[int]:
    """The numbers of the steps that speak of the one of that number."""
    return [each.number for each in goals if number in each.numbers]


def _with_words(what: str, words: Mapping[int, str]) -> str:
    return NUMBER.sub(lambda found: words.get(int(found[1]), found[0]), what)


def _inlined(asked: JsonObject, words: Mapping[int, str]) -> JsonObject:
    """A step with words in the place of numbers of what has no name and is no one thing."""
    return {**asked, "what": _with_words(str(asked["what"]), words)}


def _apart(
    asked: Iterable[JsonObject], given: Collection[int], own: Collection[int]
) -> Iterator[JsonObject]:
    """The steps, each with a number of its own; a number means the last before that has it."""
    now = {each: each for each in given}
    for place, each in enumerate(asked, _AGAIN):
        words = {one: f"#{other}" for one, other in now.items() if one not in own}
        number = int(each["id"])
        now[number] = place if number in now else number
        yield {**each, "id": now[number], "what": _with_words(str(each["what"]), words)}


def _ends(asked: Iterable[JsonObject]) -> list[int]:
    """The numbers of the steps that no other one speaks of."""
    told = list(asked)
    spoken = {int(one) for each in told for one in NUMBER.findall(str(each["what"]))}
    return [int(each["id"]) for each in told if int(each["id"]) not in spoken]


def _is_named(thing: JsonObject, question: str) -> bool:
    return is_name(str(thing["name"]), question)


def _named(thing: JsonObject, question: str) -> Reference:
    name, kind = str(thing["name"]), str(thing["thing"])
    return Reference.to_name(name, own_kind(kind, name, question))


def _described(thing: JsonObject, named: Mapping[int, Reference], question: str) -> Goal:
    """A step that finds a thing which the planner took for named: `newest book`."""
    what, number = str(thing["name"]), int(thing["id"])
    owner = owner_of(what, question)
    for other, each in named.items() if owner else ():
        if each.name.endswith(owner):
            return Goal("find", f"the {what} of #{other}", thing["thing"], number, (other,))
    return Goal("find", f"the {what}", thing["thing"], number)


def _is_shown_again(goal: Goal) -> bool:
    return goal.type == "find" and bool(goal.numbers) and only_shows(goal.what)


def _once(goals: Iterable[Goal], named: Collection[int]) -> tuple[Goal, ...]:
    """
    Each step once and with its own number: what a model says twice is not done twice.

    A step that only shows what an earlier one finds is that one.
    """
    kept: dict[tuple[str, str], Goal] = {}
    same: dict[int, int] = {}
    for place, goal in enumerate(goals):
        one = _with_same(goal, same)
        if _is_shown_again(one) and one.numbers[0] not in named:
            same[one.number] = one.numbers[0]
            continue
        known = kept.get((one.type, one.what))
        if known is not None:
            same[one.number] = known.number
            continue
        is_new = all(one.number != each.number for each in kept.values())
        kept[one.type, one.what] = one if is_new else replace(one, number=_SECOND + place)
    return tuple(kept.values())


def _with_same(goal: Goal, same: Mapping[int, int]) -> Goal:
    """A step that speaks of the first of two that are the same."""
    what = _with_words(goal.what, {number: f"#{other}" for number, other in same.items()})
    numbers = tuple(dict.fromkeys(same.get(each, each) for each in goal.numbers))
    return replace(goal, what=what, numbers=numbers)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reader:
    """
    Reads the steps of a reply.

    Args:
        named: Things by number.
        own: Numbers that the message itself has.
        given: Numbers of what has a name and of what is described.
        verbs: What operations that change something are called by.
        made: `{number of a name: number of the step that makes what has it}`; added to.
        before: Numbers of the steps so far; added to.
    """

    named: Mapping[int, Reference]
    own: frozenset[int]
    given: frozenset[int]
    question: str
    verbs: frozenset[str]
    made: dict[int, int] = field(default_factory=dict[int, int])
    before: set[int] = field(default_factory=set[int])

    def steps(self, asked: Iterable[JsonObject]) -> list[Goal]:
        """The steps, with those that they leave out."""
        steps: list[Goal] = []
        for each in self._worded(asked):
            for step in self._parts(each):
                self.before.add(step.number)
                steps.append(step)
        return steps

    def _worded(self, asked: Iterable[JsonObject]) -> Iterator[JsonObject]:
        """
        The steps with what the message says and they leave out.

        The only change gets its verb where it has none; a number that nothing stands for is what
        the message has in its place; and what is ordered is done with what was found for it.
        """
        verb, told = order_in(self.question, self.verbs), list(asked)
        changes = sum(each["type"] == "do" for each in told)
        before = {*self.own, *self.given}
        for each in told:
            what, number = str(each["what"]), int(each["id"])
            if each["type"] == "do" and verb and changes == 1 and is_verbless(what):
                what = f"{verb} {what}"
            unknown = [one for one in map(int, NUMBER.findall(what)) if one not in before]
            if len(unknown) == 1 and (said := in_place_of(unknown[0], what, self.question)):
                yield {**each, "id": _SAID + number, "type": "find", "what": said}
                what = _with_words(what, {unknown[0]: f"#{_SAID + number}"})
            before.add(number)
            yield {**each, "what": what}
        found = _ends(told)
        # Of several things it is not known which one is meant.
        if verb and len(found) == 1 and not changes and is_plain_order(self.question):
            yield {"id": _ORDERED, "type": "do", "thing": "", "what": f"{verb} #{found[0]}"}

    def _parts(self, asked: JsonObject) -> Iterator[Goal]:
        """One step of the reply; two where something in it must be found first."""
        what, number = str(asked["what"]), int(asked["id"])
        is_shown = asked["type"] == "find" or (shows(what) and not order_in(what, self.verbs))
        # `North` in `North Star` is not the one that is called so.
        for one, each in sorted(self.named.items(), key=lambda pair: -len(pair[1].name)):
            what = each.numbered(one, what)
        what = _with_words(what, {one: f"#{other}" for one, other in self.made.items()})
        if not is_shown:
            what = self._with_new_names(what, number)
        kind: GoalType = "find" if is_shown else "do"
        goal = self._with_numbers(Goal(kind, what, str(asked["thing"]), number))
        if is_shown:
            parts = None if goal.numbers else nested(what, _NESTED + number)
            thing = goal.thing if parts and parts.found.endswith(goal.thing) else ""
            yield from self._divided(goal, parts, _NESTED + number, thing)
        else:
            parts = belonging(what, _BELONGING + number)
            thing = head_of(parts.found) if parts else ""
            yield from self._divided(goal, parts, _BELONGING + number, thing)

    def _divided(self, goal: Goal, parts: Parts | None, number: int, thing: str) -> Iterator[Goal]:
        found = self._with_numbers(Goal("find", parts.found if parts else "", thing, number))
        if parts is None or (goal.type == "do" and not found.numbers):
            yield goal
            return
        yield found
        yield self._with_numbers(replace(goal, what=parts.rest))

    def _with_numbers(self, goal: Goal) -> Goal:
        said = dict.fromkeys(int(each) for each in NUMBER.findall(goal.what))
        known = self.before | self.given
        return replace(goal, numbers=tuple(each for each in said if each in known - self.own))

    def _with_new_names(self, what: str, number: int) -> str:
        """What something is to be called is told as it stands: nothing has that name yet."""
        for found in reversed(list(re.finditer(NUMBER, what))):
            one = int(found[1])
            if one in self.named and gets_name(what[: found.start()]):
                what = f"{what[: found.start()]}'{self.named[one].name}'{what[found.end() :]}"
                self.made[one] = number
        return what
