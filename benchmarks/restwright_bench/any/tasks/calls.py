"""Arguments of the calls that an ideal program makes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

from restwright.jsontypes import Json, JsonObject
from restwright.tools.tool import Input, Tool
from restwright_bench.any.draw import draw
from restwright_bench.any.resources import Resource, placeholders
from restwright_bench.any.schemas import Schema, flatten
from restwright_bench.any.tasks.task import ProgramStep
from restwright_bench.any.writing import BodyShape, body_shape


class Unreachable(Exception):
    """A call that needs a value which nobody says."""


def step(
    tool: Tool,
    path: Sequence[Json],
    *,
    query: Mapping[str, Json] | None = None,
    body: Mapping[str, Json] | None = None,
) -> ProgramStep:
    """
    Make one call of a program.

    Args:
        path: Ids in the order of the path's placeholders.
        query: `{parameter: value}`.
        body: Arguments of the body, by inputs.

    Raises:
        Unreachable: Something else is required that no schema fixes.
    """
    in_path = dict(zip(placeholders(tool.operation.path), path, strict=False))
    arguments: JsonObject = dict(body or {})
    for each in tool.inputs:
        found = _value(tool, each, in_path, query or {})
        if found is not None:
            holder = arguments.setdefault(each.group, {}) if each.group else arguments
            holder[each.name] = found
    if missing := [name for name in tool.required if name not in arguments]:
        raise Unreachable(f"{tool.name} needs {', '.join(missing)}")
    return ProgramStep(tool=tool.name, arguments=arguments)


def _value(tool: Tool, one: Input, path: Mapping[str, Json], query: Mapping[str, Json]) -> Json:
    if one.location == "path":
        return path.get(one.target)
    if one.location == "query" and one.target in query:
        return query[one.target]
    if one.location not in ("query", "header") or one.name not in tool.required:
        return None
    schema = flatten(tool.properties.get(one.name, {}), tool.checks.get("$defs", {}))
    return _fixed(schema)


def _fixed(schema: Schema) -> Json:
    """What a required parameter is given where its schema lists values or has a default."""
    if "default" in schema.node:
        return schema.node["default"]
    return draw(schema, Random(0)) if schema.enum() else None


def writing_tool(resource: Resource) -> tuple[Tool, BodyShape] | None:
    """The operation that changes a thing, and what its body takes; None where there is none."""
    for action in ("update", "replace"):
        tool = resource.operations.get(action)
        shape = body_shape(tool, resource) if tool is not None else None
        if tool is not None and shape is not None and not shape.beside:
            return tool, shape
    return None


def update_body(shape: BodyShape, record: JsonObject, values: Mapping[str, Json]) -> JsonObject:
    """
    The arguments of a body that sets `values`, with what it requires taken from the thing.

    Raises:
        Unreachable: The thing has not what the body requires.
    """
    if lacking := [each for each in shape.required if each not in record and each not in values]:
        raise Unreachable(f"the body needs {', '.join(lacking)}")
    return shape.arguments(
        {**{name: record[name] for name in shape.required if name in record}, **values}
    )
