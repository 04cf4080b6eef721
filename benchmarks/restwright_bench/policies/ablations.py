"""
The loop of `rest` without one of its parts, as the authors of RestGPT compare it (2306.06624v2).

What the part would ask of the model is answered in its place; everything else is the same loop.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType

from restwright.agents.agent import KINDS, Agent, Loop
from restwright.agents.steps import Complete, Completion, Conclusion, Message, Outcome, Step, Steps
from restwright.jsontypes import Json, JsonObject, is_object
from restwright.stepping import map_steps
from restwright_bench.any.models.parts import read_nothing

_MAX_WHAT_CHARS = 200
_KIND = (
    "You read a message to an assistant that calls operations of APIs. Say in which language it is;"
    ' whether it asks to "find" something out or to "change" something; and of what it speaks:'
    ' "one" thing, "some" or "all" of several, or the "number" of them.'
)
_KIND_SCHEMA: JsonObject = {
    "type": "object",
    "properties": {
        "language": {"type": "string", "minLength": 2, "maxLength": 30},
        "kind": {"enum": ["find", "change"]},
        "quantity": {"enum": ["one", "some", "all", "number"]},
    },
    "required": ["language", "kind", "quantity"],
    "additionalProperties": False,
}
_WHOLE_RESPONSE = "def parse(data):\n    return data"


def run_without_planner(agent: Agent, question: str) -> Steps[Conclusion]:
    """
    Take the whole message for one step.

    The model only says in fields what no step can be without: whether it reads or writes.
    """

    def answer(step: Step) -> Steps[Outcome]:
        if not (isinstance(step, Complete) and step.role == "planner"):
            return (yield step)
        prompt = (Message("system", _KIND), Message("user", question))
        asked = replace(step, messages=prompt, schema=_KIND_SCHEMA, max_tokens=60)
        reply = yield asked
        assert isinstance(reply, Completion)
        return replace(reply, text=json.dumps(_one_step(question, _read_fields(reply.text))))

    return map_steps(KINDS["rest"](agent, question), answer)


def run_without_parser(agent: Agent, question: str) -> Steps[Conclusion]:
    """
    Take the whole response for the value of a step; prompts show it shortened.

    A look-up then finds a thing by its exact name alone, or where there is only one.
    """

    def answer(step: Step) -> Steps[Outcome]:
        if isinstance(step, Complete) and step.role == "parser":
            return Completion(text=_WHOLE_RESPONSE)
        if isinstance(step, Complete) and step.role == "reader":
            return Completion(text=json.dumps(read_nothing(step)))
        return (yield step)

    return map_steps(KINDS["rest"](agent, question), answer)


ABLATIONS: Mapping[str, Callable[[Agent, str], Steps[Conclusion]]] = MappingProxyType(
    {"rest-without-planner": run_without_planner, "rest-without-parser": run_without_parser}
)
"""By what `--agent` takes beside the kinds of agents."""

AGENT_KINDS = (*KINDS, *ABLATIONS)


def loop_of(kind: str) -> str | Loop:
    """What `Agent(kind=...)` takes for a name of `--agent`."""
    return ABLATIONS.get(kind, kind)


def _read_fields(text: str) -> JsonObject:
    try:
        fields: Json = json.loads(text)
    except ValueError:
        fields = None
    found = fields if is_object(fields) else {}
    known: JsonObject = {"language": "English", "kind": "find", "quantity": "one"}
    return {name: found.get(name) or default for name, default in known.items()}


def _one_step(question: str, fields: JsonObject) -> JsonObject:
    is_change = fields["kind"] == "change"
    quantity = "some" if is_change and fields["quantity"] == "number" else fields["quantity"]
    step = {
        "id": 1,
        "kind": fields["kind"],
        "what": question[:_MAX_WHAT_CHARS],
        "of": [],
        "quantity": quantity,
    }
    return {"language": fields["language"], "steps": [step]}
