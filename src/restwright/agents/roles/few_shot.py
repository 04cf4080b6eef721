"""
In-context examples of an API: what a role was asked, and what it replied well.

They come from the user, by role:

    planner:                       # every API of the catalog
      - question: How many prizes has the longest film of Ana Ruiz?
        asked:
          - find: the longest film of Ana Ruiz
          - find: the number of prizes of the longest film of Ana Ruiz
    selector:                      # where the operation is among those that are offered
      - task: the longest film of Ana Ruiz
        asked: films               # the piece of data, and the kind of thing that it is of
        of: person
        operation: list_films
    caller:                        # where this operation is called
      - operation: list_films
        task: the longest film of Ana Ruiz
        arguments: {director: Ana Ruiz}
    parser:                        # where code takes something out of its response
      - operation: list_films
        task: the longest film of Ana Ruiz
        code: |
          def parse(data):
              return max(data["films"], key=lambda film: film["minutes"])

Each is shown in the form of its prompt, as an exchange before what is asked now. Without examples
the prompts are as they are.

Source: RestGPT, appendix A, where each role has examples of the API that it works with.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Literal

from restwright.agents.memory.tool_inputs import properties_of, required_of
from restwright.agents.roles.caller import CONDITIONS
from restwright.agents.roles.templates import render
from restwright.agents.steps import Message
from restwright.calls.arguments.check import check_value
from restwright.jsontypes import Json, JsonObject
from restwright.tools.catalog.catalog import Catalog
from restwright.tools.tool import Tool

Role = Literal["planner", "selector", "caller", "parser"]

ROOM = 2_000
"""Characters of the examples in one prompt; one for which there is no room is left out."""

MOST_ASKED = 60
"""Characters in which a selector says what is asked."""

MOST = 50
"""As many examples a role of an API may have."""

_WORD: JsonObject = {"type": "string", "minLength": 1, "maxLength": 200}
_TEXT: JsonObject = {"type": "string", "minLength": 1, "maxLength": 1_000}
_CODE: JsonObject = {"type": "string", "minLength": 1, "maxLength": 2_000}
_ARGUMENTS: JsonObject = {"type": "object", "maxProperties": 40}
_CONDITIONS: JsonObject = {"type": "array", "maxItems": 6, "items": _WORD}


def _object(needed: JsonObject, **more: Json) -> JsonObject:
    return {
        "type": "object",
        "properties": {**needed, **more},
        "required": [*needed],
        "additionalProperties": False,
    }


_GOAL: JsonObject = {"oneOf": [_object({each: _WORD}, thing=_WORD) for each in ("find", "do")]}
_NAMED: JsonObject = {
    "type": "array",
    "maxItems": 4,
    "items": _object({"name": _WORD, "thing": _WORD}),
}
_GOALS: JsonObject = {"type": "array", "maxItems": 8, "items": _GOAL}
_CALLED: JsonObject = {"operation": _WORD, "task": _TEXT}
_ROLES: Mapping[Role, JsonObject] = {
    "planner": _object({"question": _TEXT, "asked": _GOALS}, named=_NAMED, language=_WORD),
    "selector": _object(_CALLED, asked=_WORD, of=_WORD),
    "caller": _object({**_CALLED, "arguments": _ARGUMENTS}, question=_TEXT, conditions=_CONDITIONS),
    "parser": _object({**_CALLED, "code": _CODE}, arguments=_ARGUMENTS),
}
SCHEMA: JsonObject = {
    "type": "object",
    "properties": {
        role: {"type": "array", "maxItems": MOST, "items": each} for role, each in _ROLES.items()
    },
    "additionalProperties": False,
}
"""Of the examples of one API."""


@dataclass(frozen=True, slots=True)
class Shot:
    """One exchange: what differs in the prompt from what is asked now, and the reply."""

    values: Mapping[str, str]
    reply: str


@dataclass(frozen=True, slots=True)
class Examples:
    """
    Examples for the roles of agents.

    Args:
        of: `{alias of an API: its examples by role}`, in the form above.

    Raises:
        ValueError: They have another form; it says where.
    """

    of: Mapping[str, JsonObject] = field(default_factory=dict[str, JsonObject])

    def __post_init__(self) -> None:
        for alias, content in self.of.items():
            if wrong := check_value(SCHEMA, content):
                listed = "; ".join(map(str, wrong[:3]))
                raise ValueError(f"the examples of {alias} cannot be used: {listed}")

    def check(self, catalog: Catalog) -> None:
        """
        Find out whether they are examples of these tools.

        Raises:
            ValueError: One is of an API, an operation or an argument that there is not.
        """
        for alias, content in self.of.items():
            if alias not in catalog.apis:
                have = ", ".join(catalog.apis)
                raise ValueError(f"there are examples of {alias}, but only the APIs {have}")
            names = _names(catalog, alias)
            for role, place, example in _with_operation(content):
                where = f"the examples of {alias}: /{role}/{place}"
                tool = _named(catalog, names, example["operation"], where)
                _check_arguments(tool, example.get("arguments", {}), where)

    def within(self, catalog: Catalog) -> Examples:
        """Those whose operation is in a part of the catalog that they were checked against."""
        kept: dict[str, JsonObject] = {}
        for alias, content in self.of.items():
            names = _names(catalog, alias)
            kept[alias] = {
                role: [each for each in examples if each.get("operation") in {None, *names}]
                for role, examples in content.items()
            }
        return Examples(kept)

    def planner(self, namespaces: Iterable[str]) -> tuple[Shot, ...]:
        """Examples of how a message is split up."""
        return tuple(
            Shot({"question": each["question"]}, _planned(each))
            for namespace in namespaces
            for each in self._with("planner", namespace)
        )

    def selector(self, offered: Mapping[str, Tool], *, sequences: bool) -> tuple[Shot, ...]:
        """
        Examples of a choice among `offered`.

        Args:
            offered: `{name that the model reads: tool}`.
            sequences: Whether the contract is that of several operations.
        """
        shots: list[Shot] = []
        for namespace in dict.fromkeys(tool.namespace for tool in offered.values()):
            for each in self._with("selector", namespace):
                name = next((name for name, tool in offered.items() if _is_of(each, tool)), None)
                if name is not None:
                    shots.append(Shot({"task": each["task"]}, _chosen(name, each, sequences)))
        return tuple(shots)

    def caller(self, tool: Tool, names: Sequence[str]) -> tuple[Shot, ...]:
        """Examples of arguments of `tool`, of which the inputs `names` are to be filled in."""
        needed = {*names} & {*required_of(tool)}
        return tuple(
            Shot(
                {
                    "task": each["task"],
                    "question": each.get("question", each["task"]),
                    "results": "",
                },
                _filled(each, names),
            )
            for each in self._of("caller", tool)
            if needed <= {*each["arguments"]}
        )

    def parser(self, tool: Tool) -> tuple[Shot, ...]:
        """Examples of code over a response of `tool`."""
        return tuple(
            Shot({"task": each["task"], "call": _call(each)}, each["code"].strip())
            for each in self._of("parser", tool)
        )

    def _with(self, role: Role, namespace: str) -> Sequence[JsonObject]:
        return self.of.get(namespace, {}).get(role, ())

    def _of(self, role: Role, tool: Tool) -> list[JsonObject]:
        return [each for each in self._with(role, tool.namespace) if _is_of(each, tool)]


NONE = Examples()


def exemplified(name: str, shots: Sequence[Shot], **values: str) -> tuple[Message, ...]:
    """The prompt `name`, with as many exchanges before its last message as there is room for."""
    prompt = render(name, **values)
    exchanges: list[Message] = []
    room = ROOM
    for shot in shots:
        asked = render(name, **{**values, **shot.values})[-1]
        length = len(asked.text) + len(shot.reply)
        if length <= room:
            exchanges += [asked, Message("assistant", shot.reply)]
            room -= length
    return (*prompt[:-1], *exchanges, prompt[-1])


def _is_of(example: JsonObject, tool: Tool) -> bool:
    return example["operation"] in (tool.operation_name, tool.name)


def _planned(example: JsonObject) -> str:
    things = example.get("named", ())
    named = [{"id": number, **each} for number, each in enumerate(things, 1)]
    asked = [
        {"id": number, **_goal(each)}
        for number, each in enumerate(example["asked"], len(named) + 1)
    ]
    language = example.get("language", "English")
    return _json({"language": language, "named": named, "asked": asked})


def _goal(example: JsonObject) -> JsonObject:
    kind = "find" if "find" in example else "do"
    what = example[kind]
    return {"type": kind, "thing": example.get("thing", _head(what)), "what": what}


def _head(what: str) -> str:
    """The word for the kind of thing: `book` in `the newest book of #1` and `the book North`."""
    before = re.split(r" (?:[#A-Z\d'\"]|(?:of|in|for|to|from|by|with|that|who|which)\b)", what)[0]
    return before.split()[-1]


def _chosen(name: str, example: JsonObject, sequences: bool) -> str:  # noqa: FBT001
    if not sequences:
        asked = example.get("asked", example["task"])[:MOST_ASKED]
        return _json({"asked": asked, "of": example.get("of", ""), "operation": name})
    return _json({"operations": [{"operation": name, "task": example["task"]}]})


def _filled(example: JsonObject, names: Sequence[str]) -> str:
    given = example["arguments"]
    conditions = [f"{name.replace('_', ' ')} {value}"[:80] for name, value in given.items()]
    values = {name: given.get(name) for name in names}
    return _json({CONDITIONS: example.get("conditions", conditions[:6]), **values})


def _call(example: JsonObject) -> str:
    given = ", ".join(f"{name}={value!r}" for name, value in example.get("arguments", {}).items())
    return f"{example['operation']}({given})"


def _json(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False)


def _names(catalog: Catalog, alias: str) -> Mapping[str, str]:
    """`{name by which an operation may go: name of its tool}`."""
    own = {name: each for name, each in catalog.entries.items() if each.namespace == alias}
    return {**{each.operation_name: name for name, each in own.items()}, **{n: n for n in own}}


def _with_operation(content: JsonObject) -> Iterable[tuple[str, int, JsonObject]]:
    for role, examples in content.items():
        for place, example in enumerate(examples):
            if "operation" in example:
                yield role, place, example


def _named(catalog: Catalog, names: Mapping[str, str], name: str, where: str) -> Tool:
    if name not in names:
        close = get_close_matches(name, names)
        hint = f"; did you mean {' or '.join(map(str, close))}?" if close else ""
        raise ValueError(f"{where} is of {name}, which is no operation{hint}")
    return catalog[names[name]]


def _check_arguments(tool: Tool, arguments: JsonObject, where: str) -> None:
    if unknown := sorted({*arguments} - {*properties_of(tool)}):
        have = ", ".join(properties_of(tool)) or "none"
        raise ValueError(f"{where} has {', '.join(unknown)}; its arguments are {have}")
    if wrong := check_value({**tool.model_checks, "required": []}, arguments):
        raise ValueError(f"{where} has arguments that do not fit: {wrong[0]}")
