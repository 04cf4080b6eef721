"""From the call of a function that emits to the agent that goes on."""

from __future__ import annotations

from collections.abc import Mapping

from restwright.jsontypes import Json, JsonObject, is_object
from restwright.manifests.functions.actions import ManifestAction
from restwright.manifests.session.session import HandoffRequest, describe_unknown_agent
from restwright.manifests.text.placeholders import fill_template, sole_placeholder

HANDOFF_METHOD = "switch_session"


def fill_handoff_data(data: Json, arguments: JsonObject) -> Json:
    """
    What an action emits: `{name}` alone is that argument as it is, another text is a template.

    Objects are gone through, lists are not.
    """
    if is_object(data):
        return {key: fill_handoff_data(each, arguments) for key, each in data.items()}
    if not isinstance(data, str):
        return data
    name = sole_placeholder(data)
    return arguments.get(name) if name is not None else fill_template(data, arguments)


def handoff_from_action(
    action: ManifestAction, arguments: JsonObject, agents: Mapping[str, str]
) -> HandoffRequest | str:
    """
    The switch that a call asks for, or what the model is told about why there is none.

    Args:
        agents: `{key: description}` of all agents there are.
    """
    if action.emit_method != HANDOFF_METHOD:
        return f"{action.name} emits {action.emit_method!r}, which nobody listens to here."
    data = fill_handoff_data(action.emit_data, arguments)
    # `manifest` was its name until August 2023.
    agent = data.get("agent") or data.get("manifest")
    if not agent:
        return f"{action.name} names no agent, and nothing was handed over."
    if str(agent) not in agents:
        return describe_unknown_agent(str(agent), [*agents])
    memory = data.get("memory")
    message = data.get("message")
    return HandoffRequest(
        agent=str(agent),
        message="" if message is None else str(message),
        memory=memory if is_object(memory) else None,
        merge=bool(data.get("merge")),
        initiate=bool(data.get("initiate")),
        restarts=True,
    )
