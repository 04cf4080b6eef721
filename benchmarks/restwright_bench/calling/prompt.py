"""What the model is told: the tool as the catalog shows it, the task, and what was wrong."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from restwright.agents.steps import Complete, Message
from restwright.calls.arguments.feedback import feedback
from restwright.calls.mismatch import Mismatch
from restwright.jsontypes import Json, JsonObject
from restwright.tools.text.json_bytes import to_json_bytes
from restwright.tools.tool import Tool
from restwright_bench.calling.task import Earlier, Task

RULES = """\
You fill in the arguments of one call to the tool below. Reply with one JSON object that fits the \
schema of its arguments, and with nothing else.
Take values from what the user says. Copy ids from the results of earlier calls, letter by letter. \
Make up only what is required and nobody has said."""
LONGEST_REPLY = 4_000
LONGEST_TEXT = 200
MOST_ITEMS = 12


def request_for(tool: Tool, task: Task, max_tokens: int, *, constrained: bool) -> Complete:
    """
    Ask for the arguments of one call. The tool stands first: all trials of a kind share that.

    Args:
        constrained: The reply's schema is handed over, which a model may be held to.
    """
    schema = to_json_bytes(tool.shows).decode()
    system = f"{RULES}\n\nTool {tool.operation_name}: {tool.description}\nArguments: {schema}"
    return Complete(
        role="caller",
        messages=(Message("system", system), Message("user", _user(task))),
        schema=bounded(tool.checks) if constrained else None,
        max_tokens=max_tokens,
    )


def again(first: Complete, reply: str, told: str) -> Complete:
    """
    Ask once more, after a reply that was wrong.

    Only the last reply is shown: what was wrong before is mended in it, or told again.
    """
    return Complete(
        role=first.role,
        messages=(
            *first.messages,
            Message("assistant", reply[:LONGEST_REPLY] or "{}"),
            Message("user", told),
        ),
        schema=first.schema,
        max_tokens=first.max_tokens,
    )


def told(tool: Tool, mismatches: Sequence[Mismatch], before: Sequence[Mismatch]) -> str:
    """What was wrong, for the model."""
    words = feedback(tool.operation_name, mismatches, repeated=before)
    return f"{words}\nReply with the whole arguments, mended."


def _user(task: Task) -> str:
    if not task.earlier:
        return task.text
    calls = "\n".join(map(_call, task.earlier))
    return f"Before, in this conversation:\n{calls}\n\nNow the user says: {task.text}"


def _call(earlier: Earlier) -> str:
    arguments = to_json_bytes(earlier.arguments).decode()
    returned = to_json_bytes(earlier.returned).decode()
    return f"User: {earlier.said}\nCall: {earlier.tool} {arguments}\nResult: {returned}"


def bounded(schema: JsonObject) -> JsonObject:
    """
    The schema with a limit on each text and list that has none, so that a generation ends.

    Only what is generated is held to it; what comes back is checked under the schema as it was.
    """
    return _bounded(json.loads(json.dumps(schema)))


def _bounded(schema: Any) -> Any:
    if not isinstance(schema, dict):
        return schema
    within = {keyword: _within(keyword, value) for keyword, value in schema.items()}
    limits = [limit for kind, limit in _LIMITS.items() if _may_be(schema, kind)]
    free = [limit for limit in limits if not schema.keys() & _ENDS]
    return {**within, **{k: v for limit in free for k, v in limit.items() if k not in within}}


def _within(keyword: str, value: Any) -> Any:
    if keyword in _BY_NAME:
        return {name: _bounded(each) for name, each in value.items()}
    if keyword in _LISTS:
        return [_bounded(each) for each in value]
    return _bounded(value) if keyword in _SINGLE else value


def _may_be(schema: JsonObject, kind: str) -> bool:
    named: Json = schema.get("type", ())
    return kind == named or (isinstance(named, list) and kind in named)


_BY_NAME = {"properties", "$defs", "patternProperties"}
_LISTS = {"anyOf", "oneOf", "allOf", "prefixItems"}
_SINGLE = {"items", "additionalProperties"}
_LIMITS: Mapping[str, JsonObject] = {
    "string": {"maxLength": LONGEST_TEXT},
    "array": {"maxItems": MOST_ITEMS},
}
_ENDS = {"enum", "const", "pattern"}
"""A text under one of these has its own end, or a grammar that a length would contradict."""
