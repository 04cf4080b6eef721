"""
What the words of a message, and of the steps of its plan, say by their form.

Plans are worded in English, whatever the message is in. Names are what is written as names are:
with capitals, or in quotes.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import NamedTuple

from restwright.agents.memory.lookup import CAPITALS, names_in
from restwright.agents.memory.several import is_many

NUMBER = re.compile(r"#(\d+)")
"""How a step speaks of a thing or of the result of another step."""

_OPENED, _CLOSED = "[\"'\u201c\u2018\u00ab]", "[\"'\u201d\u2019\u00bb]"
_OWNS = "['\u2019]s?"
_SHOWN = re.compile(
    r"(?i)^(?:please )?"
    r"(?:(?:show|list|find|tell|display|recommend|suggest|look up|search|compare|determine)\b"
    r"(?: (?:me|us|for|about)\b)*|(?:give|get) (?:me|us)\b)"
)
# What operations that change something may be called by (`POST /query`), and no user means so.
_SEEN = frozenset({"get", "give", "fetch", "retrieve", "read", "see", "view", "check", "count"}) | {
    "query",
    "filter",
    "browse",
    "download",
}
_CONDITION = re.compile(r"(?i)\b(?:if|unless|whether|when|once|until)\b")
# Before a name that something gets.
_NEW = re.compile(r"(?i)\b(?:called|named|titled|entitled|rename .* (?:to|as)|name (?:it|#\d+)) $")
_PLACES = r"(?:most|least|best|worst|top|latest|first|last|next|current|currently|\w{3,}est)"
_PLACE = re.compile(rf"(?i)\b{_PLACES}\b")
_NESTED = re.compile(
    r"(?i)^(.+? (?:of|by|from|like|similar to|than|produced|made|created|wrote))"
    r" ((?:the|my|today['\u2019]s|this \w+['\u2019]s|currently) (?:\S+ ){0,2}?"
    rf"{_PLACES} (?!(?:\w+ )?(?:year|month|week|day|hour)s?\b).+)$"
)
# Short forms, languages and nations, and what stands for the user.
_NO_NAME = re.compile(r"[A-Z\d-]{1,5}|[A-Z]\w+(?:ish|ese|ian|ean|ench|erman|can)|My|I|I'\w+|\w")
_TO_ASSISTANT = re.compile(
    r"(?i)\b(?:you|your|yourself|hello|hi|hey|bye|thanks?|help|good (?:morning|day|evening)"
    r"|I (?:ask|say|mean|tell)|I (?:asked|said|meant|told))\b"
)
# Words of a message that asks for something.
_FEWEST = 3
_FIRST_WORD = re.compile(r"(?i)(?:please )?([A-Za-z]+)\b(?!['\u2019:,])")
_VERBLESS = re.compile(r"(?i)(?:the|an?|my|our|this|all|#\d+)\b")
# What is changed belongs to a thing, is of it, or is taken out of it.
_OWNED = re.compile(
    rf"(?i)^(\w+) ((?:all )?#\d+{_OWNS} .+?)(?= (?:to|into|in|on|from|as|with)\b|$)"
)
_COUNTS = (
    r"(?:one|two|three|four|five|six|ten|\d+|some|any|either|most|half|few|several|many"
    r"|all|both|each|more|another)"
)
_PIECES = r"(?:copy|copies|pieces?|items?)"
# What is only now made is nowhere to be found: `write a review of #1`.
_MADE = (
    r"(?:create|make|write|post|compose|draft|generate|submit|leave|book|reserve|schedule)"
    r" (?:an?|another|new)\b"
)
_OF = re.compile(
    rf"(?i)^(?!{_MADE})(\w+)"
    rf" ((?:\S+ ){{0,5}}?(?!(?:{_COUNTS}|{_PIECES}) )\S+ (?:of|by) #\d+)(?= |$)"
)
_SETS = frozenset({"set", "change", "update", "adjust", "edit", "modify", "turn"}) | {
    "raise",
    "lower",
    "increase",
    "decrease",
}
_OUT_OF = re.compile(r"(?i)^(remove|delete|drop|clear) ((?:[^#\s]+ ){1,6}?)(from|in) (#\d+)$")


class Parts(NamedTuple):
    """What must be found before a step, and the step with a number in its place."""

    found: str
    rest: str


def is_to_assistant(question: str) -> bool:
    """Whether a message greets, thanks, or asks about the assistant itself."""
    return bool(_TO_ASSISTANT.search(question)) or len(question.split()) < _FEWEST


def shows(what: str) -> bool:
    """Whether a step asks for no more than to see something."""
    return bool(_SHOWN.match(what))


def only_shows(what: str) -> bool:
    """Whether a step asks for nothing but the result of another one: `list #3`."""
    rest = NUMBER.sub("", _SHOWN.sub("", what))
    rest = re.sub(r"(?i)\b(?:the|a|an)\b|[ .]", "", rest)
    return bool(NUMBER.search(what)) and not rest


def has_place(what: str) -> bool:
    """Whether a thing is told by its place among others: `the newest book`."""
    return bool(_PLACE.search(what))


def is_verbless(what: str) -> bool:
    """Whether a change is told without its verb: `the player`."""
    return bool(_VERBLESS.match(what))


def gets_name(before: str) -> bool:
    """Whether what comes after these words is a name that something is to get."""
    return bool(_NEW.search(before))


def is_name(name: str, question: str) -> bool:
    """Whether words are written as a name is: with a capital letter, or in quotes."""
    quoted = re.search(f"{_OPENED}{re.escape(name)}{_CLOSED}", question, re.IGNORECASE)
    is_word = bool(re.search(r"\w", name))
    return is_word and (name != name.lower() or name == name.upper() or bool(quoted))


def names_told(question: str, *, language: str = "English") -> list[str]:
    """
    The names that a message surely has: in quotes, or with capitals within a sentence.

    Where all nouns have a capital letter, that makes no name.
    """
    within = "[^\"'\u201c\u201d]{2,60}"
    quoted = re.findall(f"(?<!\\w){_OPENED}({within}){_CLOSED}(?!\\w)", question)
    if language.lower() in CAPITALS:
        return quoted
    unquoted = re.sub(f"{_OPENED}{within}{_CLOSED}", "", question)
    # A few at most: of a long row of blanks or dots each would be looked at from each.
    rest = re.sub(r"(^|[.!?:]\s{1,4})\W{0,9}\w+", r"\1", unquoted)
    names = [each.removesuffix("'s") for each in names_in(rest)]
    return [*quoted, *(each for each in names if not all(map(_NO_NAME.fullmatch, each.split())))]


def own_kind(kind: str, name: str, question: str) -> str:
    """The kind of a named thing, with `my` where the message says so just before the name."""
    own = re.search(rf"(?i)\b(my|our)\b (?:[^\W\d]+ ){{0,3}}{_OPENED}?{re.escape(name)}", question)
    return f"{own[1].lower()} {kind}" if own and not kind.startswith(("my ", "our ")) else kind


def owner_of(what: str, question: str) -> str:
    """The word before `'s` that what is described belongs to; empty where it has none."""
    owned = re.search(rf"{_OWNS} {re.escape(what)}", question, re.IGNORECASE)
    return re.split(r"\s", question[: owned.start()])[-1] if owned else ""


def order_in(question: str, verbs: Collection[str]) -> str:
    """The verb of `verbs` that a message begins with, where it orders something."""
    first = _FIRST_WORD.match(question.strip())
    verb = first[1].lower() if first and "?" not in question else ""
    return verb if verb in verbs else ""


def is_plain_order(question: str) -> bool:
    """Whether a message that begins with an order is no more than that: nothing to see, no `if`."""
    first = _FIRST_WORD.match(question.strip())
    is_asked = shows(question.strip()) or bool(first and first[1].lower() in _SEEN)
    return not is_asked and not _CONDITION.search(question)


def in_place_of(number: int, what: str, question: str) -> str:
    """What the message says in the place of a number: `my first list`, of `make #1 private`."""
    parts = [re.escape(each) for each in what.split(f"#{number}")]
    found = re.search(rf"(?i)\b{'(.{3,80}?)'.join(parts)}(?:$|[.!?,]| and )", question.strip())
    return found[1] if found and len(parts) == 2 else ""


def nested(what: str, number: int) -> Parts | None:
    """`books like the newest one`: the one that is told by its place among all, and the rest."""
    found = _NESTED.match(what)
    if found is None or has_place(found[1]):
        return None
    return Parts(found[2], f"{found[1]} #{number}")


def belonging(what: str, number: int) -> Parts | None:
    """
    `add the songs of #1 to #2`: what belongs to a thing, and the rest.

    What is only set anew is a field of the thing: `set the volume of #1 to 40`.
    """
    owned = _OWNED.search(what) or _OF.search(what)
    if owned and not (owned[1].lower() in _SETS and _is_field(owned[2])):
        return Parts(owned[2], f"{owned[1]} #{number}{what[owned.end() :]}")
    if out_of := _OUT_OF.search(what):
        verb, things, preposition, thing = out_of.groups()
        return Parts(f"{things}of {thing}", f"{verb} #{number} {preposition} {thing}")
    return None


def _is_field(owned: str) -> bool:
    """Whether what belongs to a thing may be a field of it, and no thing of its own."""
    return not (has_place(owned) or is_many(owned))


def head_of(what: str) -> str:
    """The word for the kind of thing in `the top songs of #1` and in `#1's top songs`."""
    words = re.sub(rf"^.*#\d+{_OWNS} | (?:of|by) #\d+.*$", "", what).split()
    return re.sub(r"(?<=[^s])s$", "", words[-1]) if words else ""
