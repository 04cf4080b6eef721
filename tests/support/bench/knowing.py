"""
A model that knows what it wants and reads its prompts: rules by role and schema, no fixed script.

It stands for a good model in tests of whole runs, whatever the loop around it asks for first.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from tests.support.planned import plan_of

from restwright.agents.steps import Complete, Completion
from restwright.jsontypes import Json, JsonObject


@dataclass(slots=True, kw_only=True)
class Knowing:
    """
    Args:
        steps: What the planner lists, such as `find the director of #1`.
        operations: `{words of a task: operation}`; the first that is in the task holds.
        values: `{argument: value}`, or what finds the value in a prompt; what is not here is null,
            or the first of an enumeration.
        code: `{words of what a parser is asked: expression over data}`, likewise.
        which: What is looked up.
    """

    steps: Sequence[str]
    operations: Mapping[str, str]
    values: Mapping[str, Json | Callable[[str], Json]]
    code: Mapping[str, str]
    which: str = ""
    name: str = "knowing"
    is_small: bool = False
    asked: list[Complete] = field(default_factory=list[Complete])

    def complete(self, request: Complete, *, deadline_s: float) -> Completion:
        """Answer by what is asked for."""
        del deadline_s
        self.asked.append(request)
        text = request.messages[-1].text
        if request.schema is None:
            wanted = text.rpartition("Asked: ")[2]
            said = f"def parse(data):\n    return {first_in(wanted, self.code)}"
        else:
            properties: JsonObject = request.schema.get("properties", {})
            reply = {name: self._value(name, each, text) for name, each in properties.items()}
            said = json.dumps(reply)
        tokens = sum(len(each.text) for each in request.messages) // 4
        return Completion(text=said, input_tokens=tokens, output_tokens=len(said) // 4)

    def _value(self, name: str, schema: JsonObject, text: str) -> Json:
        rules: Mapping[str, Callable[[], Json]] = {
            "language": lambda: "English",
            "steps": lambda: plan_of(*self.steps)["steps"],
            "operation": lambda: self._operation(schema, text),
            "about": lambda: "it",
            "second": lambda: "none",
            "which": lambda: self.which,
            "answer": lambda: text[-800:],
        }
        if name in self.values:
            value = self.values[name]
            return value(text) if callable(value) else value
        if name in rules:
            return rules[name]()
        return schema["enum"][0] if "enum" in schema else None

    def _operation(self, schema: JsonObject, text: str) -> str:
        wanted = first_in(text.rpartition("Task: ")[2], self.operations)
        return wanted if wanted in schema["enum"] else "none"


def first_in(text: str, rules: Mapping[str, str]) -> str:
    """What the first rule says whose words are in a text; `None` for none."""
    return next((value for words, value in rules.items() if words in text), "None")
