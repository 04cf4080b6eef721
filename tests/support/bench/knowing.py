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
        goals: What the planner lists: `(find or do, what)`.
        operations: `{words of a task: operation}`; the first that is in the task holds.
        values: `{argument: value}`, or what finds the value in a prompt; what is not here is null,
            or the first of an enumeration.
        fields: Which of the offered fields a parser takes, best first.
        code: What a parser writes.
        phrases: What is looked up, best first.
        next_task: From a prompt with the results so far, the sub-task that comes next.
    """

    goals: Sequence[tuple[str, str]]
    operations: Mapping[str, str]
    values: Mapping[str, Json | Callable[[str], Json]]
    fields: Sequence[str]
    code: str
    phrases: Sequence[str] = ()
    next_task: Callable[[str], str] = str
    name: str = "knowing"
    asked: list[Complete] = field(default_factory=list[Complete])

    def complete(self, request: Complete, *, deadline_s: float) -> Completion:
        """Answer by what is asked for."""
        del deadline_s
        self.asked.append(request)
        text = request.messages[-1].text
        if request.schema is None:
            said = self.code
        else:
            properties: JsonObject = request.schema.get("properties", {})
            reply = {name: self._value(name, each, text) for name, each in properties.items()}
            said = json.dumps(reply)
        tokens = sum(len(each.text) for each in request.messages) // 4
        return Completion(text=said, input_tokens=tokens, output_tokens=len(said) // 4)

    def _value(self, name: str, schema: JsonObject, text: str) -> Json:
        rules: Mapping[str, Callable[[], Json]] = {
            "language": lambda: "English",
            "asked": lambda: self._asked(schema),
            "named": list,
            "of": lambda: "it",
            "operation": lambda: self._operation(schema, text),
            "look_up": lambda: first_of(schema.get("enum", ()), self.phrases),
            "sub_task": lambda: self.next_task(text)[:200],
            "fields": lambda: [first_of(schema["items"]["enum"], self.fields)],
            "conditions": list,
            "answer": lambda: text[-800:],
        }
        if name in rules and name not in self.values:
            return rules[name]()
        if name in self.values:
            value = self.values[name]
            return value(text) if callable(value) else value
        return schema["enum"][0] if "enum" in schema else None

    def _asked(self, schema: JsonObject) -> Json:
        """What is asked for: by a planner a list of goals, by a selector a piece of data."""
        plan = plan_of(*(f"{kind} {what}" for kind, what in self.goals))
        return "it" if schema.get("type") == "string" else plan["asked"]

    def _operation(self, schema: JsonObject, text: str) -> str:
        task = text.rpartition("Task: ")[2]
        wanted = [each for words, each in self.operations.items() if words in task]
        return first_of(schema["enum"], wanted)


def first_of(offered: Sequence[str], wanted: Sequence[str]) -> str:
    """The first wanted one that is offered; else the first."""
    return next((each for each in wanted if each in offered), next(iter(offered), "none"))
