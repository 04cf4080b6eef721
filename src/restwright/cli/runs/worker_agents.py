"""What a worker has: agents over documents and of manifests, each as what takes up a session."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from restwright.doors.agents import DocumentAgent, DoorAgent, ManifestAgent
from restwright.manifests.own.asking import ask_manifest

if TYPE_CHECKING:
    from restwright.agents.agent import Agent
    from restwright.agents.journal.store import Journal
    from restwright.agents.steps import Answer
    from restwright.manifests.own.asking import AskedAgent
    from restwright.manifests.session.session import HandoffRequest
    from restwright.workers.worker import ResumeRun

OnSwitch = Callable[["HandoffRequest"], None]


def make_resuming(
    agents: Mapping[str, DoorAgent], settings: Mapping[str, Any], *, trusts_apis: bool = False
) -> dict[str, ResumeRun]:
    """
    Make what takes up a session of each agent: the same as `--resume` does.

    Args:
        settings: Of each `Agent`, in the place of its own.
        trusts_apis: Whether writes are allowed after a response of another API was read, too.
    """

    def ready(agent: Agent) -> Agent:
        policy = agent.policy
        if trusts_apis:
            policy = replace(policy, after_foreign_read="allow")
        return replace(agent, policy=policy, **settings)

    found: dict[str, ResumeRun] = {}
    for name, agent in agents.items():
        if isinstance(agent, DocumentAgent):
            found[name] = partial(_resume, ready(agent.make("")))
        if isinstance(agent, ManifestAgent):
            found[name] = partial(_resume_manifest, agent, ready)
    return found


def _resume(agent: Agent, journal: Journal, session: str) -> Answer:
    return agent.ask(journal=journal, resume=session)


def _resume_manifest(
    agent: ManifestAgent, ready: Callable[[Agent], Agent], journal: Journal, session: str
) -> Answer:
    def make(asked: AskedAgent, on_switch: OnSwitch) -> Agent:
        return ready(agent.make(asked, "", on_switch))

    return ask_manifest(agent.manifest, "", make, journal=journal, resume=session)
