"""What the steps of a plan speak of: things that are named, and results of earlier steps."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from restwright.agents.lookup import is_plainly
from restwright.agents.marks import contained
from restwright.agents.memory import Known, Memory, Source, label_of
from restwright.tools.texts import one_line
from restwright.tools.tool import Tool
from restwright.tools.words import words_of
from restwright.typing import Json, is_array, is_object

# Characters of the name of a thing, and how many things are told by name.
_NAME = 80
_TOLD = 3


@dataclass(frozen=True, slots=True)
class Reference:
    """
    What a step of a plan speaks of by number.

    Args:
        text: What it is called in a task.
        thing: Its kind.
        sources: The responses that gave it; none where it was only named.
        name: Its name alone, where the message has it.
        is_own: It is the user's, as `my list` is.
    """

    text: str
    thing: str
    sources: tuple[Source, ...] = ()
    name: str = ""
    is_own: bool = False

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


def text_of(what: str, thing: str, value: Json) -> str:
    """
    What the result of a step is called in the steps after it: by its name where it has one.

    Args:
        what: The step in words.
        thing: The kind of thing that it finds.
    """
    names = [name for name in _names(value) if _is_told(name)]
    if not names:
        return what
    joined = " and ".join((", ".join(names[:-1]), names[-1])) if names[1:] else names[0]
    return f"the {thing} {joined}" if thing else joined


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
