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
from restwright.openapi.references import join_pointer

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
class ManifestFault:
    """Something that keeps a manifest from being used. No value of it is repeated."""

    pointer: str
    why: str


@dataclass(frozen=True, slots=True)
class UnknownKey:
    """A key that nobody reads, and the known one that is next to it; empty for none."""

    pointer: str
    key: str
    near: str


def manifest_schema_text() -> str:
    """The published schema, as it is written."""
    return (files("restwright.manifests") / "manifest.schema.json").read_text("utf-8")


@cache
def manifest_schema() -> Json:
    """The published schema."""
    return json.loads(manifest_schema_text())


def check_manifest(value: Json) -> tuple[list[ManifestFault], list[UnknownKey]]:
    """What is wrong with a manifest, in its order; unknown keys by themselves."""
    faults: list[ManifestFault] = []
    unknown: list[UnknownKey] = []
    for error in _manifest_validator().iter_errors(value):
        pointer = join_pointer(*error.instance_path)
        if error.kind.name == "additionalProperties":
            known = list(_schema_at(error.schema_path[:-1]).get("properties", ()))
            unknown.extend(
                _make_unknown_key(pointer, item, known) for item in error.kind.unexpected
            )
        else:
            faults.append(ManifestFault(pointer, _explain_error(error)))
    return faults, unknown


@cache
def _manifest_validator() -> Any:
    import jsonschema_rs

    return jsonschema_rs.validator_for(manifest_schema())


def make_validator(schema: JsonObject) -> Any:
    """
    What checks values by a schema of a manifest; it opens neither files nor connections.

    Raises:
        ValueError: It is no schema, or refers to what stands elsewhere.
    """
    import jsonschema_rs

    return jsonschema_rs.validator_for(schema, offline=True)


def _schema_at(path: Sequence[str | int]) -> JsonObject:
    node: Any = manifest_schema()
    for token in path:
        node = _follow_reference(node[token])
    return node


def _follow_reference(node: Json) -> Json:
    if is_object(node) and "$ref" in node:
        return manifest_schema()["$defs"][node["$ref"].rpartition("/")[2]]
    return node


def _make_unknown_key(pointer: str, key: str, known: Sequence[str]) -> UnknownKey:
    near = get_close_matches(key.lower().replace("-", "_"), known, n=1, cutoff=0.6)
    return UnknownKey(pointer + join_pointer(key), key, near[0] if near else "")


def _explain_error(error: Any) -> str:
    word = _WORDS.get(error.kind.name)
    return word(error.kind) if word else _explain_plainly(error)


def _explain_plainly(error: Any) -> str:
    # The library's words but for the value, which may be a secret.
    return str(error.masked()) if hasattr(error, "masked") else f"it breaks `{error.kind.name}`"


def _join_values(values: Sequence[Json]) -> str:
    return ", ".join(str(value) for value in values)


_WORDS: Mapping[str, Callable[[Any], str]] = {
    "type": lambda kind: f"{' or '.join(_KINDS[type_] for type_ in kind.types)} is expected",
    "required": lambda kind: f"`{kind.property}` is missing",
    "enum": lambda kind: f"one of {_join_values(kind.options)} is expected",
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


def describe_unknown_key(found: UnknownKey) -> str:
    """What is said of a key that nobody reads."""
    near = f"; did you mean `{found.near}`?" if found.near else ""
    return f"there is no key `{found.key[:80]}`{near}"


def deepest_fault(faults: Sequence[ManifestFault]) -> ManifestFault:
    """The fault to say: of the deepest, since it is the one that is meant."""
    return max(faults, key=lambda each: each.pointer.count("/"))
