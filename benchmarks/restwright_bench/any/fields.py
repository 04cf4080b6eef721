"""The plain properties of a thing, as questions can be asked about."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from restwright.tools.text.words import split_words
from restwright_bench.any.schemas import Schema

FieldKind = Literal["number", "enum", "boolean", "date", "text"]
_NAMES = ("name", "title", "label", "subject", "headline")


@dataclass(frozen=True, slots=True)
class Field:
    """One property with a plain value."""

    name: str
    kind: FieldKind
    schema: Schema = field(repr=False, compare=False)

    @property
    def said(self) -> str:
        """Its name as people say it, such as `page count`."""
        return humanise(self.name)


def humanise(name: str) -> str:
    """An identifier as words: `in_progress` and `inProgress` -> `in progress`."""
    apart = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name)
    return " ".join(re.split(r"[\s_\-./]+", apart)).strip().lower()


def plain_fields(schema: Schema, id_name: str) -> tuple[Field, ...]:
    """The plain properties, without the id and what is an address or an id of something else."""
    return tuple(_fields(schema, id_name))


def _fields(schema: Schema, id_name: str) -> Iterator[Field]:
    for name in schema.properties:
        member = schema.member(name)
        if name == id_name or not member.is_scalar or _is_reference(name, member):
            continue
        yield Field(name, kind_of(member), member)


def kind_of(schema: Schema) -> FieldKind:
    """What can be asked about a value."""
    if schema.type == "boolean":
        return "boolean"
    if schema.enum():
        return "enum"
    if schema.type in ("integer", "number"):
        return "number"
    return "date" if schema.node.get("format") in ("date", "date-time") else "text"


def _is_reference(name: str, schema: Schema) -> bool:
    words = split_words(name)
    ids = {"id", "gid", "uuid", "url", "uri", "href", "link", "token", "etag", "sha", "avatar"}
    return bool(ids & set(words[-1:])) or schema.node.get("format") in ("uri", "uuid", "url")


def name_field(schema: Schema, id_name: str) -> str | None:
    """The property that things are called by: a free text, one that is called so before others."""
    texts = [each.name for each in plain_fields(schema, id_name) if each.kind == "text"]
    free = [name for name in texts if not schema.member(name).node.get("format")]
    is_named_id = split_words(id_name)[-1:] in (("name",), ("slug",), ("key",))
    ranked = [*free, *([id_name] if is_named_id else [])]
    for word in _NAMES:
        exact = [name for name in ranked if split_words(name) == (word,)]
        ending = [name for name in ranked if split_words(name)[-1:] == (word,)]
        if exact or ending:
            return (exact or ending)[0]
    return None
