"""Replies of a model in the loop of `rest`."""

from __future__ import annotations

import re
from typing import Any

from restwright.agents.steps import Complete, Completion
from restwright.jsontypes import JsonObject
from restwright.testing import Reply, ScriptedModel


class Filled(dict[str, Any]):
    """Arguments that a model would give; of those it is asked for, the others are null."""


class FittingModel(ScriptedModel):
    """A scripted model whose `filled` replies have just the arguments that are asked for."""

    def complete(self, request: Complete, *, deadline_s: float) -> Completion:
        given = self._left[0] if self._left else None
        if isinstance(given, tuple) and isinstance(given[1], Filled) and request.schema:
            names = request.schema["properties"]
            self._left[0] = (given[0], {name: given[1].get(name) for name in names})
        return super().complete(request, deadline_s=deadline_s)


def plan_of(*steps: str | JsonObject, language: str = "English") -> JsonObject:
    """
    What a planner replies.

    Args:
        steps: Such as `find the director of #1`, or an object with `kind`, `what` and more.
    """
    written: list[JsonObject] = []
    for number, step in enumerate(steps, 1):
        kind, _, what = step.partition(" ") if isinstance(step, str) else ("", "", "")
        given = {"kind": kind, "what": what} if isinstance(step, str) else step
        needed = [int(found) for found in re.findall(r"#(\d+)", given["what"])]
        written.append({"id": number, "of": needed, "quantity": "one", **given})
    return {"language": language, "steps": written}


def planned(*steps: str | JsonObject, language: str = "English") -> Reply:
    """One reply of a script, as `plan_of` makes it."""
    return ("planner", plan_of(*steps, language=language))


def select(operation: str, second: str = "none") -> Reply:
    """Choose an operation, and a second best."""
    return ("selector", {"about": "it", "operation": operation, "second": second})


def filled(**values: Any) -> Reply:
    """Arguments of a call; for a `FittingModel` more or less of them."""
    return ("caller", Filled(values))


def code(expression: str) -> Reply:
    """Code that takes something out of `data`."""
    return ("parser", f"def parse(data):\n    return {expression}")


def query(things: str = "things", **parts: Any) -> Reply:
    """
    What of a response a small model asks for: all of its `things`, but for `parts`.

    Args:
        parts: Such as `take=1`, `give="number"` or `fields=["town"]`.
    """
    every: JsonObject = {"give": "things", "fields": [], "sort": None, "take": None, "where": []}
    return ("reader", {"things": things, **every, **parts})


def worded(text: str) -> Reply:
    """The words of an answer."""
    return ("answer", {"answer": text})
