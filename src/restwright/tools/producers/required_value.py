"""The value that an input needs: what it is called, what it belongs to, what it may be."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from restwright.tools.producers.fields import NameWords, ValueFacts, merge_facts, value_schemas
from restwright.tools.producers.paths import collection_path, last_static_segment
from restwright.tools.text.words import split_words
from restwright.tools.tool import Input, Tool


@dataclass(frozen=True, slots=True, kw_only=True)
class RequiredValue:
    """
    An input whose value is looked for.

    Args:
        words: Of its name.
        holder: Words of what it belongs to: the last path segment before it.
        collection: The path up to it, where what it names can be listed; empty for none.
        described: Words of its description.
        is_list: Whether it takes a list of such values.
    """

    words: NameWords
    holder: NameWords
    collection: str
    facts: ValueFacts
    described: frozenset[str]
    is_list: bool = False

    @property
    def qualified_name(self) -> NameWords:
        """Its name with what it belongs to: (`artist`, `id`) for `/artists/{id}`."""
        return qualify_words(self.words, self.holder)

    @property
    def names(self) -> frozenset[NameWords]:
        """Names of fields that may be it."""
        return frozenset({self.words, self.qualified_name, *(name for _, name in self.readings)})

    @property
    def readings(self) -> Iterator[tuple[NameWords, NameWords]]:
        """`(what it belongs to, its name there)`: for `product_id` also (`product`, `id`)."""
        if self.holder and self.words != self.holder:
            yield self.holder, self.words
        for split in range(len(self.words) - 1, 0, -1):
            yield self.words[:split], self.words[split:]
        # `idBoard` is the id of a board too.
        if len(self.words) > 1:
            yield self.words[1:], self.words[:1]


def find_required_value(tool: Tool, given: Input) -> RequiredValue:
    """The need behind an input of `tool`."""
    definitions = tool.model_checks.get("$defs", {})
    schema = tool.model_checks["properties"][given.name]
    parts = [part for part, _ in value_schemas(schema, definitions)]
    described = " ".join(part.get("description", "") for part in parts)
    # A list of ids is looked for like one of them.
    elements = [part["items"] for part in parts if "items" in part]
    if elements:
        parts = [part for element in elements for part, _ in value_schemas(element, definitions)]
    return RequiredValue(
        words=split_words(given.target or given.name),
        holder=_holder_words(tool, given),
        collection=collection_path(tool.operation.path, given.target) if _is_in_path(given) else "",
        facts=merge_facts(parts),
        described=frozenset(split_words(described)),
        is_list=bool(elements),
    )


def qualify_input_name(tool: Tool, given: Input) -> NameWords:
    """The name of an input with what it belongs to; equal names mean the same value."""
    return qualify_words(split_words(given.target or given.name), _holder_words(tool, given))


def _is_in_path(given: Input) -> bool:
    return given.location == "path"


def _holder_words(tool: Tool, given: Input) -> NameWords:
    path = tool.operation.path
    if given.location.startswith("body"):
        return ()
    return split_words(
        last_static_segment(collection_path(path, given.target) if _is_in_path(given) else path)
    )


def qualify_words(words: NameWords, holder: NameWords) -> NameWords:
    """A name with what it belongs to, unless it says that itself."""
    is_qualified = len(words) > 1 or not holder or words[-len(holder) :] == holder
    return words if is_qualified else (*holder, *words)
