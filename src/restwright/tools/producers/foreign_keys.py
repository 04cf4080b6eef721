"""
Which inputs refer to something that an API keeps; all others are free text, numbers, dates.

An API tells that by its paths and responses, without a word list: what it fills placeholders with
(`product_id`), how these end (`id`), and what it keeps (`products`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from restwright.tools.producers.fields import ELEMENT, NameWords
from restwright.tools.producers.matching import ValueSource
from restwright.tools.producers.paths import last_static_segment
from restwright.tools.producers.required_value import (
    RequiredValue,
    qualify_input_name,
    qualify_words,
)
from restwright.tools.text.words import split_words, to_singular
from restwright.tools.tool import Input, Tool

_COMMON = 0.2
"""What more of the responses have as a value is no thing: `name`."""


@dataclass(frozen=True, slots=True)
class ForeignKeys:
    """
    How one API refers to what it keeps.

    Args:
        placeholders: What its paths are filled in with, with what that belongs to: (`product`,
            `id`).
        suffixes: The last words of these.
        usual_suffix: The most common one of them; empty where there is none.
        resources: Words of what it keeps.
    """

    placeholders: frozenset[NameWords] = field(repr=False)
    suffixes: frozenset[str]
    usual_suffix: str
    resources: frozenset[NameWords] = field(repr=False)

    def is_foreign_key(self, tool: Tool, given: Input, need: RequiredValue) -> bool:
        """Whether an input of `tool` refers to something."""
        if given.location == "path" or need.facts.format == "uuid":
            return True
        if need.facts.types == frozenset({"object"}) or _is_count(given, need):
            return False
        about = split_words(last_static_segment(tool.operation.path))
        is_new = given.location.startswith("body") and not tool.is_read and not need.is_list
        # `comment` of `POST /comments` is what the comment says, `id` what it shall be called.
        if is_new and need.words in {about[-len(need.words) :], (self.usual_suffix,)}:
            return False
        return (
            self._is_placeholder(need, about)
            or self._has_key_suffix(need.words)
            or self._is_resource(need.words)
        )

    def _is_placeholder(self, need: RequiredValue, about: NameWords) -> bool:
        """Whether it is called as a placeholder is, by itself or with what the path is about."""
        if need.words == (self.usual_suffix,):
            return True
        # The `name` of `POST /labels` is a new one, even where there is `/labels/{name}`.
        both = {need.words, qualify_words(need.words, about) if need.holder else need.words}
        return not both.isdisjoint(self.placeholders)

    def _has_key_suffix(self, words: NameWords) -> bool:
        """Whether it is the usual name of a reference, or an identifier of a thing."""
        if len(words) < 2:
            return False
        if self.usual_suffix in (words[0], words[-1]):
            return True
        return (words[-1] in self.suffixes or not self.suffixes) and self._is_resource(words[:-1])

    def _is_resource(self, words: NameWords) -> bool:
        return any(words[start:] in self.resources for start in range(len(words)))


def find_foreign_keys(sources: Sequence[ValueSource], tools: Iterable[Tool]) -> ForeignKeys:
    """
    How the API of these operations refers to what it keeps.

    Where it has no placeholders, since its paths name functions, those inputs count as such which
    are called as what its lists hold.
    """
    inputs = [(tool, tool_input) for tool in tools for tool_input in tool.inputs]
    located = frozenset(
        qualify_input_name(tool, each) for tool, each in inputs if each.location == "path"
    )
    placeholders = located or _find_listed(sources) & {split_words(one.name) for _, one in inputs}
    endings = Counter(placeholder[-1] for placeholder in placeholders if len(placeholder) > 1)
    firsts = _count_first_names(sources)
    usual = max(endings or firsts, key=lambda each: (endings[each], firsts[each], each), default="")
    return ForeignKeys(
        placeholders, frozenset(endings), usual, frozenset(_find_things(sources, usual))
    )


def _find_listed(sources: Sequence[ValueSource]) -> frozenset[NameWords]:
    """Names of several words that lists hold: `user_ids`, or `user_id` of each of their things."""
    return frozenset(
        response_field.name
        for source in sources
        for response_field in source.fields
        if ELEMENT in response_field.path and len(response_field.name) > 1
    )


def _find_things(sources: Sequence[ValueSource], usual: str) -> Iterator[NameWords]:
    """What paths lead to, and objects of responses that are not called as values mostly are."""
    held: set[NameWords] = set()
    values: Counter[NameWords] = Counter()
    # Nearly always one set, which all operations of an API share.
    for collections in {source.collections for source in sources}:
        yield from (words for collection in collections if (words := split_words(collection)))
    for source in sources:
        if source.lists_resources and source.segment:
            yield split_words(source.segment)
        held.update(
            held_thing
            for held_thing in _find_held_things(source, usual)
            if held_thing not in source.envelopes
        )
        values.update(
            {
                response_field.name
                for response_field in source.fields
                if response_field.path[-1] != ELEMENT
            }
        )
    most = _COMMON * len(sources)
    yield from (pair for pair in held if pair and values[pair] <= most)


def _count_first_names(sources: Iterable[ValueSource]) -> Counter[str]:
    """What the things in lists have as their first field, where its name is one word."""
    return Counter(
        fields[0].name[0]
        for source in sources
        for owner, fields in source.fields_by_owner.items()
        if owner[-1:] == (ELEMENT,) and len(fields[0].name) == 1
    )


def _find_held_things(source: ValueSource, usual: str) -> Iterator[NameWords]:
    """What the objects of a response are called that are listed or have an identifier."""
    for owner, fields in source.fields_by_owner.items():
        if owner[-1:] == (ELEMENT,) or any(
            response_field.name == (usual,) for response_field in fields
        ):
            yield from fields[0].kinds
            yield from fields[0].holders[:1]
    # `{"colours": ["red", "green"]}` lists what may be chosen.
    yield from (
        response_field.name
        for response_field in source.fields
        if response_field.path[1:] == (ELEMENT,)
    )


def _is_count(given: Input, need: RequiredValue) -> bool:
    """`max_nodes` is how many nodes."""
    last = (given.target or given.name).lower()
    numbers = need.facts.types and need.facts.types <= {"integer", "number"}
    return bool(numbers) and not need.is_list and to_singular(last) != last
