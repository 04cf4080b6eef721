"""
Which writes a run may still make, whatever its model chooses.

Two laws hold for every kind of agent. A write on a whole collection is none on one of its items:
`DELETE /things` is called only where the user's policy names that tool. And a write that failed is
not replaced: neither by another operation on what it was about, nor by the same one on another
item. Both are decided by paths, parameters and schemas alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from restwright.calls.approval.policy import Policy
from restwright.calls.response.result import Result
from restwright.jsontypes import Json, JsonObject, is_object
from restwright.openapi.model import Operation
from restwright.tools.catalog.catalog import Catalog
from restwright.tools.tool import Tool

WriteEffect: TypeAlias = Literal["done", "failed", "unknown"]

WRITE_EFFECTS: Mapping[WriteEffect, str] = {
    "done": "it took effect",
    "failed": "it was answered with an error",
    "unknown": "whether it took effect is unknown",
}
_REPLACING = frozenset({"put", "patch"})
_ITEM_KEY = re.compile(r"(?i)(id|uri|urn|href|key|slug|uuid|name|code)s?$")
_EXTENSION = re.compile(r"\.(json|xml)$")


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteRecord:
    """
    A write that was sent, or was about to be when the run was interrupted.

    Args:
        effect: `unknown` where no response is known, so that it may or may not have taken effect.
    """

    tool: str
    arguments: JsonObject
    effect: WriteEffect


@dataclass(slots=True)
class WriteGuard:
    """What one run has written, and what it may not write any more."""

    sent: list[WriteRecord] = field(default_factory=list[WriteRecord])
    failed: list[tuple[Tool, JsonObject]] = field(default_factory=list[tuple[Tool, JsonObject]])

    def explain_refusal(self, tool: Tool, arguments: JsonObject) -> str:
        """Why a write may not be made after others have failed; empty where it may."""
        for failed, its_arguments in self.failed:
            if _is_replacement(tool, arguments, failed, its_arguments):
                why = f"{failed.name} failed before, and no other write takes its place"
                return f"{tool.name} was not sent: {why}"
        return ""

    def record_outcome(self, tool: Tool, arguments: JsonObject, result: Result) -> None:
        """Keep what came of a write."""
        if result.was_sent or result.ok:
            effect = write_effect(result)
            self.sent.append(WriteRecord(tool=tool.name, arguments=arguments, effect=effect))
        if _is_untried(result):
            return
        # The same write again has worked now, or is still the one that failed.
        self.failed = [pair for pair in self.failed if not _is_repetition(tool, arguments, *pair)]
        if not result.ok:
            self.failed.append((tool, arguments))


def _is_untried(result: Result) -> bool:
    """Whether its arguments or these laws kept a write from being tried."""
    return result.kind in {"mismatch", "refused"} and result.repairable_by == "model"


def write_effect(result: Result) -> WriteEffect:
    """What a write that was sent has done."""
    if result.ok or result.effect == "done":
        return "done"
    is_unknown = result.effect == "unknown" or result.response is None
    return "unknown" if is_unknown else "failed"


def is_collection_write(
    catalog: Catalog, policy: Policy, name: str, arguments: JsonObject | None = None
) -> bool:
    """
    Whether a write changes a whole collection, and the policy does not name it.

    That is a DELETE of a path below which there are items, or which gives a list; and a PUT or
    PATCH of it, where an item has one of its own. What is given keys of items changes those.

    Args:
        arguments: Of a call; None to say whether there is a call that changes less.
    """
    if (entry := catalog.entries.get(name)) is None:
        return False
    method, own = entry.operation.method.lower(), _split_path(entry.operation.path)
    if method not in {"delete", *_REPLACING} or (own and _is_parameter(own[-1])):
        return False
    api = catalog.apis.get(entry.namespace)
    paths = (
        (operation, _split_path(operation.path)) for operation in (api.operations if api else ())
    )
    of_items = {method.method.lower() for method, path in paths if _is_item(path, own)}
    if method == "delete":
        is_collection = bool(of_items) or _is_list(catalog, entry.namespace, own)
    else:
        is_collection = bool(of_items & _REPLACING)
    if not is_collection or policy.has_exact_rule(catalog[name]):
        return False
    keys = _item_inputs(catalog[name])
    return not any(arguments is None or _find_argument(arguments, *key) for key in keys)


def _is_item(path: tuple[str, ...], collection: tuple[str, ...]) -> bool:
    return path[:-1] == collection and _is_parameter(path[-1])


def _is_list(catalog: Catalog, namespace: str, path: tuple[str, ...]) -> bool:
    """Whether reading this path gives a list."""
    for name, entry in catalog.entries.items():
        is_own = entry.namespace == namespace and entry.operation.method.lower() == "get"
        if is_own and _split_path(entry.operation.path) == path:
            return _is_array(catalog[name].output)
    return False


def _is_array(schema: Json) -> bool:
    if not is_object(schema):
        return False
    reference = str(schema.get("$ref", ""))
    named = schema.get("$defs", {}).get(reference.removeprefix("#/$defs/"), schema)
    return is_object(named) and named.get("type") == "array"


def _item_inputs(tool: Tool) -> Iterator[tuple[str, str]]:
    """The inputs that say which items: those that must be given, and lists; of a PUT no lists."""
    for tool_input in tool.inputs:
        if tool_input.location in {"path", "header", "cookie"}:
            continue
        own = _group_properties(tool, tool_input.group)
        is_key = tool_input.name in own.get("required", ()) and _ITEM_KEY.search(tool_input.target)
        schema: Json = own.get("properties", {}).get(tool_input.name)
        is_list = is_object(schema) and schema.get("type") == "array"
        if is_key or (is_list and tool.operation.method.lower() != "put"):
            yield tool_input.group, tool_input.name


def _group_properties(tool: Tool, group: str) -> JsonObject:
    schema: Json = tool.checks["properties"].get(group) if group else tool.checks
    return schema if is_object(schema) else {}


def _is_replacement(
    tool: Tool, arguments: JsonObject, failed: Tool, its_arguments: JsonObject
) -> bool:
    """Whether a write would take the place of one that failed."""
    if tool.name == failed.name:
        return not _is_repetition(tool, arguments, failed, its_arguments)
    return tool.namespace == failed.namespace and _is_related(tool.operation, failed.operation)


def _is_repetition(
    tool: Tool, arguments: JsonObject, failed: Tool, its_arguments: JsonObject
) -> bool:
    """Whether a write is one that failed, perhaps with other arguments, on the same item."""
    return tool.name == failed.name and all(
        _find_argument(arguments, *place) == value
        for place, value in _target_arguments(failed, its_arguments)
    )


def _target_arguments(tool: Tool, arguments: JsonObject) -> Iterator[tuple[tuple[str, str], Json]]:
    """The arguments that say what a write is about: those in the path; of a DELETE all."""
    is_delete = tool.operation.method.lower() == "delete"
    for tool_input in tool.inputs:
        value = _find_argument(arguments, tool_input.group, tool_input.name)
        is_said = is_delete and tool_input.location != "header" and value is not None
        if tool_input.location == "path" or is_said:
            yield (tool_input.group, tool_input.name), value


def _find_argument(arguments: JsonObject, group: str, name: str) -> Json:
    inside = arguments.get(group) if group else arguments
    return inside.get(name) if is_object(inside) else None


def _is_related(one: Operation, other: Operation) -> bool:
    """Whether two paths lie above each other, or have a collection in common."""
    first, second = sorted((_split_path(one.path), _split_path(other.path)), key=len)
    is_above = all(map(_is_alike, first, second))
    return is_above or bool(_collection_names(first) & _collection_names(second))


def _is_alike(one: str, other: str) -> bool:
    # `/things/batch` is about what `/things/{id}` is about.
    return one == other or _is_parameter(one) or _is_parameter(other)


def _collection_names(path: tuple[str, ...]) -> frozenset[str]:
    """What parameters follow, and the end of the path."""
    following = (*path[1:], "{}")
    return frozenset(
        segment
        for segment, after in zip(path, following, strict=False)
        if _is_parameter(after) and not _is_parameter(segment)
    )


def _split_path(path: str) -> tuple[str, ...]:
    """The parts of a path template; `Things({id})` of OData has two."""
    parts = path.replace("(", "/").replace(")", "").split("/")
    return tuple(_EXTENSION.sub("", part) for part in parts if part)


def _is_parameter(segment: str) -> bool:
    return segment.startswith("{")
