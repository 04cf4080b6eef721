"""
One turn of a model that calls tools: what it is offered, and the calls that it replies with.

A model that takes tools natively is given them so; another one reads them in its prompt and replies
under a JSON Schema that is made of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from restwright.agents.calling.run import Run
from restwright.agents.prompting.structured_output import ask, closed
from restwright.agents.prompting.templates import render
from restwright.agents.spotlighting import escape_marks
from restwright.agents.steps import Complete, Completion, Message, Steps
from restwright.calls.truncate import compact_json
from restwright.errors import UnusableReply
from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.tools.dialects import DIALECTS
from restwright.tools.toolset import (
    PROVIDERS,
    MetaTool,
    Offer,
    OfferLimits,
    ToolCall,
    offer_tools,
)

MAX_CALLS_PER_REPLY = 8
"""As many calls of one reply are made."""

_DIALECT = DIALECTS["json-schema"]
_MAX_TOKENS = 1_000
_ANSWER: JsonObject = {"type": "string", "maxLength": 4000}
CALLS: JsonObject = {
    "type": "object",
    "properties": {
        "calls": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"tool": {"type": "string"}},
                "required": ["tool"],
            },
        },
        "answer": {"type": "string"},
    },
    "required": ["calls"],
}
"""What a reply with calls must be at least; the calls themselves are checked one by one."""

ASK_USER = MetaTool(
    name="ask_user",
    description="Ask the user for a value that only they can know, and that no tool can find.",
    schema={
        "type": "object",
        "properties": {"question": {"type": "string"}},
        "required": ["question"],
        "additionalProperties": False,
    },
)
CANCEL_TOOLS = MetaTool(
    name="cancel_tools",
    description="Put back tools that turned out not to be needed.",
    schema={
        "type": "object",
        "properties": {"names": {"type": "array", "items": {"type": "string"}}},
        "required": ["names"],
        "additionalProperties": False,
    },
)


@dataclass(frozen=True, slots=True)
class ModelReply:
    """The calls of one reply, in its order, and its words."""

    calls: tuple[ToolCall, ...]
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnRequest:
    """
    What one turn is asked with.

    Args:
        names: The tools that are offered whole.
        is_all: Whether they are offered alone, without the tools that find others.
        can_cancel: Whether some of them may be put back.
        history: What was done so far, as text; and what was wrong with the last calls.
        native: Whether the model takes tools natively.
        has_answer: Whether the reply ends with words for the user, once nothing is left to call.
    """

    names: tuple[str, ...]
    is_all: bool
    can_cancel: bool
    history: str
    native: bool
    has_answer: bool
    limits: OfferLimits


def offer_limits(model: str) -> OfferLimits:
    """What a model of that name, such as `openai:gpt-5`, is offered at once."""
    provider = model.partition(":")[0].partition("-")[0]
    provider = {"google": "gemini"}.get(provider, provider)
    return OfferLimits(provider=provider if provider in PROVIDERS else "")


def build_offer(run: Run, turn: TurnRequest) -> Offer:
    """The tools of a turn, all within one budget."""
    if turn.is_all:
        part = replace(
            run.catalog, entries={name: run.catalog.entries[name] for name in turn.names}
        )
        limits = replace(turn.limits, above="all", pinned=())
        return offer_tools(part, run.question, dialect=_DIALECT, limits=limits)
    limits = replace(turn.limits, above="meta", pinned=turn.names, tools=0)
    return offer_tools(run.catalog, run.question, dialect=_DIALECT, limits=limits)


def request_calls(run: Run, turn: TurnRequest) -> Steps[ModelReply]:
    """
    Ask for the next calls.

    Raises:
        UnusableReply: The model cannot be understood.
    """
    own = (ASK_USER, *([CANCEL_TOOLS] if turn.can_cancel else []))
    shapes = (*_tool_shapes(run, turn), *(meta_tool.shape(_DIALECT) for meta_tool in own))
    if turn.native:
        return (yield from _request_native_calls(run, turn, shapes))
    tools = "\n".join(f"- {escape_marks(compact_json(shape))}" for shape in shapes)
    prompt = render(
        "calling_caller",
        tools=tools,
        question=run.question,
        history=turn.history or "-",
        now=run.now,
    )
    reply = yield from ask(
        "caller",
        prompt,
        tool_calls_schema(shapes, has_answer=turn.has_answer),
        max_tokens=_MAX_TOKENS,
        checks=CALLS,
    )
    calls = tuple(ToolCall(call["tool"], call.get("arguments")) for call in reply["calls"])
    return ModelReply(calls, str(reply.get("answer", "")))


def _tool_shapes(run: Run, turn: TurnRequest) -> list[JsonObject]:
    """What is offered; of a tool that a human fills in too, the model's part."""
    shapes: list[JsonObject] = []
    for shape in build_offer(run, turn).shapes:
        name = shape["name"]
        parts = run.catalog[name].separated if name in run.catalog else None
        shapes.append(shape if parts is None else {**shape, "parameters": parts.model.shows})
    return shapes


def _request_native_calls(
    run: Run, turn: TurnRequest, shapes: tuple[JsonObject, ...]
) -> Steps[ModelReply]:
    messages = render("calling_native", question=run.question, history=turn.history, now=run.now)
    for _ in range(2):
        step = Complete(role="caller", messages=messages, tools=shapes, max_tokens=_MAX_TOKENS)
        completion = yield step
        assert isinstance(completion, Completion)  # noqa: S101  (the driver's contract)
        if completion.finish != "length":
            return ModelReply(completion.calls, completion.text)
        messages = (*messages, Message("user", "That reply was cut off. Reply again, shorter."))
    raise UnusableReply("caller", "it was cut off")


def tool_calls_schema(shapes: Iterable[JsonObject], *, has_answer: bool) -> JsonObject:
    """The contract of a reply that calls some of these tools, in order."""
    kinds: list[Json] = []
    definitions: JsonObject = {}
    for place, shape in enumerate(shapes):
        parameters = _prefix_definitions(shape["parameters"], f"t{place}_")
        definitions |= parameters.pop("$defs", {})
        kinds.append(_call_schema(shape["name"], parameters))
    calls: JsonObject = {
        "type": "array",
        "maxItems": MAX_CALLS_PER_REPLY,
        "items": {"anyOf": kinds},
    }
    properties = {"calls": calls} | ({"answer": _ANSWER} if has_answer else {})
    return closed(properties) | ({"$defs": definitions} if definitions else {})


def _call_schema(name: str, parameters: JsonObject) -> JsonObject:
    return closed({"tool": {"const": str(name)}, "arguments": parameters})


def _prefix_definitions(node: Json, prefix: str) -> Json:
    """A copy whose definitions have names that no other tool's have."""
    if is_array(node):
        return [_prefix_definitions(item, prefix) for item in node]
    if not is_object(node):
        return node
    moved = {name: _prefix_definitions(each, prefix) for name, each in node.items()}
    reference = node.get("$ref")
    if isinstance(reference, str):
        moved["$ref"] = reference.replace("#/$defs/", f"#/$defs/{prefix}", 1)
    if is_object(node.get("$defs")):
        moved["$defs"] = {f"{prefix}{name}": each for name, each in moved["$defs"].items()}
    return moved


def pick_known_names(value: Json, known: Sequence[str]) -> tuple[str, ...]:
    """Those of `known` that a list of names has."""
    given = [item for item in value if isinstance(item, str)] if is_array(value) else []
    return tuple(candidate for candidate in known if candidate in given)
