"""
Faults that models make in arguments, put into right ones: always the same for the same arguments.

Each yields texts as a model would write them, one fault in each; none where the arguments have no
place for it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping

from restwright.jsontypes import Json, JsonObject
from restwright.tools.tool import Tool

Mutation = Callable[[Tool, JsonObject], Iterator[str]]
Alter = Callable[[Json], Json]


def _each_argument(alter: Alter) -> Mutation:
    """Alter one argument at a time; `alter` returns None where it does not apply."""

    def texts(_: Tool, arguments: JsonObject) -> Iterator[str]:
        for name, value in arguments.items():
            altered = alter(value)
            if altered is not None and altered != value:
                yield json.dumps({**arguments, name: altered})

    return texts


def _as_text(value: Json) -> Json:
    return json.dumps(value) if isinstance(value, bool | int | float) else None


def _as_json_text(value: Json) -> Json:
    return json.dumps(value) if isinstance(value, dict | list) else None


def _as_python_text(value: Json) -> Json:
    return repr(value) if isinstance(value, dict | list) and value else None


def _without_list(value: Json) -> Json:
    return value[0] if isinstance(value, list) and len(value) == 1 else None


def _as_nonsense(value: Json) -> Json:
    """A value of a type that is rarely right."""
    return 0 if isinstance(value, dict) else {"value": value}


def _in_other_case(tool: Tool, arguments: JsonObject) -> Iterator[str]:
    for name, value in arguments.items():
        schema = tool.properties.get(name)
        if isinstance(schema, dict) and "enum" in schema and isinstance(value, str):
            other = value.swapcase()
            if other != value:
                yield json.dumps({**arguments, name: other})


def _without_wrapper(_: Tool, arguments: JsonObject) -> Iterator[str]:
    values = list(arguments.values())
    if len(values) == 1 and isinstance(values[0], dict):
        yield json.dumps(values[0])


def _in_wrapper(tool: Tool, arguments: JsonObject) -> Iterator[str]:
    if "parameters" not in tool.properties:
        yield json.dumps({"parameters": arguments})


def _lacking(tool: Tool, arguments: JsonObject) -> Iterator[str]:
    for name in tool.required:
        if name in arguments:
            yield json.dumps({key: value for key, value in arguments.items() if key != name})


def _renamed(_: Tool, arguments: JsonObject) -> Iterator[str]:
    for name in arguments:
        yield json.dumps(
            {f"my_{key}" if key == name else key: value for key, value in arguments.items()}
        )


def _written(way: Callable[[JsonObject], str]) -> Mutation:
    """Another way to write the whole."""

    def texts(_: Tool, arguments: JsonObject) -> Iterator[str]:
        yield way(arguments)

    return texts


MUTATIONS: Mapping[str, Mutation] = {
    "number or literal as text": _each_argument(_as_text),
    "object or list as JSON text": _each_argument(_as_json_text),
    "object or list as Python text": _each_argument(_as_python_text),
    "one item without its list": _each_argument(_without_list),
    "allowed value in another case": _in_other_case,
    "whole without its wrapper": _without_wrapper,
    "whole in one more wrapper": _in_wrapper,
    "words around the JSON": _written(lambda value: f"Here it is: {json.dumps(value)} Done."),
    "in a Markdown fence": _written(lambda value: f"```json\n{json.dumps(value, indent=1)}\n```"),
    "as Python writes it": _written(repr),
    "without its last bracket": _written(lambda value: json.dumps(value)[:-1]),
    "required argument left out": _lacking,
    "argument under another name": _renamed,
    "value of another type": _each_argument(_as_nonsense),
}
