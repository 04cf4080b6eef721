"""What a search knows about an operation: texts by field, read from the document as written."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from restwright.errors import UnresolvedReference
from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.openapi.model import Operation
from restwright.openapi.references import find_ref, lookup_reference
from restwright.tools.search.stop_words import DEFAULT_LANGUAGE
from restwright.tools.search.weights import SearchField

RESPONSE_DEPTH = 4
BODY_DEPTH = 2
MAX_NAMES = 200
"""Property names of a response or a body that count."""
MAX_TAG_TEXT = 100
"""Characters of the first sentence of the description of a tag that count."""
MAX_FIELD_TEXT = 1500
"""Characters of a description that count."""

_TEMPLATE = re.compile(r"\{[^{}]*\}")
_BRANCHES = ("allOf", "anyOf", "oneOf")
_ELEMENTS = ("items", "additionalProperties")
_NESTING = frozenset({"$ref", "properties", *_BRANCHES, *_ELEMENTS})


@dataclass(frozen=True, slots=True)
class IndexedFields:
    """
    What an index is told about one operation.

    Args:
        name: What hits are named by.
        namespace: The API that it belongs to.
        fields: Texts as they stand in the document.
        language: Of the texts.
    """

    name: str
    namespace: str
    fields: Mapping[SearchField, str] = field(repr=False)
    language: str = DEFAULT_LANGUAGE


class FieldsReader:
    """Describes the operations of one document, whose shared schemas are read once."""

    def __init__(
        self, document: JsonObject, *, title: str = "", language: str = DEFAULT_LANGUAGE
    ) -> None:
        self._document = document
        self._title = title
        self._language = language
        self._kept: dict[tuple[str, int], tuple[str, ...]] = {}
        self._tags = dict(_tag_texts(document))

    def __call__(
        self, operation: Operation, *, name: str, namespace: str, operation_name: str
    ) -> IndexedFields:
        """Describe one operation as the tool of that name."""
        parameters = operation.parameters
        named = [parameter.name for parameter in parameters]
        texts = [parameter.description for parameter in parameters]
        texts += [" ".join(_choice_words(parameter.schema)) for parameter in parameters]
        body = operation.request_body
        if body is not None:
            named += self._names_of_content(body.content, BODY_DEPTH)
            texts.append(body.description)
        success = operation.success
        response = self._names_of_content(success.content, RESPONSE_DEPTH) if success else ()
        fields: dict[SearchField, str] = {
            "name": operation.operation_id or operation_name,
            "path": _TEMPLATE.sub(" ", operation.path),
            "summary": operation.summary,
            "description": operation.description[:MAX_FIELD_TEXT],
            "inputs": " ".join(dict.fromkeys(named)),
            "input_texts": " ".join(texts)[:MAX_FIELD_TEXT],
            "response": " ".join(dict.fromkeys(response)),
            "tags": " ".join(self._tags.get(tag, tag) for tag in operation.tags),
            "title": self._title,
            "verbs": operation.method,
        }
        return IndexedFields(name, namespace, fields, self._language)

    def _names_of_content(self, content: tuple[Json, ...], depth: int) -> list[str]:
        names: list[str] = []
        for media in content[:1]:
            names += self._names(media.schema, depth)
            if not names:
                names += [*_example_keys(media.example, depth)]
                for example in list(media.examples.values())[:1]:
                    value = example.get("value") if is_object(example) else example
                    names += _example_keys(value, depth)
        return names[:MAX_NAMES]

    def _names(self, schema: Json, depth: int) -> tuple[str, ...]:
        """Names of properties, each once, those of an object before those of its parts."""
        names: dict[str, None] = {}
        self._collect(schema, depth, frozenset(), names)
        return tuple(names)[:MAX_NAMES]

    def _collect(
        self, schema: Json, depth: int, above: frozenset[str], names: dict[str, None]
    ) -> None:
        # Most schemas are of texts and numbers; all operations of an API come through here.
        if depth <= 0 or not is_object(schema) or _NESTING.isdisjoint(schema):
            return
        ref = find_ref(schema)
        if ref is not None:
            names.update(dict.fromkeys(self._of_ref(ref, depth, above)))
            return
        properties = schema.get("properties")
        if is_object(properties):
            names.update(dict.fromkeys(properties))
            for property_ in properties.values():
                self._collect(property_, depth - 1, above, names)
        for key in _BRANCHES:
            branches = schema.get(key)
            for branch in branches if is_array(branches) else ():
                self._collect(branch, depth, above, names)
        for key in _ELEMENTS:
            self._collect(schema.get(key), depth, above, names)

    def _of_ref(self, ref: str, depth: int, above: frozenset[str]) -> tuple[str, ...]:
        key = ref, depth
        if key not in self._kept:
            if ref in above:
                return ()
            try:
                schema = lookup_reference(self._document, ref)
            except UnresolvedReference:
                schema = None
            names: dict[str, None] = {}
            self._collect(schema, depth, above | {ref}, names)
            self._kept[key] = tuple(names)[:MAX_NAMES]
        return self._kept[key]


def _tag_texts(document: JsonObject) -> Iterator[tuple[str, str]]:
    """Yield `(tag, it and the first sentence of its description)` of tags that are described."""
    tags = document.get("tags")
    for tag in tags if is_array(tags) else ():
        if is_object(tag):
            name, text = tag.get("name"), tag.get("description")
            if isinstance(name, str) and isinstance(text, str):
                yield name, f"{name} {text.split('. ', 1)[0][:MAX_TAG_TEXT]}"


def _choice_words(schema: Json) -> Iterator[str]:
    """What a parameter may be, where that is one of a few words."""
    if not is_object(schema):
        return
    items = schema.get("items")
    for item in (schema, items):
        choices = item.get("enum") if is_object(item) else None
        if is_array(choices):
            yield from (choice for choice in choices[:20] if isinstance(choice, str))


def _example_keys(example: Json, depth: int) -> Iterator[str]:
    """The keys of the objects in an example; of a list, of the first one."""
    if is_array(example):
        yield from _example_keys(example[0] if example else None, depth)
    elif is_object(example) and depth:
        yield from example
        for item in example.values():
            yield from _example_keys(item, depth - 1)
