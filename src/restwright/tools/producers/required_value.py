"""The value that an input needs: what it is called, what it belongs to, what it may be."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from restwright.tools.producers.fields import Facts, Words, facts_of, parts_of
from restwright.tools.producers.paths import before, last_segment
from restwright.tools.text.words import words_of
from restwright.tools.tool import Input, Tool


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """
    An input whose value is looked for.

    Args:
        words: Of its name.
        holder: Words of what it belongs to: the last path segment before it.
        collection: The path up to it, where what it names can be listed; empty for none.
        described: Words of its description.
        is_many: Whether it takes a list of such values.
    """

    words: Words
    holder: Words
    collection: str
    facts: Facts
    described: frozenset[str]
    is_many: bool = False

    @property
    def qualified(self) -> Words:
        """Its name with what it belongs to: (`artist`, `id`) for `/artists/{id}`."""
        return qualified(self.words, self.holder)

    @property
    def names(self) -> frozenset[Words]:
        """Names of fields that may be it."""
        return frozenset({self.words, self.qualified, *(name for _, name in self.readings)})

    @property
    def readings(self) -> Iterator[tuple[Words, Words]]:
        """`(what it belongs to, its name there)`: for `product_id` also (`product`, `id`)."""
        if self.holder and self.words != self.holder:
            yield self.holder, self.words
        for split in range(len(self.words) - 1, 0, -1):
            yield self.words[:split], self.words[split:]
        # `idBoard` is the id of a board too.
        if len(self.words) > 1:
            yield self.words[1:], self.words[:1]


def need_of(tool: Tool, given: Input) -> Need:
    """The need behind an input of `tool`."""
    definitions = tool.model_checks.get("$defs", {})
    schema = tool.model_checks["properties"][given.name]
    parts = [part for part, _ in parts_of(schema, definitions)]
    described = " ".join(part.get("description", "") for part in parts)
    # A list of ids is looked for like one of them.
    elements = [part["items"] for part in parts if "items" in part]
    if elements:
        parts = [part for each in elements for part, _ in parts_of(each, definitions)]
    return Need(
        words=words_of(given.target or given.name),
        holder=_holder(tool, given),
        collection=before(tool.operation.path, given.target) if _is_in_path(given) else "",
        facts=facts_of(parts),
        described=frozenset(words_of(described)),
        is_many=bool(elements),
    )


def qualified_name(tool: Tool, given: Input) -> Words:
    """The name of an input with what it belongs to; equal names mean the same value."""
    return qualified(words_of(given.target or given.name), _holder(tool, given))


def _is_in_path(given: Input) -> bool:
    return given.location == "path"


def _holder(tool: Tool, given: Input) -> Words:
    path = tool.operation.path
    if given.location.startswith("body"):
        return ()
    return words_of(last_segment(before(path, given.target) if _is_in_path(given) else path))


def qualified(words: Words, holder: Words) -> Words:
    """A name with what it belongs to, unless it says that itself."""
    is_qualified = len(words) > 1 or not holder or words[-len(holder) :] == holder
    return words if is_qualified else (*holder, *words)
