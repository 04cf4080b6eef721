"""Which tools a request needs: chosen by the model from their names and what they do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from restwright.agents.calling.run import Run
from restwright.agents.execution.failure import say
from restwright.agents.prompting.structured_output import ask, closed, read_reply
from restwright.agents.prompting.templates import render
from restwright.agents.spotlighting import escape_marks
from restwright.agents.steps import Complete, Completion, Gather, Steps
from restwright.jsontypes import JsonObject
from restwright.tools.text.prose import shorten_text, to_one_line

MAX_CHOSEN = 8
"""As many tools may be chosen of one list."""

_MAX_LINE_CHARS = 140
_MAX_TOKENS = 600
_ANSWER = (
    'If no tool is needed or none fits, choose none and say so to the user in "answer", in their'
    ' language; if they ask what you can do, tell it there. Else "answer" is empty.'
)
_PART = "This is a part of all tools: if none of these is needed, choose none."


@dataclass(frozen=True, slots=True)
class Selection:
    """The names of the tools that were chosen; words for the user where none is needed."""

    names: tuple[str, ...]
    answer: str = ""


def select_tools(run: Run, names: Sequence[str]) -> Steps[Selection]:
    """Choose from one list of tools, all of them shown."""
    if not names:
        return Selection((), "")
    request = _make_request(run, names, otherwise=_ANSWER, has_answer=True)
    schema = request.schema or {}
    reply = yield from ask("selector", request.messages, schema, max_tokens=_MAX_TOKENS)
    yield from _report_choice(reply, names)
    return Selection(_chosen_names(reply), str(reply["answer"]))


def select_in_parts(
    run: Run, names: Sequence[str], *, capacity: int, has_final: bool = True
) -> Steps[Selection]:
    """
    Choose from a long list: from equal parts of at most `capacity` tools, then among the winners.

    Args:
        has_final: Whether the winners are chosen from once more, all of them in one list.
    """
    count = ceil(len(names) / capacity)
    size = ceil(len(names) / count)
    parts = [names[start : start + size] for start in range(0, len(names), size)]
    requests = tuple(
        _make_request(run, sequence, otherwise=_PART, has_answer=False) for sequence in parts
    )
    outcomes = yield Gather(requests)
    assert isinstance(outcomes, tuple)  # noqa: S101  (the driver's contract)
    winners: list[str] = []
    for request, part, outcome in zip(requests, parts, outcomes, strict=True):
        assert isinstance(outcome, Completion)  # noqa: S101  (the driver's contract)
        reply, _ = read_reply(outcome, request.schema or {})
        if reply is None:
            schema = request.schema or {}
            reply = yield from ask("selector", request.messages, schema, max_tokens=_MAX_TOKENS)
        yield from _report_choice(reply, part)
        winners += _chosen_names(reply)
    if has_final and len(parts) > 1 and len(winners) > 1:
        return (yield from select_tools(run, winners))
    return Selection(tuple(winners))


def cancel_tools(run: Run, stack: Sequence[str]) -> Steps[tuple[str, ...]]:
    """What is left of tools that were chosen earlier and not called, now that the user goes on."""
    prompt = render("calling_canceller", tools=_tool_lines(run, stack), question=run.question)
    schema = _choice_schema("cancel", stack)
    reply = yield from ask("canceller", prompt, schema, max_tokens=_MAX_TOKENS)
    gone = {str(item["name"]) for item in reply["cancel"]}
    if gone:
        yield say("note", f"no longer wanted: {', '.join(sorted(gone))}")
    return tuple(name for name in stack if name not in gone)


def _make_request(run: Run, names: Sequence[str], *, otherwise: str, has_answer: bool) -> Complete:
    return Complete(
        role="selector",
        messages=render(
            "calling_selector",
            tools=_tool_lines(run, names),
            otherwise=otherwise,
            question=run.question,
        ),
        schema=_choice_schema("tools", names, has_answer=has_answer),
        max_tokens=_MAX_TOKENS,
    )


def _choice_schema(what: str, names: Sequence[str], *, has_answer: bool = False) -> JsonObject:
    reason: JsonObject = {"type": "string", "maxLength": 120}
    chosen = closed({"reason": reason, "name": {"enum": [str(name) for name in names]}})
    properties: JsonObject = {what: {"type": "array", "maxItems": MAX_CHOSEN, "items": chosen}}
    if has_answer:
        properties["answer"] = {"type": "string", "maxLength": 1200}
    return closed(properties)


def _tool_lines(run: Run, names: Sequence[str]) -> str:
    """One line a tool. None is built for that."""
    return "\n".join(f"- {name}: {_describe_tool(run, name)}" for name in names)


def _describe_tool(run: Run, name: str) -> str:
    operation = run.catalog.entries[name].operation
    does = operation.headline or f"{operation.method.upper()} {operation.path}"
    return escape_marks(shorten_text(to_one_line(does), _MAX_LINE_CHARS))


def _chosen_names(reply: JsonObject) -> tuple[str, ...]:
    return tuple(dict.fromkeys(str(tool["name"]) for tool in reply["tools"]))


def _report_choice(reply: JsonObject, names: Sequence[str]) -> Steps[None]:
    offered = [*names]
    if not reply["tools"]:
        yield say("note", "no tool is chosen", offered=offered)
    for tool in reply["tools"]:
        text = f"{tool['name']}: {tool['reason']}"
        yield say("select", text, tool=tool["name"], offered=offered)
        # They are counted once.
        offered = []
