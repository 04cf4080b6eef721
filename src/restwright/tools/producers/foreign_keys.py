"""
Which inputs refer to something that an API keeps; all others are free text, numbers, dates.

An API tells that by its paths and responses, without a word list: what it fills placeholders with
(`product_id`), how these end (`id`), and what it keeps (`products`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from restwright.tools.producers.fields import ELEMENT, Words
from restwright.tools.producers.matching import Source
from restwright.tools.producers.paths import last_segment
from restwright.tools.producers.required_value import Need, qualified, qualified_name
from restwright.tools.text.words import singular, words_of
from restwright.tools.tool import Input, Tool

_COMMON = 0.2
"""What more of the responses have as a value is no thing: `name`."""


@dataclass(frozen=True, slots=True)
class References:
    """
    How one API refers to what it keeps.

    Args:
        placeholders: What its paths are filled in with, with what that belongs to: (`product`,
            `id`).
        endings: The last words of these.
        usual: The most common one of them; empty where there is none.
        things: Words of what it keeps.
    """

    placeholders: frozenset[Words] = field(repr=False)
    endings: frozenset[str]
    usual: str
    things: frozenset[Words] = field(repr=False)

    def has(self, tool: Tool, given: Input, need: Need) -> bool:
        """Whether an input of `tool` refers to something."""
        if given.location == "path" or need.facts.format == "uuid":
            return True
        if need.facts.types == frozenset({"object"}) or _is_count(given, need):
            return False
        about = words_of(last_segment(tool.operation.path))
        is_new = given.location.startswith("body") and not tool.is_read and not need.is_many
        # `comment` of `POST /comments` is what the comment says, `id` what it shall be called.
        if is_new and need.words in {about[-len(need.words) :], (self.usual,)}:
            return False
        return self._fills(need, about) or self._ends_so(need.words) or self._is_thing(need.words)

    def _fills(self, need: Need, about: Words) -> bool:
        """Whether it is called as a placeholder is, by itself or with what the path is about."""
        if need.words == (self.usual,):
            return True
        # The `name` of `POST /labels` is a new one, even where there is `/labels/{name}`.
        both = {need.words, qualified(need.words, about) if need.holder else need.words}
        return not both.isdisjoint(self.placeholders)

    def _ends_so(self, words: Words) -> bool:
        """Whether it is the usual name of a reference, or an identifier of a thing."""
        if len(words) < 2:
            return False
        if self.usual in (words[0], words[-1]):
            return True
        return (words[-1] in self.endings or not self.endings) and self._is_thing(words[:-1])

    def _is_thing(self, words: Words) -> bool:
        return any(words[start:] in self.things for start in range(len(words)))


def references_of(sources: Sequence[Source], tools: Iterable[Tool]) -> References:
    """How the API of these operations refers to what it keeps."""
    placeholders = frozenset(
        qualified_name(tool, each)
        for tool in tools
        for each in tool.inputs
        if each.location == "path"
    )
    endings = Counter(each[-1] for each in placeholders if len(each) > 1)
    firsts = _first_names(sources)
    usual = max(endings or firsts, key=lambda each: (endings[each], firsts[each], each), default="")
    return References(placeholders, frozenset(endings), usual, frozenset(_things(sources, usual)))


def _things(sources: Sequence[Source], usual: str) -> Iterator[Words]:
    """What paths lead to, and objects of responses that are not called as values mostly are."""
    held: set[Words] = set()
    values: Counter[Words] = Counter()
    for source in sources:
        yield from (words for each in source.collections if (words := words_of(each)))
        if source.lists_things and source.segment:
            yield words_of(source.segment)
        held.update(each for each in _held(source, usual) if each not in source.envelopes)
        values.update({each.name for each in source.fields if each.path[-1] != ELEMENT})
    most = _COMMON * len(sources)
    yield from (each for each in held if each and values[each] <= most)


def _first_names(sources: Iterable[Source]) -> Counter[str]:
    """What the things in lists have as their first field, where its name is one word."""
    return Counter(
        fields[0].name[0]
        for source in sources
        for owner, fields in source.objects.items()
        if owner[-1:] == (ELEMENT,) and len(fields[0].name) == 1
    )


def _held(source: Source, usual: str) -> Iterator[Words]:
    """What the objects of a response are called that are listed or have an identifier."""
    for owner, fields in source.objects.items():
        if owner[-1:] == (ELEMENT,) or any(each.name == (usual,) for each in fields):
            yield from fields[0].kinds
            yield from fields[0].holders[:1]
    # `{"colours": ["red", "green"]}` lists what may be chosen.
    yield from (each.name for each in source.fields if each.path[1:] == (ELEMENT,))


def _is_count(given: Input, need: Need) -> bool:
    """`max_nodes` is how many nodes."""
    last = (given.target or given.name).lower()
    numbers = need.facts.types and need.facts.types <= {"integer", "number"}
    return bool(numbers) and not need.is_many and singular(last) != last
