"""A manifest against its schema: what is wrong with it, and where, in words for who wrote it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from typing import Any

from restwright.jsontypes import Json, JsonObject, is_object
from restwright.openapi.references import pointer_of

_KINDS = {
    "string": "a text",
    "object": "an object",
    "array": "a list",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "null": "nothing",
}


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that keeps a manifest from being used. No value of it is repeated."""

    pointer: str
    why: str


@dataclass(frozen=True, slots=True)
class Unknown:
    """A key that nobody reads, and the known one that is next to it; empty for none."""

    pointer: str
    key: str
    near: str


def schema_text() -> str:
    """The published schema, as it is written."""
    return (files("restwright.manifests") / "manifest.schema.json").read_text("utf-8")


@cache
def schema() -> Json:
    """The published schema."""
    return json.loads(schema_text())


def faults_and_unknown(value: Json) -> tuple[list[Fault], list[Unknown]]:
    """What is wrong with a manifest, in its order; unknown keys by themselves."""
    faults: list[Fault] = []
    unknown: list[Unknown] = []
    for error in _validator().iter_errors(value):
        pointer = pointer_of(*error.instance_path)
        if error.kind.name == "additionalProperties":
            known = list(_at(error.schema_path[:-1]).get("properties", ()))
            unknown.extend(_unknown(pointer, each, known) for each in error.kind.unexpected)
        else:
            faults.append(Fault(pointer, _why(error)))
    return faults, unknown


@cache
def _validator() -> Any:
    import jsonschema_rs

    return jsonschema_rs.validator_for(schema())


def validator(schema: JsonObject) -> Any:
    """
    What checks values by a schema of a manifest; it opens neither files nor connections.

    Raises:
        ValueError: It is no schema, or refers to what stands elsewhere.
    """
    import jsonschema_rs

    return jsonschema_rs.validator_for(schema, offline=True)


def _at(path: Sequence[str | int]) -> JsonObject:
    node: Any = schema()
    for token in path:
        node = _followed(node[token])
    return node


def _followed(node: Json) -> Json:
    if is_object(node) and "$ref" in node:
        return schema()["$defs"][node["$ref"].rpartition("/")[2]]
    return node


def _unknown(pointer: str, key: str, known: Sequence[str]) -> Unknown:
    near = get_close_matches(key.lower().replace("-", "_"), known, n=1, cutoff=0.6)
    return Unknown(pointer + pointer_of(key), key, near[0] if near else "")


def _why(error: Any) -> str:
    word = _WORDS.get(error.kind.name)
    return word(error.kind) if word else _plain(error)


def _plain(error: Any) -> str:
    # The library's words but for the value, which may be a secret.
    return str(error.masked()) if hasattr(error, "masked") else f"it breaks `{error.kind.name}`"


def _listed(values: Sequence[Json]) -> str:
    return ", ".join(str(each) for each in values)


_WORDS: Mapping[str, Callable[[Any], str]] = {
    "type": lambda kind: f"{' or '.join(_KINDS[each] for each in kind.types)} is expected",
    "required": lambda kind: f"`{kind.property}` is missing",
    "enum": lambda kind: f"one of {_listed(kind.options)} is expected",
    "minimum": lambda kind: f"at least {kind.limit} is expected",
    "maximum": lambda kind: f"at most {kind.limit} is expected",
    "exclusiveMinimum": lambda kind: f"more than {kind.limit} is expected",
    "minItems": lambda kind: f"at least {kind.limit} of them are expected",
    "maxItems": lambda kind: f"at most {kind.limit} of them are taken",
    "maxLength": lambda kind: f"at most {kind.limit:,} characters are taken",
    "anyOf": lambda kind: (
        "it needs `apis`, `functions`, `agents` or at least a `prompt` or `model`"
    ),
    "pattern": lambda kind: f"it must fit the pattern {kind.pattern}",
}


def words(found: Unknown) -> str:
    """What is said of a key that nobody reads."""
    near = f"; did you mean `{found.near}`?" if found.near else ""
    return f"there is no key `{found.key[:80]}`{near}"


def first(faults: Sequence[Fault]) -> Fault:
    """The fault to say: of the deepest, since it is the one that is meant."""
    return max(faults, key=lambda each: each.pointer.count("/"))
