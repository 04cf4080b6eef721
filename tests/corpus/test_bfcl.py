"""Functions of the Berkeley leaderboard as operations: the right arguments, and altered ones."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import zip_longest
from pathlib import Path

import pytest

from restwright.calls.arguments.check import check, parse_model_arguments
from restwright.calls.arguments.repair import repair_arguments
from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.openapi.api import load
from restwright.testing import document
from restwright.tools.catalog.catalog import catalog
from restwright.tools.tool import Tool

BFCL = Path(__file__).parents[2].parent / "shared" / "data" / "bench" / "bfcl"
SPLITS = ("simple_python", "multiple", "parallel", "parallel_multiple")
TYPES = {"dict": "object", "float": "number", "tuple": "array"}
OMITTED = ""
"""Among the right values of an argument: it may be left out."""

# What the data call right and their own schemas reject: another type, a value that is not among
# those allowed, a name that the function does not have, a date as JSON has none.
REJECTED = {
    "simple_python_149": 1,
    "simple_python_307": 3,
    "simple_python_358": 2,
    "multiple_76": 1,
    "parallel_152": 2,
    "parallel_multiple_12": 1,
    "parallel_multiple_21": 1,
    "parallel_multiple_26": 1,
    "parallel_multiple_63": 6,
    "parallel_multiple_94": 2,
    "parallel_multiple_143": 1,
    "parallel_multiple_173": 3,
    "parallel_multiple_194": 1,
}

pytestmark = [
    pytest.mark.corpus,
    pytest.mark.skipif(not BFCL.is_dir(), reason=f"the shared data set {BFCL} is not there"),
]


@dataclass(frozen=True, slots=True)
class Right:
    """A call as the data say it is right."""

    where: str
    tool: Tool
    arguments: JsonObject


def lines(name: str) -> Iterator[JsonObject]:
    for line in (BFCL / f"{name}.json").read_text(encoding="utf-8").splitlines():
        yield json.loads(line)


def schema_of(node: JsonObject) -> JsonObject:
    """JSON Schema in the place of the types that the data have of Python."""
    kind = TYPES.get(node.get("type", "any"), node.get("type", "any"))
    found: JsonObject = {} if kind == "any" else {"type": kind}
    for key in ("enum", "required", "maximum", "format"):
        if key in node:
            found[key] = node[key]
    if "properties" in node:
        found["properties"] = {name: schema_of(each) for name, each in node["properties"].items()}
    if "items" in node:
        found["items"] = schema_of(node["items"])
    return found


def values(options: Json) -> list[Json]:
    """The right values of one argument, with those of its parts chosen."""
    return [each for option in options if option != OMITTED for each in chosen(option)]


def chosen(option: Json) -> Iterator[Json]:
    if is_object(option):
        yield from objects(option)
    elif is_array(option) and option and all(is_object(each) for each in option):
        # Of each element, one way after another; the last one again where others have more.
        ways = [list(objects(each)) for each in option]
        for place in range(max(map(len, ways))):
            yield [each[min(place, len(each) - 1)] for each in ways]
    else:
        yield option


def objects(options: JsonObject) -> Iterator[JsonObject]:
    """Objects that together have each right value of each property."""
    by_name = {name: values(each) for name, each in options.items()}
    columns = zip_longest(*by_name.values(), fillvalue=...)
    found = False
    for row in columns:
        found = True
        pairs = zip(by_name.items(), row, strict=True)
        yield {
            name: possible[0] if value is ... else value
            for (name, possible), value in pairs
            if possible
        }
    if not found:
        yield {}


@cache
def right_calls() -> tuple[Right, ...]:
    functions: dict[str, JsonObject] = {}
    calls: list[tuple[str, str, JsonObject]] = []
    for split in SPLITS:
        for asked, told in zip(
            lines(f"BFCL_v4_{split}"), lines(f"possible_answer_BFCL_v4_{split}"), strict=True
        ):
            assert asked["id"] == told["id"]
            functions |= {f"{asked['id']}/{each['name']}": each for each in asked["function"]}
            for call in told["ground_truth"]:
                [(name, options)] = call.items()
                key = f"{asked['id']}/{name}"
                calls += [(asked["id"], key, each) for each in objects(options)]
    paths = {f"/{number}": operation(each) for number, each in enumerate(functions.values())}
    by_path = {tool.operation.path: tool for tool in catalog(load(document(paths))).tools}
    tools = {key: by_path[f"/{number}"] for number, key in enumerate(functions)}
    return tuple(Right(where, tools[key], named(tools[key], each)) for where, key, each in calls)


def operation(function: JsonObject) -> JsonObject:
    schema = schema_of(function["parameters"])
    body = {"required": True, "content": {"application/json": {"schema": schema}}}
    return {"post": {"requestBody": body, "responses": {"200": {"description": ""}}}}


def named(tool: Tool, arguments: JsonObject) -> JsonObject:
    """The arguments under the names that the tool gives them."""
    names = {each.target: each.name for each in tool.inputs}
    return {names.get(name, name): each for name, each in arguments.items()}


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")


def test_right_arguments_are_accepted_and_none_is_altered() -> None:
    rejected = Counter(each.where for each in right_calls() if check(each.tool, each.arguments))
    total = len(right_calls())
    say(f"{total} right calls, {rejected.total()} rejected")
    assert rejected == REJECTED
    assert total == 2848
    for each in right_calls():
        found = repair_arguments(each.tool, each.arguments)
        assert each.where in REJECTED or found.arguments is each.arguments


def as_text(value: Json) -> Json:
    """A number or a literal in quotes."""
    return json.dumps(value) if isinstance(value, (bool, int, float)) else None


def as_json(value: Json) -> Json:
    return json.dumps(value) if (is_object(value) or is_array(value)) else None


def in_quotes_of_python(value: Json) -> Json:
    return repr(value) if (is_object(value) or is_array(value)) and value else None


def as_scalar(value: Json) -> Json:
    """The one item of a list, without it."""
    return value[0] if is_array(value) and len(value) == 1 else None


def as_number(value: Json) -> Json:
    """A text of digits as the number."""
    return int(value) if isinstance(value, str) and value.isdecimal() and value[0] != "0" else None


def in_upper_case(value: Json) -> Json:
    return value.upper() if isinstance(value, str) and value.upper() != value else None


def is_enum(tool: Tool, name: str) -> bool:
    return "enum" in tool.properties[name]


ALTERED: dict[str, Callable[[Json], Json]] = {
    "a number or literal as text": as_text,
    "an array or object as JSON text": as_json,
    "an array or object as Python text": in_quotes_of_python,
    "one item without its array": as_scalar,
    "a text of digits as a number": as_number,
    "an allowed value in upper case": in_upper_case,
}


def altered(right: Right, kind: str) -> Iterator[JsonObject]:
    """The arguments, each time with one of them altered."""
    for name, value in right.arguments.items():
        if (kind == "an allowed value in upper case") != is_enum(right.tool, name):
            continue
        now = ALTERED[kind](value)
        if now is not None and now != value:
            yield {**right.arguments, name: now}


@pytest.mark.parametrize("kind", ALTERED)
def test_altered_arguments_are_repaired_to_what_they_were(kind: str) -> None:
    outcomes = Counter[str]()
    for right in right_calls():
        if right.where in REJECTED:
            continue
        for wrong in altered(right, kind):
            if not check(right.tool, wrong):
                outcomes["accepted as it is"] += 1
                continue
            found = repair_arguments(right.tool, wrong)
            is_same = found.arguments == right.arguments
            outcomes["repaired" if is_same else "left"] += 1
            if not is_same:
                say(f"{right.where}: {wrong} -> {found.arguments}")
    say(f"{kind}: {dict(outcomes)}")
    assert outcomes["repaired"] > 0
    assert outcomes["left"] == 0


WRITTEN: dict[str, Callable[[Json], str]] = {
    "in a fence": lambda value: f"```json\n{json.dumps(value, indent=2)}\n```",
    "after words": lambda value: f"Here are the arguments: {json.dumps(value)}",
    "as Python": repr,
    "as a text": lambda value: json.dumps(json.dumps(value)),
    "cut off": lambda value: json.dumps(value)[:-1],
    "with a last comma": lambda value: json.dumps(value)[:-1] + ",}" if value else "{}",
}


@pytest.mark.parametrize("way", WRITTEN)
def test_arguments_are_read_as_models_write_them(way: str) -> None:
    calls = [each.arguments for each in right_calls()]
    assert [parse_model_arguments(WRITTEN[way](each)).value for each in calls] == calls
