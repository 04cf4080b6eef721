"""The questions of the Berkeley function-calling leaderboard, their functions as tools."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from restwright.jsontypes import Json, JsonObject
from restwright.openapi.api import load
from restwright.testing import document
from restwright.tools.catalog.catalog import catalog
from restwright.tools.tool import Tool

ANSWERED = ("simple_python", "multiple", "parallel", "parallel_multiple")
CATEGORIES = (*ANSWERED, "irrelevance")
MAY_BE_ABSENT = ""
# The data name the types of Python; the rest are those of JSON Schema.
TYPES = {"dict": "object", "float": "number", "tuple": "array"}
KEPT = ("description", "enum", "required", "maximum", "format")


@dataclass(frozen=True, slots=True, kw_only=True)
class RightCall:
    """A call as the data want it: for each argument the values that are right."""

    name: str
    tool: Tool
    options: JsonObject

    @property
    def arguments(self) -> JsonObject:
        """The arguments with the first right value of each."""
        return _first_of(self.options)

    def accepts(self, arguments: JsonObject) -> bool:
        """Whether the arguments are among the right ones."""
        return _accepts(self.options, arguments)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """
    One question.

    Args:
        tools: By the names that the data have for the functions.
        calls: All of them are right together; none is where this is empty.
    """

    id: str
    category: str
    text: str
    tools: Mapping[str, Tool]
    calls: tuple[RightCall, ...]


def questions(folder: Path, category: str) -> tuple[Question, ...]:
    """Read the questions of one category."""
    asked = list(_lines(folder / f"BFCL_v4_{category}.json"))
    right: dict[str, list[JsonObject]] = {}
    if category in ANSWERED:
        answers = _lines(folder / f"possible_answer_BFCL_v4_{category}.json")
        right = {each["id"]: each["ground_truth"] for each in answers}
    tools = iter(_tools([each for question in asked for each in question["function"]]))
    return tuple(_question(each, category, right.get(each["id"], []), tools) for each in asked)


def _lines(file: Path) -> Iterator[JsonObject]:
    for line in file.read_text(encoding="utf-8").splitlines():
        yield json.loads(line)


def _question(
    asked: JsonObject, category: str, right: list[JsonObject], tools: Iterator[Tool]
) -> Question:
    named = {each["name"]: next(tools) for each in asked["function"]}
    calls = [
        RightCall(name=name, tool=named[name], options=_renamed(named[name], options))
        for call in right
        for name, options in call.items()
    ]
    text = "\n".join(message["content"] for turn in asked["question"] for message in turn)
    return Question(
        id=asked["id"],
        category=category,
        text=text,
        tools=named,
        calls=tuple(calls),
    )


def _tools(functions: list[JsonObject]) -> list[Tool]:
    """One tool a function, in their order."""
    paths = {f"/{place}": _operation(each) for place, each in enumerate(functions)}
    by_path = {tool.operation.path: tool for tool in catalog(load(document(paths))).tools}
    return [by_path[path] for path in paths]


def _operation(function: JsonObject) -> JsonObject:
    content = {"application/json": {"schema": json_schema(function["parameters"])}}
    return {
        "post": {
            "description": function["description"],
            "requestBody": {"required": True, "content": content},
            "responses": {"200": {"description": "Done."}},
        }
    }


def json_schema(written: JsonObject) -> JsonObject:
    """JSON Schema for a schema that names the types of Python."""
    named = written.get("type", "any")
    schema: JsonObject = {} if named == "any" else {"type": TYPES.get(named, named)}
    schema |= {keyword: written[keyword] for keyword in KEPT if keyword in written}
    if "properties" in written:
        properties = written["properties"].items()
        schema["properties"] = {name: json_schema(each) for name, each in properties}
    if "items" in written:
        schema["items"] = json_schema(written["items"])
    return schema


def _renamed(tool: Tool, options: JsonObject) -> JsonObject:
    """The options under the names that the tool has for its arguments."""
    names = {each.target: each.name for each in tool.inputs}
    return {names.get(name, name): each for name, each in options.items()}


def _first_of(options: JsonObject) -> JsonObject:
    chosen = {
        name: next((each for each in values if each != MAY_BE_ABSENT), ...)
        for name, values in options.items()
    }
    return {name: _plain(each) for name, each in chosen.items() if each is not ...}


def _plain(option: Json) -> Json:
    """One value of an option; objects within list the right values of each property again."""
    if isinstance(option, dict):
        return _first_of(option)
    return [_plain(each) for each in option] if isinstance(option, list) else option


def _accepts(options: JsonObject, arguments: Json) -> bool:
    if not isinstance(arguments, dict) or arguments.keys() - options.keys():
        return False
    return all(
        any(_equals(value, arguments[name]) for value in values)
        if name in arguments
        else MAY_BE_ABSENT in values
        for name, values in options.items()
    )


def _equals(option: Json, given: Json) -> bool:
    if isinstance(option, dict):
        return _accepts(option, given)
    if isinstance(option, list):
        is_list = isinstance(given, list) and len(given) == len(option)
        return is_list and all(map(_equals, option, given))
    if isinstance(option, str) and isinstance(given, str):
        return " ".join(option.casefold().split()) == " ".join(given.casefold().split())
    return option == given and isinstance(option, bool) == isinstance(given, bool)
