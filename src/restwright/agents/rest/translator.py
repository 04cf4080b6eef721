"""
A message in English, for a small model: it plans well in one language, and not in others.

Only what parts of the loop are asked about is put into English. Where a value comes from is told by
the user's own words, and the answer is in the user's language.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from restwright.agents.prompting.structured_output import ask
from restwright.agents.prompting.templates import render, schema
from restwright.agents.rest.provenance import QUOTED, find_numbers, is_in_text, normalize_text
from restwright.agents.steps import Steps
from restwright.errors import UnusableReply

_MAX_TOKENS = 250
_MARK = re.compile(r"N\d+")


@dataclass(frozen=True, slots=True)
class Translation:
    """
    A message in English.

    Args:
        language: That it was written in; empty where that is not known.
    """

    language: str
    text: str


def translate(message: str) -> Steps[Translation]:
    """
    Put a message into English, but for the names that it quotes, which the model does not see.

    One in English stays as it is, and so does one whose translation loses a name or a number: to
    plan something else than what was said is worse than to plan it badly.
    """
    names = [name.strip() for name in QUOTED.findall(message)]
    marks = iter(range(1, len(names) + 1))
    marked = QUOTED.sub(lambda _: f"\u2018N{next(marks)}\u2019", message)
    prompt, contract = render("rest_translator", question=marked), schema("rest_translator")
    try:
        reply = yield from ask("translator", prompt, contract, max_tokens=_MAX_TOKENS, tries=1)
    except UnusableReply:
        return Translation("", message)
    english = str(reply["english"] or "")
    text = _put_in(english, names) if _is_whole(english, marked) else message
    return Translation(str(reply["language"]), text)


def _is_whole(english: str, marked: str) -> bool:
    """Whether a translation has all the names of a message, each as often, and its numbers."""
    told = normalize_text(english)
    has_names = sorted(_MARK.findall(english)) == sorted(_MARK.findall(marked))
    has_numbers = all(is_in_text(number, told) for number in find_numbers(marked))
    return bool(english) and has_names and has_numbers


def _put_in(english: str, names: list[str]) -> str:
    return _MARK.sub(lambda mark: names[int(mark[0][1:]) - 1], english)
