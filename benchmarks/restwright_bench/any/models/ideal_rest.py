"""A model that knows the ideal program of its task, for the roles of `rest`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

import orjson

from restwright.agents.steps import Complete, Completion
from restwright.jsontypes import Json, JsonObject
from restwright_bench.any.program import ideal_answer
from restwright_bench.any.tasks.task import Case, Language, ProgramStep, Things

_LANGUAGES: Mapping[Language, str] = {
    "en": "English",
    "fr": "French",
    "de": "German",
    "ja": "Japanese",
}
_PLACEHOLDER = re.compile(r"\{([^{}]+)\}")
_NOTHING = "def parse(data):\n    return None if data else None"
_CONSTANT = "def parse(data):\n    return {value!r} if data else None"
_WALK = """def walk(value):
    found = [value]
    if isinstance(value, dict):
        for item in value.values():
            found = found + walk(item)
    if isinstance(value, list):
        for item in value:
            found = found + walk(item)
    return found

def parse(data):
    found = walk(data)
"""
_THINGS = """    ids = {ids!r}
    things = []
    for item in found:
        if isinstance(item, dict):
            texts = [str(part) for part in item.values() if isinstance(part, (str, int))]
            if any(text in ids for text in texts):
                things.append(item)
    return things
"""
_VALUES = """    held = []
    for item in found:
        if item in {values!r} and item not in held:
            held.append(item)
    return {returned}
"""


@dataclass(slots=True)
class IdealRestModel:
    """
    Plans the reads and writes of a program, chooses its operations, fills in what was said, and
    writes code that gives what the task expects; ids are left to the loop.

    Args:
        language: Of the question.
        reads: Names of the tools that only read.
    """

    case: Case
    language: Language
    reads: frozenset[str]
    name: str = "ideal"
    calls_tools: bool = False
    is_small: bool = False

    def complete(self, request: Complete, *, deadline_s: float) -> Completion:
        """Reply as ideal."""
        del deadline_s
        last = request.messages[-1].text
        if request.role in {"parser", "computer"}:
            return Completion(text=self._code(request.role, last))
        return Completion(text=orjson.dumps(self.reply(request)).decode())

    def reply(self, request: Complete) -> JsonObject:
        """The reply to a request for JSON."""
        last = request.messages[-1].text
        properties: JsonObject = (request.schema or {}).get("properties", {})
        match request.role:
            case "planner":
                return {"language": _LANGUAGES[self.language], "steps": self._plan()}
            case "translator":
                return {"language": _LANGUAGES[self.language], "english": None}
            case "names":
                return {"names": []}
            case "intent" | "condition":
                # What is asked of a plan with a change; an ideal one has none that nobody wants.
                return {"wants": "a change"}
            case "selector":
                return self._selection(properties)
            case "caller":
                return {name: self._argument(name, last) for name in properties}
            case "lookup":
                thing = self._thing_of(last)
                return {"kind": "it", "which": thing or "it", "name": thing or None}
            case _:
                return {"answer": ideal_answer(self.case)}

    def _plan(self) -> list[Json]:
        kind = self.case.kind
        if kind == "compare":
            found = [_step(number, "find", f"thing {number}") for number in (1, 2)]
            return [*found, _step(3, "answer", "the more of #1 and #2")]
        if kind.startswith("condition"):
            condition: JsonObject = {"condition": {"step": 1, "holds": True}}
            return [_step(1, "find", "whether"), {**_step(2, "change", "the change"), **condition}]
        if kind.startswith("change all"):
            spared = self._things().name
            several: JsonObject = {"quantity": "all"} | ({"except": [spared]} if spared else {})
            find, change = _step(1, "find", "all"), _step(2, "change", "change #1")
            return [{**find, **several}, {**change, **several}]
        if self._steps(reads=False):
            return [_step(1, "change", "the change")]
        quantity = "number" if kind == "count" else "some" if self._is_several else "one"
        return [{**_step(1, "find", "what is asked"), "quantity": quantity}]

    @property
    def _is_several(self) -> bool:
        kind = self.case.kind
        is_list = kind in {"filter by two", "derived value"} or kind.startswith("range")
        return is_list or len(self.case.expected.values) > 1

    def _selection(self, properties: JsonObject) -> JsonObject:
        """The operation of the program that the task is about, where it is offered."""
        offered, seconds = (properties[name]["enum"] for name in ("operation", "second"))
        # Where a change is chosen nothing but changes is offered, and reads elsewhere.
        program = [*self._steps(reads=False)[:1], *self._steps(reads=True)[-1:]]
        names = [name for step in program for name in (step.tool, _short_name(step.tool))]
        return {
            "about": "it",
            "operation": next((name for name in names if name in offered), "none"),
            "second": "none" if "none" in seconds else seconds[-1],
        }

    def _steps(self, *, reads: bool) -> list[ProgramStep]:
        return [step for step in self.case.program if (step.tool in self.reads) is reads]

    def _argument(self, name: str, last: str) -> Json:
        """What was said for an input; for one in the path the name of the thing."""
        operation = last.rpartition("Operation: ")[2].partition("\n")[0]
        named = self._named_inputs(operation.rpartition(" ")[2], last)
        if name in named:
            return named[name]
        steps = [
            step
            for step in self.case.program
            if operation.startswith(f"{_short_name(step.tool)} ") and name in step.arguments
        ]
        return steps[0].arguments[name] if steps else None

    def _named_inputs(self, path: str, last: str) -> Mapping[str, str]:
        """`{input in the path: what the question calls its thing}`."""
        things = self._things(rival=last.rpartition("Task: ")[2].startswith("thing 2"))
        above = things.scope[1] if things.scope else ""
        is_of_thing = path.rstrip("/").endswith("}") and bool(things.name)
        said = [things.name, above] if is_of_thing else [above]
        names = reversed(_PLACEHOLDER.findall(path))
        return {name: text for name, text in zip(names, said, strict=False) if text}

    def _things(self, *, rival: bool = False) -> Things:
        slots = self.case.slots
        found = (slots.get("rival") if rival else None) or slots.get("item") or slots.get("things")
        return found if isinstance(found, Things) else Things(noun="")

    def _thing_of(self, last: str) -> str:
        name, _, operation = last.rpartition("Input: ")[2].partition(" of ")
        return self._named_inputs(operation.rpartition(" ")[2].strip(), last).get(name, "")

    def _code(self, role: str, last: str) -> str:
        kind, values = self.case.kind, list(self.case.expected.values)
        is_lookup = bool(re.match(r"the \S+ of ", last.rpartition("Asked: ")[2]))
        if kind.startswith("condition"):
            return _CONSTANT.format(value=kind == "condition that holds")
        if kind.startswith("change all"):
            ids = sorted({change.id for change in self.case.asked})
            return _WALK + _THINGS.format(ids=ids)
        if kind == "compare" and not is_lookup:
            is_over = role == "computer"
            return (
                _CONSTANT.format(value=values[-1])
                if is_over
                else "def parse(data):\n    return data"
            )
        if is_lookup or self.case.is_impossible or not values:
            return _NOTHING
        if kind == "count":
            return _CONSTANT.format(value=values[0])
        returned = "held" if self._is_several else "held[0] if held else None"
        return _WALK + _VALUES.format(values=values, returned=returned)


def _step(number: int, kind: str, what: str) -> JsonObject:
    references = [int(reference) for reference in re.findall(r"#(\d+)", what)]
    return {"id": number, "kind": kind, "what": what, "of": references, "quantity": "one"}


def _short_name(tool: str) -> str:
    return tool.partition("__")[2] or tool
