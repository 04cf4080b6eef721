"""
Says a schema in other words: one walk, driven by the rules of whoever reads it.

A keyword that the reader does not know moves into the description of its place, one a line at the
end (`@minimum 0`, `@format date-time`), so that nothing goes without a trace.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.openapi.references import find_ref

MOVED: object = object()
"""What a rule returns for a keyword that moves into the description."""

ANNOTATION_KEYWORDS = frozenset({
    "title", "description", "default", "examples", "example", "deprecated", "readOnly",
    "writeOnly", "nullable",
})  # fmt: skip
"""Keywords that accept any value, whatever they say."""

MAX_MERGED = 30
"""Definitions that are followed from one `allOf` into the next."""

MAX_REWRITTEN_NODES = 5_000
"""Above this, alternatives are no longer multiplied out."""

_PREFIX = "#/$defs/"
_MAX_LINE = 300
_MAX_VALUES = 4_000
# Written as they are; everything else is written as JSON.
_UNQUOTED_KEYWORDS = frozenset(
    {"format", "pattern", "title", "contentEncoding", "contentMediaType", "$ref"}
)
_LONG_KEYWORDS = frozenset({"enum", "const", "required"})

KeywordRewriter = Callable[["SchemaRewriter", Json, JsonObject, str], Json]
"""Says the value of a keyword: `(rewriting, value, node, pointer)`; `MOVED` where it cannot."""

NodeStep = Callable[["SchemaRewriter", JsonObject], JsonObject]
"""Puts a node into a form with the same meaning; the node itself where nothing is to be done."""

FinishStep = Callable[["SchemaRewriter", JsonObject, JsonObject, str], JsonObject]
"""Completes what is kept of a node: `(rewriting, kept, node, pointer)`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaRules:
    """
    What one reader of schemas understands.

    Args:
        keywords: How each known keyword is said; None keeps its value as it is.
        rewrite_steps: Applied in this order while something changes, each where its keyword stands.
        finish_steps: Applied to what is kept, in this order.
        finish_root: Applied to the whole.
    """

    keywords: Mapping[str, KeywordRewriter | None]
    rewrite_steps: tuple[tuple[str, NodeStep], ...] = ()
    finish_steps: tuple[FinishStep, ...] = ()
    finish_root: Callable[[JsonObject], JsonObject] | None = None


@dataclass(slots=True, kw_only=True)
class SchemaRewriter:
    """
    One schema on its way into other words.

    Args:
        definitions: What `$ref`s point into.
        reasons: What makes the whole impossible to say, with its pointer; in order.
        nodes: Schemas seen so far.
    """

    rules: SchemaRules
    definitions: JsonObject = field(repr=False)
    reasons: list[str] = field(default_factory=list[str])
    nodes: int = 0
    _seen: set[str] = field(default_factory=set[str])
    _queue: list[str] = field(default_factory=list[str])
    _lines: list[str] = field(default_factory=list[str])
    _merging: set[str] = field(default_factory=set[str])

    def rewrite_root(self, schema: JsonObject) -> JsonObject:
        """The root, with the definitions that it still refers to in their old order."""
        root = {key: value for key, value in schema.items() if key != "$defs"}
        kept = self.rewrite(root, "")
        done: JsonObject = {}
        while self._queue:
            name = self._queue.pop()
            done[name] = self.rewrite(self.definitions[name], f"/$defs/{name}")
        if done:
            kept["$defs"] = {name: done[name] for name in self.definitions if name in done}
        return self.rules.finish_root(kept) if self.rules.finish_root else kept

    def rewrite(self, schema: Json, pointer: str) -> JsonObject:
        """
        One schema in other words.

        Args:
            pointer: Its JSON Pointer within the schema; escapes are left out.
        """
        self.nodes += 1
        outer, self._lines = self._lines, []
        if not is_object(schema):
            schema = {"not": {}} if schema is False else {}
        node = self._apply_steps(schema)
        known = self.rules.keywords
        kept: JsonObject = {}
        for keyword, value in node.items():
            keep = known.get(keyword, _move_to_description)
            said = value if keep is None else keep(self, value, node, pointer)
            if said is MOVED:
                self.move_to_description(keyword, value)
            else:
                kept[keyword] = said
        for finish in self.rules.finish_steps:
            kept = finish(self, kept, node, pointer)
        if self._lines:
            kept["description"] = append_lines(kept.get("description", ""), self._lines)
        self._lines = outer
        return kept

    def _apply_steps(self, node: JsonObject) -> JsonObject:
        for _ in range(6):
            before = node
            for keyword, step in self.rules.rewrite_steps:
                if keyword in node:
                    node = step(self, node)
            if node is before:
                break
        return node

    def move_to_description(self, keyword: str, value: Json) -> None:
        """Move a keyword of the schema that is being written into its description."""
        self._lines.append(format_keyword_line(keyword, value))

    @property
    def has_description_lines(self) -> bool:
        """Whether anything of the schema that is being written has moved so far."""
        return bool(self._lines)

    def enqueue_definition(self, name: str) -> None:
        """Keep a definition that is referred to."""
        if name not in self._seen:
            self._seen.add(name)
            self._queue.append(name)

    def append_description(self, description: str) -> str:
        """A description with what was moved so far, which then is not written anywhere else."""
        lines, self._lines = self._lines, []
        return append_lines(description, lines)

    def add_reason(self, pointer: str, why: str) -> None:
        """Note what cannot be said at all."""
        self.reasons.append(f"{pointer or '/'}: {why}")

    def definition(self, ref: str) -> Json:
        """What a reference points at; None where nothing is there or it is being followed."""
        name = definition_name(ref)
        if name in self._merging or len(self._merging) >= MAX_MERGED:
            return None
        return self.definitions.get(name)

    def rewrite_definition(self, ref: str, step: NodeStep) -> Json:
        """What a reference points at, put into another form; None as for `definition()`."""
        target = self.definition(ref)
        if not is_object(target):
            return target
        name = definition_name(ref)
        self._merging.add(name)
        try:
            return step(self, target)
        finally:
            self._merging.discard(name)


def _move_to_description(
    _rewriting: SchemaRewriter, _value: Json, _node: JsonObject, _at: str
) -> Json:
    return MOVED


def rewrite_subschema(
    rewriting: SchemaRewriter, value: Json, _node: JsonObject, pointer: str
) -> Json:
    """A keyword whose value is a schema."""
    return rewriting.rewrite(value, pointer)


def rewrite_items(rewriting: SchemaRewriter, value: Json, _node: JsonObject, pointer: str) -> Json:
    """`items`, which may also be false beside `prefixItems`."""
    return rewriting.rewrite(value, f"{pointer}/items")


def rewrite_additional_properties(
    rewriting: SchemaRewriter, value: Json, _node: JsonObject, pointer: str
) -> Json:
    """`additionalProperties`; a boolean stays one."""
    return (
        value
        if isinstance(value, bool)
        else rewriting.rewrite(value, f"{pointer}/additionalProperties")
    )


def rewrite_properties(
    rewriting: SchemaRewriter, value: Json, node: JsonObject, pointer: str
) -> Json:
    """Named schemas. A property that can have no value is left out."""
    never = [name for name, each in value.items() if each is False]
    if never and node.get("additionalProperties") is not False:
        rewriting.move_to_description("not", {"required": never})
    return {
        name: rewriting.rewrite(each, f"{pointer}/properties/{name}")
        for name, each in value.items()
        if each is not False
    }


def rewrite_any_of(rewriting: SchemaRewriter, value: Json, _node: JsonObject, pointer: str) -> Json:
    """Schemas in a list."""
    return [rewriting.rewrite(each, f"{pointer}/anyOf/{index}") for index, each in enumerate(value)]


def rewrite_one_of(rewriting: SchemaRewriter, value: Json, _node: JsonObject, pointer: str) -> Json:
    """As `rewrite_any_of()`."""
    return [rewriting.rewrite(each, f"{pointer}/oneOf/{index}") for index, each in enumerate(value)]


def rewrite_all_of(rewriting: SchemaRewriter, value: Json, _node: JsonObject, pointer: str) -> Json:
    """As `rewrite_any_of()`."""
    return [rewriting.rewrite(each, f"{pointer}/allOf/{index}") for index, each in enumerate(value)]


def rewrite_prefix_items(
    rewriting: SchemaRewriter, value: Json, _node: JsonObject, pointer: str
) -> Json:
    """As `rewrite_any_of()`."""
    return [
        rewriting.rewrite(each, f"{pointer}/prefixItems/{index}")
        for index, each in enumerate(value)
    ]


def rewrite_reference(rewriting: SchemaRewriter, value: Json, _node: JsonObject, _at: str) -> Json:
    """A `$ref`; its definition is kept. One that leads nowhere moves into the description."""
    name = definition_name(value)
    if name not in rewriting.definitions:
        return MOVED
    rewriting.enqueue_definition(name)
    return value


def rewrite_required(rewriting: SchemaRewriter, value: Json, node: JsonObject, _at: str) -> Json:
    """`required`, where all its names have a schema; else it is said in words too."""
    known = {name for name, each in node.get("properties", {}).items() if each is not False}
    missing = [name for name in value if name not in known]
    if missing:
        rewriting.move_to_description("required", missing)
    return [name for name in value if name in known]


def allow_values(*known: str) -> KeywordRewriter:
    """A rule that keeps a keyword's value where it is among `known`."""
    allowed = frozenset(known)

    def keep(_rewriting: SchemaRewriter, value: Json, _node: JsonObject, _at: str) -> Json:
        return value if value in allowed else MOVED

    return keep


def definition_name(ref: str) -> str:
    """The definition that a `$ref` names."""
    return ref.removeprefix(_PREFIX).replace("~1", "/").replace("~0", "~")


def has_ref(value: Json) -> bool:
    """Whether a schema is a reference, whatever stands beside it."""
    return find_ref(value) is not None


def schema_types(node: JsonObject) -> list[str]:
    """The types that a schema names; empty for none."""
    kinds = node.get("type", ())
    return [kinds] if isinstance(kinds, str) else list(kinds)


def format_keyword_line(keyword: str, value: Json) -> str:
    """
    A keyword as one line of a description.

    Returns:
        At most about 300 characters, 4,000 for enumerations; `@deprecated` alone where true.
    """
    if keyword == "deprecated" and value is True:
        return "@deprecated"
    if isinstance(value, str) and keyword in _UNQUOTED_KEYWORDS:
        text = value.replace("\n", "\\n")
    else:
        text = json.dumps(value, ensure_ascii=False)
    longest = _MAX_VALUES if keyword in _LONG_KEYWORDS else _MAX_LINE
    return f"@{keyword} {text if len(text) <= longest else text[: longest - 1] + '…'}"


def append_lines(description: str, lines: list[str]) -> str:
    """A description with lines at its end, each once."""
    there = description.split("\n") if description else []
    new = [line for line in dict.fromkeys(lines) if line not in there]
    return "\n".join([description, *new] if description else new)


def add_note(kept: JsonObject, text: str) -> JsonObject:
    """`kept` with one more line in its description."""
    return {**kept, "description": append_lines(kept.get("description", ""), [text])}


def is_nonempty_array(value: Json) -> bool:
    """Whether `value` is an array with something in it."""
    return is_array(value) and bool(value)
