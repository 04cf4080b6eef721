"""A model that knows the ideal program of its task, for the roles of `rest`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import orjson

from restwright.agents.steps import Complete, Completion
from restwright.jsontypes import Json, JsonObject
from restwright.tools.catalog.catalog import Catalog
from restwright_bench.any.program import ideal_answer
from restwright_bench.any.tasks.task import Case, ProgramStep, Things

_LANGUAGES = {"en": "English", "fr": "French", "de": "German", "ja": "Japanese"}
_PLACEHOLDER = re.compile(r"\{([^{}]+)\}")
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


@dataclass(slots=True)
class IdealRestModel:
    """
    Plans the reads and writes of a program, chooses its operations, fills in what was said, and
    writes code that gives what the task expects; ids are left to the loop.

    Args:
        language: Of the question, as tasks write it.
        reads: Names of the tools that only read.
    """

    case: Case
    catalog: Catalog = field(repr=False)
    language: str
    reads: frozenset[str]
    name: str = "ideal"
    calls_tools: bool = False
    is_small: bool = False
    _chosen: str = ""
    _writes: int = 0

    def complete(self, request: Complete, *, deadline_s: float) -> Completion:
        """Reply as ideal."""
        del deadline_s
        last = request.messages[-1].text
        if request.role in {"parser", "computer"}:
            return Completion(text=self._code(request.role, last))
        return Completion(text=orjson.dumps(self._reply(request, last)).decode())

    def _reply(self, request: Complete, last: str) -> JsonObject:
        properties: JsonObject = (request.schema or {}).get("properties", {})
        match request.role:
            case "planner":
                return {"language": _LANGUAGES[self.language], "steps": self._plan()}
            case "selector":
                return self._select(properties["operation"]["enum"], last)
            case "caller":
                return {name: self._argument(name, last) for name in properties}
            case "lookup":
                return {"which": self._name_of(last) or "it"}
            case _:
                return {"answer": ideal_answer(self.case)}

    def _plan(self) -> list[Json]:
        writes = [step for step in self.case.program if step.tool not in self.reads]
        kind = self.case.kind
        if kind == "compare":
            reads = self._gets()
            found = [_step(n, "find", f"thing {n}") for n, _ in enumerate(reads, 1)]
            of = [*range(1, len(found) + 1)]
            return [*found, {**_step(len(found) + 1, "answer", "the more"), "of": of}]
        if kind.startswith("condition"):
            change: JsonObject = {**_step(2, "change", "the change"), "of": []}
            return [
                _step(1, "find", "whether"),
                {**change, "condition": {"step": 1, "holds": True}},
            ]
        if kind.startswith("change all"):
            spared = self._things().name
            left_out: JsonObject = {"except": [spared]} if spared else {}
            found = {**_step(1, "find", "all"), "quantity": "all", **left_out}
            return [found, {**_step(2, "change", "change #1"), "quantity": "all", **left_out}]
        if writes:
            return [_step(1, "change", "the change")]
        several = len(self.case.expected.values) != 1
        quantity = "number" if kind == "count" else "some" if several else "one"
        return [{**_step(1, "find", "what is asked"), "quantity": quantity}]

    def _select(self, offered: Sequence[str], last: str) -> JsonObject:
        """The operation of the program that the task is about, where it is offered."""
        wanted = self._wanted_tool(last)
        short = wanted.partition("__")[2]
        self._chosen = wanted
        chosen = next((name for name in offered if name in {wanted, short}), "none")
        return {"operation": chosen, "second": "none"}

    def _wanted_tool(self, last: str) -> str:
        task = last.rpartition("Task: ")[2]
        writes = [step.tool for step in self.case.program if step.tool not in self.reads]
        reads = [step.tool for step in self.case.program if step.tool in self.reads]
        if task.startswith(("the change", "change")):
            return writes[0] if writes else ""
        if self.case.kind == "compare":
            gets = self._gets()
            return gets[(int(task.split()[-1]) - 1) % len(gets)].tool if gets else ""
        return reads[-1] if reads else ""

    def _gets(self) -> Sequence[ProgramStep]:
        """The reads of the two things that are compared; where none reads one, their list twice."""
        reads = [step for step in self.case.program if step.tool in self.reads]
        return reads[-2:] if len(reads) > 1 and reads[-1].tool == reads[-2].tool else reads[-1:] * 2

    def _argument(self, name: str, last: str) -> Json:
        """What was said for an input; for one in the path the name of the thing."""
        operation = last.rpartition("Operation: ")[2].partition("\n")[0]
        path = operation.rpartition(" ")[2]
        named = self._named_inputs(path, last)
        if name in named:
            return named[name]
        steps = [
            step for step in self.case.program if operation.startswith(_short(step.tool) + " ")
        ]
        return next((step.arguments[name] for step in steps if name in step.arguments), None)

    def _named_inputs(self, path: str, last: str) -> Mapping[str, str]:
        names = _PLACEHOLDER.findall(path)
        things = self._things(self._is_rival(last))
        known = [things.scope[1] if things.scope else "", things.name]
        ends_in_item = path.rstrip("/").endswith("}") and bool(things.name)
        said = known if ends_in_item else known[:1]
        return {
            name: text for name, text in zip(reversed(names), reversed(said), strict=False) if text
        }

    def _is_rival(self, last: str) -> bool:
        return last.rpartition("Task: ")[2].startswith("thing 2")

    def _things(self, is_rival: bool = False) -> Things:
        slots = self.case.slots
        found = slots.get("rival") if is_rival else slots.get("item")
        found = found or slots.get("things")
        return found if isinstance(found, Things) else Things(noun="")

    def _name_of(self, last: str) -> str:
        name, _, path = last.rpartition("Input: ")[2].partition(" of ")
        named = self._named_inputs(path.rpartition(" ")[2].strip(), last)
        return named.get(name, "")

    def _code(self, role: str, last: str) -> str:
        values = [value for value in self.case.expected.values if value is not None]
        if (
            last.rpartition("Asked: ")[2].startswith("the ")
            and " of " in last.rpartition("Asked: ")[2]
        ):
            return "def parse(data):\n    return None if data else None"
        if role == "computer":
            return f"def parse(data):\n    return {values[-1]!r} if data else None"
        if self.case.kind.startswith("condition"):
            holds = self.case.kind == "condition that holds"
            return f"def parse(data):\n    return {holds!r} if data else None"
        if self.case.kind.startswith("change all"):
            ids = sorted({change.id for change in self.case.asked})
            return (
                f"{_WALK}    ids = {ids!r}\n    return [item for item in found if isinstance(item, dict)"
                " and any(isinstance(part, (str, int)) and str(part) in ids for part in item.values())]"
            )
        if self.case.kind == "count":
            return f"def parse(data):\n    return {values[0]!r} if data else None"
        if self.case.is_impossible or not values:
            return "def parse(data):\n    return None if data else None"
        picked = (
            f"{_WALK}    wanted = {values!r}\n    held = [item for item in found if item in wanted]"
        )
        if self.case.kind == "compare":
            return "def parse(data):\n    return data"
        several = len(values) > 1 or self.case.kind in {"filter by two", "derived value"}
        several = several or self.case.kind.startswith("range")
        return f"{picked}\n    return {'list(dict.fromkeys(held))' if several else 'held[0] if held else None'}"


def _step(number: int, kind: str, what: str) -> JsonObject:
    references = [int(one) for one in re.findall(r"#(\d+)", what)]
    return {"id": number, "kind": kind, "what": what, "of": references, "quantity": "one"}


def _short(tool: str) -> str:
    return tool.partition("__")[2] or tool
