"""
How many things the words of a step mean: one, some, each of several; or no more than their number.

Steps are worded in English. Names say nothing of this: `the band Beatles` is one thing.
"""

from __future__ import annotations

import re
from functools import cache

NUMBER_WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")

_SEVERAL = rf"(?:{'|'.join(NUMBER_WORDS[1:])}|\d+|some|several|many)"
_EACH_OF = re.compile(
    rf"(?:(?:the |my |our )?(?:[Aa]ll|[Bb]oth)|[Ee]ach|[Ee]very|(?:the )?{_SEVERAL}$)(?= [a-z#]|$)"
)
_MOST_OF_ALL = re.compile(rf"\b{_SEVERAL} (?:(?:most|least) \w+|\w{{3,}}est)$")
# Words with an `s` at their end that mean one thing.
_ONE = re.compile(
    r"(?i)(?:ss|us|is|news|series|address|species|canvas|lens|alias|atlas|bias|gas|chaos|corps)$"
)
_HEAD_END = re.compile(
    r"[,;:(]| #\d+\b(?!['\u2019])"
    r"| (?:of|by|in|into|to|from|for|with|without|on|at|that|which|who|whose|where|named|called"
    r"|except|excluding|but|besides|apart|other than"
    r"|the|my|our|its|his|her|their|I|you|he|she|we|they|it)\b"
)
_IN_NAME = re.compile("[A-Z\"'\u201c\u2018]")
_QUOTED = re.compile(
    "(?<!\\w)[\"'\u201c\u2018][^\"'\u201c\u201d\u2018\u2019]{1,80}[\"'\u201d\u2019]"
)

_OWNERS = r"(?: (?:the|my|our|your|his|her|their|its|these|those))?"
_LINKS = (
    r"to|into|from|in|on|of|by|with|without|at|for|off|out|under|over|about|before|after|between"
    r"|within|and|or|but|then|except|than|as|if|that|which|who|whose|where|a|an|the|my|our|your"
    r"|his|her|their|its|this|these|those"
)
# Words between `all` and a thing, none of which is another thing in the plural.
_BESIDE = rf"(?: (?!(?:{_LINKS})\b)[\w-]*(?:[^\Ws]|ous|less)(?![\w-])){{0,3}}?"
# After `my lists`, so that they are no part of `my lists view`.
_AFTER = (
    rf"(?=$|[.,;:!?)]| (?:{_LINKS}|now|too|again|please|private|public|read|unread|done)\b"
    '| [A-Z"\u201c#])'
)
_OUT_OF = r"(?: ones?| half| part)? (?:of|from|among|in|out of)(?: the)?"
_FIRST = r"(?:one|any|either|neither|none|first|last|next|\w{3,}est)"
_ONE_OF = re.compile(rf"(?i)\b{_FIRST}{_OUT_OF} $")
_SOME_OF = re.compile(rf"(?i)\b(?:{_SEVERAL}|most|half|few|more){_OUT_OF} $")
_NOT = re.compile(r"(?i)\bnot $")
_EXCEPT = re.compile(
    r"(?i)\b(?:except|excluding|apart from|other than|but not|save for)\b"
    r"|\b(?:all|each|every)\b(?: [\w'#]+){0,4} but\b|# but\b"
)
_COUNTED = re.compile(r"(?i)\bhow (?:many|much|often)\b|^count\b")
_AMOUNT = re.compile(
    r"(?i)(?:^|\b(?:the|a|total|exact|overall|whole|full|current|find|get|tell)|['\u2019]s?) ?"
    r"\b(total|number|count|amount|sum) of\b"
)


def is_many(what: str) -> bool:
    """Whether a thing to be found is several ones: `my orders`, `both lists of #1`, `each song`."""
    told = _HEAD_END.split(what, maxsplit=1)[0].strip(" .?!")
    if _EACH_OF.match(told) or _MOST_OF_ALL.search(told):
        return True
    is_name = told == what and told[:1].isupper() and " " not in told
    return not is_name and _is_plural(told.split())


def _is_plural(words: list[str]) -> bool:
    """Whether the last of some words is a thing in the plural; a name after it tells which."""
    while len(words) > 1 and _IN_NAME.match(words[-1]):
        words.pop()
    word = words[-1] if words else ""
    is_one = _ONE.search(word) or word.lower() == "status"
    return bool(re.fullmatch(r"[^\W\d_]{2,}s", word)) and not is_one


def means_all(what: str, thing: str) -> bool:
    """Whether a change is to be made to each thing of a kind: `close my lists`, `each list`."""
    word = thing.rsplit(maxsplit=1)[-1] if thing else ""
    unquoted = _QUOTED.sub("''", what)
    found = _all_of(word).finditer(unquoted) if word else ()
    return any(not _is_partly(unquoted[: each.start()]) for each in found)


@cache
def _all_of(word: str) -> re.Pattern[str]:
    one = re.escape(word)
    several = rf"{re.escape(word[:-1])}(?:y's|ies|ys)" if word.endswith("y") else rf"{one}e?s"
    # `the status` and `my news` are one, `all statuses` and `all news` are several.
    every = rf"(?:{one}|{several})" if _ONE.search(word) or word == "status" else several
    mine = several if not (_ONE.search(f"{word}s") or word.endswith("s")) else rf"{one}es"
    kinds = (
        rf"(?:[Aa]ll|[Bb]oth)(?: of)?{_OWNERS}{_BESIDE} {every}(?![\w'\u2019-])",
        rf"(?:[Ee]ach|[Ee]very)(?: one)? of{_OWNERS}{_BESIDE} {every}(?![\w'\u2019-])",
        rf"(?:[Ee]ach|[Ee]very){_BESIDE} {one}{_AFTER}",
        rf"(?<!of )(?:[Tt]he|[Mm]y|[Oo]ur|[Tt]hese|[Tt]hose){_BESIDE} {mine}{_AFTER}",
    )
    return re.compile(rf"\b(?:{'|'.join(kinds)})")


def _is_partly(before: str) -> bool:
    near = before[-80:]
    return any(each.search(near) for each in (_ONE_OF, _SOME_OF, _NOT))


def says_every(what: str) -> bool:
    """Whether a change is told to be for all of whatever things: `play all of them`."""
    return bool(re.search(r"(?i)\b(?:all|both|each|every)\b", what))


def is_one_of(before: str) -> bool:
    """Whether these words before several things take one of them: `the first of`, `any of`."""
    return bool(_ONE_OF.search(before[-80:]))


def is_some_of(before: str) -> bool:
    """Whether these words before several things take some of them: `two of`, `most of`."""
    return bool(_SOME_OF.search(before[-80:]))


def leaves_out(what: str) -> bool:
    """Whether words leave something out of several things: `all my lists except Work`."""
    return bool(_EXCEPT.search(_QUOTED.sub("''", what)))


def leaves_out_of(what: str, thing: str) -> bool:
    """Whether words leave one out of all things of a kind: `all but the newest list`."""
    word = re.escape(thing.rsplit(maxsplit=1)[-1]) if thing else ""
    is_but = bool(word and re.search(rf"(?i)\ball but\b(?: [\w']+){{0,4}}? {word}", what))
    return is_but or (leaves_out(what) and means_all(what, thing))


def counts(what: str) -> bool:
    """
    Whether a step asks for a number of things, which is the id of none: `how many songs`.

    The number of one thing is its id: `the number of my order`. What is told by a number
    (`the album with the largest number of songs`) is a thing.
    """
    if _COUNTED.search(what):
        return True
    found = _AMOUNT.search(what)
    if found is None or _HEAD_END.search(what[: found.start(1)].replace(" the ", " ", 1)):
        return False
    of = what[found.end() :].strip()
    return found[1].lower() != "number" or is_many(of) or " and " in of
