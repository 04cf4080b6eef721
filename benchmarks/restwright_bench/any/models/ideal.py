"""A model that knows the ideal program of its task, for agents that let a model call tools."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

import orjson

from restwright.agents.steps import Complete, Completion
from restwright.jsontypes import Json, JsonObject, is_object
from restwright.tools.toolset.meta_tools import ToolCall
from restwright_bench.any.program import ideal_answer
from restwright_bench.any.tasks.task import Case, ProgramStep

_CALL_TOOL = "call_tool"
_TOGETHER = 8
"""As many calls of one reply agents make."""


@dataclass(slots=True)
class IdealModel:
    """
    Makes the calls of a program one after the other, then says what was asked.

    It takes tools natively. Of replies under a schema it fills in what has a name that says what
    it is for: `tools` and `calls` with those of its program, `answer` with the ideal one.

    Args:
        reads: Names of the tools that only read; writes that follow each other go together.
    """

    case: Case
    name: str = "ideal"
    calls_tools: bool = True
    is_small: bool = False
    reads: frozenset[str] = frozenset()
    _made: int = 0

    def complete(self, request: Complete, *, deadline_s: float) -> Completion:
        """Reply as ideal."""
        del deadline_s
        if request.tools:
            return self._turn(request)
        if request.schema is None:
            return Completion(text=ideal_answer(self.case))
        return Completion(text=orjson.dumps(self._filled(request.schema)).decode())

    def _turn(self, request: Complete) -> Completion:
        offered = {str(each["name"]) for each in request.tools}
        if self._made < len(self.case.program):
            steps = self._next()
            calls = (_call(each, offered, self._made + n) for n, each in enumerate(steps))
            made = Completion(text="", calls=tuple(calls))
            self._made += len(steps)
            return made
        return Completion(text=ideal_answer(self.case))

    def _next(self) -> Sequence[ProgramStep]:
        """One read, or the writes that follow each other."""
        left = self.case.program[self._made :]
        writes = list(takewhile(lambda step: step.tool not in self.reads, left[:_TOGETHER]))
        return writes or left[:1]

    def _filled(self, schema: JsonObject) -> JsonObject:
        filled: JsonObject = {}
        for name, part in schema.get("properties", {}).items():
            items = part.get("items") if is_object(part) else None
            if name == "answer":
                filled[name] = self._answer() or ("-" if part.get("minLength") else "")
            elif is_object(items):
                filled[name] = self._chosen(items)
            else:
                filled[name] = _empty(part)
        return filled

    def _answer(self) -> str:
        """None before the program is over, where there is one: tools are wanted then."""
        is_over = self._made >= len(self.case.program)
        return ideal_answer(self.case) if is_over else ""

    def _chosen(self, items: JsonObject) -> list[Json]:
        """The tools of the program among those that may be named."""
        named = items.get("properties", {}).get("name", items)
        known: Sequence[Json] = named.get("enum", ())
        wanted = dict.fromkeys(step.tool for step in self.case.program)
        is_object_of_name = "name" in items.get("properties", {})
        return [
            {"reason": "It is needed.", "name": each} if is_object_of_name else each
            for each in wanted
            if each in known
        ]


def _call(step: ProgramStep, offered: set[str], number: int) -> ToolCall:
    if step.tool in offered or _CALL_TOOL not in offered:
        return ToolCall(step.tool, step.arguments, f"call-{number}")
    arguments = {"name": step.tool, "arguments": step.arguments}
    return ToolCall(_CALL_TOOL, arguments, f"call-{number}")


def _empty(part: Json) -> Json:
    kind = part.get("type") if is_object(part) else None
    empty: JsonObject = {"string": "", "array": [], "boolean": False, "object": {}}
    return empty.get(str(kind))
