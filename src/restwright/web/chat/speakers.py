"""Who can be talked with: one agent over the documents, and those of the manifests."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from restwright.agents.agent import Agent, Limits
from restwright.agents.steps import AnyModel, Model
from restwright.calls.approval.policy import Policy
from restwright.jsontypes import JsonObject
from restwright.mcp.served import ServedAgent, ServedTools
from restwright.tools.catalog.catalog import Catalog
from restwright.web.chat.chats import OnSwitch, Speaker

if TYPE_CHECKING:
    from restwright.manifests.own.manifest import Manifest

DOCUMENTS = ""
"""The key of the agent over documents."""


def list_speakers(
    served: ServedTools,
    documents: Catalog | None,
    policy: Policy,
    *,
    user: str = "",
    limit: Callable[[Limits], Limits] = lambda limits: limits,
    **settings: Any,
) -> Mapping[str, Speaker]:
    """
    Return who can be talked with, by their keys; the agents of manifests first.

    Args:
        documents: The tools of documents alone; None where there are none.
        policy: Of the agent over documents.
        user: As whom the APIs are reached; empty where there is one user.
        limit: The limits of an agent, made of its own.
        settings: Of every `Agent`, such as `send`.
    """
    speakers: dict[str, Speaker] = {}
    for agent in served.agents:
        from restwright.manifests.own.stage import reachable_manifests

        for manifest in reachable_manifests(agent.manifest).values():
            speakers.setdefault(
                manifest.name, _manifest_speaker(agent, manifest, user, limit, settings)
            )
    if documents is not None and documents.entries:
        connections = served.connections.of_user(user)
        given: dict[str, Any] = {
            "connections": _of_catalog(connections, documents),
            "policy": policy,
            "limits": limit(Limits()),
            **settings,
        }
        apis = ", ".join(documents.apis)
        speakers[DOCUMENTS] = Speaker(
            key=DOCUMENTS,
            title=f"All tools of {apis}",
            make=partial(_make_document_agent, documents, given),
        )
    return speakers


def _of_catalog(connections: Mapping[str, Any], tools: Catalog) -> dict[str, Any]:
    return {name: one for name, one in connections.items() if name in tools.apis}


def _make_document_agent(
    tools: Catalog,
    settings: Mapping[str, Any],
    model: AnyModel,
    on_switch: OnSwitch,
    memory: JsonObject | None,
) -> Agent:
    del on_switch, memory
    return Agent(tools, model=model, **settings)


def _manifest_speaker(
    agent: ServedAgent,
    manifest: Manifest,
    user: str,
    limit: Callable[[Limits], Limits],
    settings: Mapping[str, Any],
) -> Speaker:
    return Speaker(
        key=manifest.name,
        title=manifest.title or manifest.name,
        description=manifest.description,
        samples=tuple(sample.text for sample in manifest.samples),
        make=partial(_make_manifest_agent, agent, manifest, user, limit, settings),
        manifest=manifest,
    )


def _make_manifest_agent(
    agent: ServedAgent,
    manifest: Manifest,
    user: str,
    limit: Callable[[Limits], Limits],
    settings: Mapping[str, Any],
    model: AnyModel,
    on_switch: OnSwitch,
    memory: JsonObject | None,
) -> Agent:
    blueprint, connections = agent.build(manifest)
    return blueprint.agent(
        cast("Model", model),
        on_switch=on_switch,
        memory=memory,
        connections=connections.of_user(user),
        limits=limit(blueprint.limits),
        **settings,
    )
