"""
What a task says of some items of a response: the values that it speaks of, and those it leaves out.

A word says a value where it is the same word (`admins`, of `admin`), or what one does of whom the
value is (`directed`, of `Director`). One that only begins alike is another word: `shortest` is no
`Short`, and `shipping` is not `shipped`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from restwright.agents.memory.lookup import names_in
from restwright.agents.roles.observed import is_label
from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.tools.text.words import split_words, to_singular

_MOST_VALUES = 6
_SHORTEST_SAID = 4
_WORD = re.compile(r"[^\W\d_]+")
_AGENT = re.compile(r"([^\W\d_]{4,})(?:er|or)")
_DID, _DOES = frozenset({"ed", "en", "ten"}), frozenset({"s", "es", "ing"})
_QUOTED = re.compile(
    r"[\"\u201c\u00ab][^\"\u201d\u00bb]{1,80}[\"\u201d\u00bb]|(?<!\w)'[^']{1,80}'(?!\w)"
)
# `this film` is the one that all of the response belongs to.
_THIS = re.compile(r"\bthis \w+")
# A verb, and no condition: `open all my lists`.
_ORDER = re.compile(r"^\w+ (?=(?:all|both|each|every|the|an?|my|our|this|these|#\d+)\b)")
_DENIAL = re.compile(
    r"\b(?:not|no|non|never|neither|nor|none|cannot|without|except|excluding|but|besides"
    r"|unless|other than|rather than|instead of|apart from|save for)\b|n['\u2019]t\b"
)
_BEFORE_DENIED = re.compile(
    r"(?:\b(?:not|non|never|no longer|all but|except(?: for)?|excluding|besides|other than"
    r"|apart from)|n['\u2019]t)[ -](?:(?:an?|the|my|any|yet|be|been|being|marked|as) ){0,2}$"
)
_AFTER_DENIED = re.compile(r"(?: yet| at all| any ?more)?[\s.?!]*")


def said_values(body: Json, task: str) -> Iterator[tuple[str, str]]:
    """
    The values of some items that `task` speaks of, each with its property: `('job', 'Director')`
    where some have that job and some another, and the task says `director` or `directed`.
    """
    told = _without_names(task)
    for name, values in dict.fromkeys(_texts(body)):
        few = 1 < len(values) <= _MOST_VALUES and not is_label(name)
        longer = [each.lower() for each in values if few and not _WORD.fullmatch(each)]
        # An executive producer is no producer.
        text = re.sub("|".join(map(re.escape, longer)) or r"(?!)", " ", told)
        for value in sorted(values) if few else ():
            if next(_places(text, value), None):
                yield name, value


def denies(task: str) -> bool:
    """Whether a task leaves something out, whatever it is: `not`, `without`, `except`."""
    return bool(_DENIAL.search(_without_names(task)))


def is_denied(task: str, value: str, *, at_end: bool = False) -> bool:
    """
    Whether a task leaves out what has a value: `not shared`, `other than admins`.

    Args:
        at_end: And says no more of it. What is `not paid in time` may be paid.
    """
    text = task.lower()
    for found in _places(text, value):
        is_last = bool(_AFTER_DENIED.fullmatch(text, found.end()))
        if _BEFORE_DENIED.search(text[: found.start()]) and (is_last or not at_end):
            return True
    return False


def keys_for(body: Json, name: str, value: str) -> tuple[str, ...]:
    """The properties beside `name` whose own names may be meant by a word that says `value`."""
    start = value.lower()[: max(_SHORTEST_SAID, len(value) - 2)]
    keys = dict.fromkeys(key for each in _things(body, name) for key in each if key != name)
    return tuple(key for key in keys if any(word.startswith(start) for word in split_words(key)))


def only_with(body: Json, name: str, *values: str) -> Json:
    """`body` without those objects in its lists that have something else under `name`."""
    return _kept(body, lambda thing: name not in thing or thing[name] in values)


def without(body: Json, name: str, *values: str) -> Json:
    """`body` without those objects in its lists that have one of `values` under `name`."""
    return _kept(body, lambda thing: thing.get(name) not in values)


def _kept(body: Json, is_kept: Callable[[JsonObject], bool]) -> Json:
    """`body` with those objects alone in its lists that are kept."""
    if is_array(body):
        kept = (each for each in body if not is_object(each) or is_kept(each))
        return [_kept(each, is_kept) for each in kept]
    if is_object(body):
        return {key: _kept(each, is_kept) for key, each in body.items()}
    return body


def items_with(body: Json, name: str, *values: str) -> list[Json]:
    """The objects in `body` that have one of `values` under `name`."""
    return [each for each in _things(body, name) if each[name] in values]


def _without_names(task: str) -> str:
    """The words of a task in lower case, but not those of a name: `the film Short Circuit`."""
    text = _QUOTED.sub(" ", task[:1].lower() + task[1:])
    for name in names_in(text):
        if " " in name:
            text = text.replace(name, " ")
    return _ORDER.sub("", _THIS.sub(" ", text.lower()))


def _places(text: str, value: str) -> Iterator[re.Match[str]]:
    """The words of a text, in lower case, that say a value."""
    does = _DID | _DOES if re.search(r"\bwho\b", text) else _DID
    for found in _WORD.finditer(text):
        if _is_said(value.lower(), found[0], does):
            yield found


def _is_said(value: str, word: str, does: frozenset[str]) -> bool:
    """A key or an address (`film:7`) is no word that a task would say another way."""
    if len(value) < _SHORTEST_SAID or not _WORD.fullmatch(value):
        return False
    agent = _AGENT.fullmatch(value)
    is_deed = bool(agent) and word.startswith(agent[1]) and word[len(agent[1]) :] in does
    return is_deed or to_singular(word) == to_singular(value)


def _texts(body: Json) -> Iterator[tuple[str, frozenset[str]]]:
    """`(property, texts that the objects of one list have under it)`, list by list."""
    if is_array(body):
        things = [each for each in body if is_object(each)]
        for name in dict.fromkeys(name for each in things for name in each):
            texts = (each.get(name) for each in things)
            yield name, frozenset(each for each in texts if isinstance(each, str))
    for each in body.values() if is_object(body) else body if is_array(body) else ():
        yield from _texts(each)


def _things(body: Json, name: str) -> Iterator[JsonObject]:
    """The outermost objects that have something under `name`."""
    if is_object(body) and name in body:
        yield body
        return
    for each in body.values() if is_object(body) else body if is_array(body) else ():
        yield from _things(each, name)
