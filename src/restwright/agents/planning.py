"""
The plan of a message: the things that it names, and the steps, which speak of them by number.

The planner's reply is put in order by code: what is named is spoken of by its number everywhere, a
new name is no thing that can be found, and a step that changes what belongs to a thing finds that
first.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from restwright.agents.lookup import names_in
from restwright.agents.referring import Reference
from restwright.typing import JsonObject

GoalType = Literal["find", "do"]

_NUMBER = re.compile(r"#(\d+)")
_OPENED, _CLOSED = "[\"'\u201c\u2018\u00ab]", "[\"'\u201d\u2019\u00bb]"
_OWNS = "['\u2019]s?"
# What a step says that only shows what was found.
_SHOWN = re.compile(
    r"(?i)^(?:please )?"
    r"(?:(?:show|list|find|tell|display|recommend|suggest|look up|search|compare|determine)\b"
    r"(?: (?:me|us|for|about)\b)*|(?:give|get) (?:me|us)\b)"
)
# Before a name that something gets.
_NEW = re.compile(r"(?i)\b(?:called|named|titled|entitled|rename .* (?:to|as)|name (?:it|#\d+)) $")
_ORDER = re.compile(
    r"(?i)\b(?:most|least|best|worst|top|latest|first|last|next|current|currently|\w{3,}est)\b"
)
_NESTED = re.compile(
    r"(?i)^(.+? (?:of|by|from|like|similar to|than|produced|made|created|wrote))"
    r" ((?:the|my|today['\u2019]s|this \w+['\u2019]s|currently) (?:\S+ ){0,2}?"
    r"(?:most|least|best|worst|top|latest|first|last|next|current|currently|\w{3,}est)"
    r" (?!(?:\w+ )?(?:year|month|week|day|hour)s?\b).+)$"
)
# Short forms, languages and nations, and what stands for the user.
_NO_NAME = re.compile(r"[A-Z\d-]{1,5}|[A-Z]\w+(?:ish|ese|ian|ean|ench|erman|can)|My|I|I'\w+|\w")
_ORDERED = re.compile(r"(?i)(?:please )?([A-Za-z]+)\b(?!['\u2019:,])")
_VERBLESS = re.compile(r"(?i)(?:the|an?|my|our|this|all|#\d+)\b")
# What is changed belongs to a thing, is of it, or is taken out of it.
_OWNED = re.compile(
    rf"(?i)^(\w+) ((?:all )?#\d+{_OWNS} .+?)(?= (?:to|into|in|on|from|as|with)\b|$)"
)
_COUNTS = r"(?:one|two|three|four|five|six|ten|\d+|some|all|both|each|more|another)"
_PIECES = r"(?:copy|copies|pieces?|items?)"
_OF = re.compile(
    rf"(?i)^(\w+) ((?:\S+ ){{0,5}}?(?!(?:{_COUNTS}|{_PIECES}) )\S+ (?:of|by) #\d+)(?= |$)"
)
_OUT_OF = re.compile(r"(?i)^((?:remove|delete|drop|clear)) ((?:[^#\s]+ ){1,6}?)(from|in) (#\d+)$")


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


def plan_of(reply: JsonObject, question: str, *, verbs: Collection[str] = ()) -> Plan:
    """
    The plan that a planner's reply tells.

    A name that the message has not is no name, what is written without capitals is a description,
    and a number that the message has (`order #4`) is no step. What shows something is no change,
    whatever the planner calls it. Where all that is asked is a thing by its name, that is found.

    Args:
        verbs: What the operations that change something are called by: `add`, `follow`.
    """
    told = [each for each in reply["named"] if str(each["name"]).lower() in question.lower()]
    named = {
        int(each["id"]): Reference.to_name(str(each["name"]), _kind(each, question))
        for each in told
        if _is_name(str(each["name"]), question)
    }
    others = {int(each["id"]): _described(each, named, question) for each in told}
    others = {number: each for number, each in others.items() if number not in named}
    described = [each for each in others.values() if _ORDER.search(each.what) or each.numbers]
    own = frozenset(map(int, _NUMBER.findall(question)))
    made: dict[int, int] = {}
    known = {*own, *(int(each["id"]) for each in reply["named"])}
    words = {number: each.what for number, each in others.items() if each not in described}
    asked = list(_worded(_inlined(reply, words), known, _order_in(question, verbs), question))
    steps = [step for each in asked for step in _steps(each, named, own, made)]
    goals = tuple(each for each in steps if not _only_shows(each) or each.numbers[0] in named)
    if not goals:
        goals = tuple(Goal("find", each.text, each.thing) for each in named.values())
    described = [each for each in described if later(goals, each.number)]
    return Plan(named, _once([*described, *goals]))


def _inlined(reply: JsonObject, words: Mapping[int, str]) -> JsonObject:
    """A reply with words in the place of numbers of what has no name and is no one thing."""

    def told(found: re.Match[str]) -> str:
        return words.get(int(found[1]), found[0])

    asked = [{**each, "what": _NUMBER.sub(told, str(each["what"]))} for each in reply["asked"]]
    return {**reply, "asked": asked}


def _worded(
    reply: JsonObject, known: Collection[int], verb: str, question: str
) -> Iterator[JsonObject]:
    """
    The steps of a reply, with what the message says and they leave out.

    A change without its verb gets that; a number that nothing stands for is what the message has in
    its place; and what is ordered is done with what was found for it.

    Args:
        known: Numbers of things and of the message itself.
        verb: Of what the message orders.
    """
    before, last, changes = {*known}, 0, False
    for each in reply["asked"]:
        what, number = str(each["what"]), int(each["id"])
        if each["type"] == "do" and verb and _VERBLESS.match(what):
            what = f"{verb} {what}"
        unknown = [one for one in map(int, _NUMBER.findall(what)) if one not in before]
        if len(unknown) == 1 and (said := _in_place(what, unknown[0], question)):
            new = 5 * _PARTS + number
            yield {**each, "id": new, "type": "find", "what": said}
            what = what.replace(f"#{unknown[0]}", f"#{new}")
        before.add(number)
        last, changes = number, changes or each["type"] == "do"
        yield {**each, "what": what}
    if verb and last and not changes:
        yield {"id": 6 * _PARTS, "type": "do", "thing": "", "what": f"{verb} #{last}"}


def _order_in(question: str, verbs: Collection[str]) -> str:
    """The verb that a message begins with, where operations that change something have it."""
    ordered = _ORDERED.match(question.strip())
    verb = ordered[1].lower() if ordered and "?" not in question else ""
    return verb if verb in verbs else ""


def _in_place(what: str, number: int, question: str) -> str:
    """What the message says in the place of a number: `my first list`, of `make #1 private`."""
    parts = [re.escape(each) for each in what.split(f"#{number}")]
    found = re.search(rf"(?i)\b{'(.{3,80}?)'.join(parts)}(?:$|[.!?,]| and )", question.strip())
    return found[1] if found and len(parts) == 2 else ""


def unfounded(reply: JsonObject, question: str) -> str:
    """What is wrong with a plan: a name that it leaves out; empty where nothing is."""
    told = [str(each["name"]) for each in reply["named"]]
    told += [str(each["what"]) for each in reply["asked"]]
    for name in _names_told(question):
        if not any(name.lower() in each.lower() for each in told):
            return f"'{name}' is left out: if it is a name, list it under \"named\""
    return ""


def _names_told(question: str) -> list[str]:
    """The names that a message surely has: in quotes, or with capitals within a sentence."""
    quoted = re.findall(f"(?<!\\w){_OPENED}([^\"'\u201c\u201d]{{2,60}}){_CLOSED}(?!\\w)", question)
    unquoted = re.sub(f"{_OPENED}[^\"'\u201c\u201d]{{2,60}}{_CLOSED}", "", question)
    rest = re.sub(r"(^|[.!?:]\s+)\W*\w+", r"\1", unquoted)
    names = [each.removesuffix("'s") for each in names_in(rest)]
    return [*quoted, *(each for each in names if not all(map(_NO_NAME.fullmatch, each.split())))]


def _once(goals: Iterable[Goal]) -> tuple[Goal, ...]:
    """Each step once and with its own number: what a model says twice is not done twice."""
    kept: dict[tuple[str, str], Goal] = {}
    same: dict[int, int] = {}
    for place, goal in enumerate(goals):
        one = _with_same(goal, same)
        known = kept.get((one.type, one.what))
        if known is not None:
            same[one.number] = known.number
            continue
        is_new = all(one.number != each.number for each in kept.values())
        kept[one.type, one.what] = one if is_new else replace(one, number=4 * _PARTS + place)
    return tuple(kept.values())


def _with_same(goal: Goal, same: Mapping[int, int]) -> Goal:
    """A step that speaks of the first of two that are the same."""
    what = _NUMBER.sub(lambda found: f"#{same.get(int(found[1]), found[1])}", goal.what)
    numbers = tuple(dict.fromkeys(same.get(each, each) for each in goal.numbers))
    return replace(goal, what=what, numbers=numbers)


def referring(goal: Goal, references: Mapping[int, Reference]) -> Goal:
    """The step with words in the place of numbers."""

    def told(found: re.Match[str]) -> str:
        number = int(found[1])
        known = references.get(number) if number in goal.numbers else None
        return known.text if known else found[0]

    return replace(goal, what=_NUMBER.sub(told, goal.what))


def _is_name(name: str, question: str) -> bool:
    """Whether words are written as a name is: with a capital letter, or in quotes."""
    quoted = re.search(f"{_OPENED}{re.escape(name)}{_CLOSED}", question, re.IGNORECASE)
    return name != name.lower() or name == name.upper() or bool(quoted)


def _kind(thing: JsonObject, question: str) -> str:
    """The kind of a named thing, with `my` where the message says so just before the name."""
    kind, name = str(thing["thing"]), re.escape(str(thing["name"]))
    own = re.search(rf"(?i)\b(my|our)\b (?:[^\W\d]+ ){{0,3}}{_OPENED}?{name}", question)
    return f"{own[1].lower()} {kind}" if own and not kind.startswith(("my ", "our ")) else kind


def _described(thing: JsonObject, named: Mapping[int, Reference], question: str) -> Goal:
    """A step that finds a thing which the planner took for named: `newest book`."""
    what, number = str(thing["name"]), int(thing["id"])
    owner = re.search(rf"(\S+){_OWNS} {re.escape(what)}", question, re.IGNORECASE)
    for other, each in named.items() if owner else ():
        if owner and each.name.endswith(owner[1]):
            return Goal("find", f"the {what} of #{other}", thing["thing"], number, (other,))
    return Goal("find", f"the {what}", thing["thing"], number)


def _steps(
    asked: JsonObject, named: Mapping[int, Reference], own: Collection[int], made: dict[int, int]
) -> Iterator[Goal]:
    """
    One step of the reply; two where it changes what must be found first.

    Args:
        made: `{number of a name: number of the step that makes what has it}`; added to.
    """
    what = str(asked["what"])
    is_shown = asked["type"] == "find" or _SHOWN.match(what)
    for number, each in named.items():
        what = each.numbered(number, what)
    what = _NUMBER.sub(lambda found: f"#{made.get(int(found[1]), found[1])}", what)
    thing, number = str(asked["thing"]), int(asked["id"])
    if not is_shown:
        what = _with_new_names(what, number, named, made)
    goal = _with_numbers(Goal("find" if is_shown else "do", what, thing, number), own)
    yield from _found_first(goal, own) if goal.type == "do" else _singled_out(goal)


def _with_numbers(goal: Goal, own: Collection[int]) -> Goal:
    said = dict.fromkeys(int(each) for each in _NUMBER.findall(goal.what))
    earlier = (each for each in said if each < goal.number or each >= _PARTS)
    return replace(goal, numbers=tuple(each for each in earlier if each not in own))


def _with_new_names(
    what: str, number: int, named: Mapping[int, Reference], made: dict[int, int]
) -> str:
    """What something is to be called is told as it stands: nothing has that name yet."""
    for found in reversed(list(_NUMBER.finditer(what))):
        one = int(found[1])
        if one in named and _NEW.search(what[: found.start()]):
            what = f"{what[: found.start()]}'{named[one].name}'{what[found.end() :]}"
            made[one] = number
    return what


def _singled_out(goal: Goal) -> Iterator[Goal]:
    """`books like the newest one`: the one that is told by its place among all is found first."""
    found = _NESTED.match(goal.what)
    if goal.numbers or found is None or _ORDER.search(found[1]):
        yield goal
        return
    number = 3 * _PARTS + goal.number
    yield Goal("find", found[2], goal.thing if found[2].endswith(goal.thing) else "", number)
    yield replace(goal, what=f"{found[1]} #{number}", numbers=(number,))


# Numbers of steps that code adds begin here.
_PARTS = 100


def _found_first(goal: Goal, own: Collection[int]) -> Iterator[Goal]:
    """A change of what belongs to a thing: that is found, then changed."""
    number = _PARTS + goal.number
    owned = _OWNED.search(goal.what) or _OF.search(goal.what)
    out_of = _OUT_OF.search(goal.what)
    what, rest = "", ""
    if owned:
        what, rest = owned[2], f"{owned[1]} #{number}{goal.what[owned.end() :]}"
    elif out_of:
        what = f"{out_of[2]}of {out_of[4]}"
        rest = f"{out_of[1]} #{number} {out_of[3]} {out_of[4]}"
    found = _with_numbers(Goal("find", what, "", number), own) if what else None
    if found is None or not found.numbers:
        yield goal
        return
    yield replace(found, thing=_head(what))
    yield _with_numbers(replace(goal, what=rest), own)


def _head(what: str) -> str:
    """The word for the kind of thing in `the top songs of #1` and in `#1's top songs`."""
    words = re.sub(rf"^.*#\d+{_OWNS} | (?:of|by) #\d+.*$", "", what).split()
    return re.sub(r"(?<=[^s])s$", "", words[-1]) if words else ""


def _only_shows(goal: Goal) -> bool:
    """Whether a step asks for nothing but the result of another one: `list #3`."""
    rest = _NUMBER.sub("", _SHOWN.sub("", goal.what))
    rest = re.sub(r"(?i)\b(?:the|a|an)\b|[ .]", "", rest)
    return goal.type == "find" and bool(goal.numbers) and not rest


def later(goals: Iterable[Goal], number: int) -> list[int]:
    """The numbers of the steps that speak of the one of that number."""
    return [each.number for each in goals if number in each.numbers]
