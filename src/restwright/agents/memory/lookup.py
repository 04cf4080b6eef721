"""What to look up before a task can be done: the phrases of the task that may describe it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from restwright.agents.memory.memory import thing_of
from restwright.tools.text.words import split_words
from restwright.tools.tool import Tool

_STARTS = frozenset({"the", "my", "a", "an", "this", "that", "our", "your"})
_ENDS = re.compile(r" (?:in|into|to|from|for|and|with|that|who|which|by|at|on)\b")
_HEAD = re.compile(r" (?:of|in|into|to|from|for|and|with|that|who|which|by|at|on)\b")
_MOST = 16
_MOST_BESIDE = 3
_RELATED = re.compile(
    r"^(?:[Tt]he |[Aa]n? )?[a-z][\w-]*(?: [a-z][\w-]*){0,3}"
    r" (?:of|in|from|by|for|that|who|which|on|with) .*[A-Z]|[A-Z]\w*['\u2019]s? [a-z]"
)
CAPITALS = frozenset({"german", "deutsch", "luxembourgish"})
"""Languages that write all nouns with a capital letter."""

# A word that is a name or a number, that compares, or that tells an order.
_CONDITION = re.compile(r"^[A-Z]|\d|est$|^(?:most|least|last|first|second|third|next|new|old|top)$")


def phrases(task: str, tool: Tool, name: str) -> tuple[str, ...]:
    """
    The phrases of `task` that may describe the thing whose id is `name`.

    A phrase that speaks of what lies below the thing in the path describes that instead: for
    `/films/{film_id}/reviews`, `the latest review of North` is no film.
    """
    below = _below(tool.operation.path, name)
    found = dict.fromkeys(phrase for phrase in _spans(task) if len(phrase) > 2)
    fitting = [phrase for phrase in found if not any(word in phrase.lower() for word in below)]
    thing = thing_of(tool, name).split()[-1]
    # `my last order` is an order; `the amount of my last order` is an amount.
    headed = [phrase for phrase in fitting if thing in split_words(_HEAD.split(phrase)[0])]
    named = [phrase for phrase in headed or fitting if names_in(phrase)]
    return tuple((named or headed or fitting)[:_MOST])


def names_in(text: str) -> tuple[str, ...]:
    """The names in `text`: runs of words that begin with a capital letter or hold a digit."""
    runs = re.findall(r"\b(?:[A-Z][\w'-]*|\w*\d\w*)(?: (?:[A-Z][\w'-]*|\w*\d\w*))*", text)
    return tuple(run for run in runs if re.match(r"(?!I\b)[A-Z]", run))


def is_plainly(wanted: str, name: str) -> bool:
    """
    Whether `wanted` says no more of a thing than its name: `the film North Star` for `North Star`.

    What else it says would be a condition, which the name alone does not fulfil.
    """
    found = re.search(rf"(?<!\w){re.escape(name)}(?!\w)", wanted, re.IGNORECASE) if name else None
    if found is None:
        return False
    rest = f"{wanted[: found.start()]} {wanted[found.end() :]}"
    words = [each for each in re.findall(r"[\w'-]+", rest) if each.lower() not in _STARTS]
    return len(words) <= _MOST_BESIDE and not any(_CONDITION.search(word) for word in words)


def is_related(wanted: str) -> bool:
    """
    Whether `wanted` describes a thing by the name of another one.

    So do `the director of North Star` and `Ana Ruiz's latest film`; `Game of Thrones` is a name.
    """
    return bool(_RELATED.search(wanted))


def unsaid(task: str, text: str, *, language: str = "English") -> str:
    """
    The first name in `task`, of several words, none of which is in `text`; empty where none is.

    A response without the name says nothing of what has it. One word may be written otherwise
    (`French`, `fr`). Where all nouns have a capital letter, that makes no name.
    """
    if language.lower() in CAPITALS:
        return ""
    said = frozenset(re.findall(r"[^\W_]+", text.lower()))
    for name in names_in(task):
        words = re.findall(r"[^\W_]+", name.lower())
        if len(words) > 1 and not said.intersection(each for each in words if len(each) > 1):
            return name
    return ""


def _below(path: str, name: str) -> tuple[str, ...]:
    after = path.partition("{" + name + "}")[2]
    words = (word.lower() for word in re.findall(r"[A-Za-z]+", re.sub(r"\{[^{}]*\}", "", after)))
    return tuple(re.sub(r"(?<=[^s])s$", "", word) for word in words)


def _spans(task: str) -> Iterator[str]:
    words = list(re.finditer(r"\S+", task))
    for number, word in enumerate(words):
        before = words[number - 1][0] if number else ""
        opens_name = word[0][0].isupper() and not before[:1].isupper() and word[0] != "I"
        if word[0].lower() in _STARTS or opens_name:
            rest = task[word.start() :].rstrip(" .?!")
            yield rest
            for end in _ENDS.finditer(rest):
                yield rest[: end.start()]
