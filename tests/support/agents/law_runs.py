"""One run of an agent with a model that may reply anything, and all that is known of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Literal

from hypothesis import strategies as st
from tests.support.agents.drawn_apis import NAMES, DrawnApi, Server, drawn_apis
from tests.support.agents.law_models import HarmfulModel, LawModel

from restwright.agents.agent import Agent, Loop, find_loop
from restwright.agents.runtime.budget import Limits
from restwright.agents.steps import Answer, Outcome, Step, Steps
from restwright.calls.approval.approval import approve_all, refuse_all
from restwright.calls.approval.policy import ALLOW, CONFIRM, READ_ONLY, Policy
from restwright.stepping import map_steps
from restwright.testing import RecordingTransport

REST = "rest"
KINDS = (REST, "calling", "react", "plan", "dfsdt")
Consent = Literal["asked, yes", "asked, no", "--yes", "--read-only"]
Seen = tuple[Step, Outcome, int]
POLICIES: Mapping[Consent, Policy] = {
    "asked, yes": CONFIRM,
    "asked, no": CONFIRM,
    "--yes": ALLOW,
    "--read-only": READ_ONLY,
}
QUESTIONS = (
    "Delete the {one} {name}.",
    "Delete all {noun} except {name}.",
    "Which of the {noun} is the longest? Then change the size of {id} to 7.",
    "How many {noun} are there, and what is new?",
    "If {name} is larger than 50, archive {id}.",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """
    What a run is drawn from.

    Args:
        is_native: Whether the model calls tools by itself.
        is_small: Whether it is asked for one small thing at a time.
        seed: Of the model's replies.
    """

    drawn: DrawnApi
    question: str
    consent: Consent
    is_harmful: bool
    is_native: bool
    is_small: bool
    seed: int


@st.composite
def scenarios(draw: st.DrawFn) -> Scenario:
    """Draw an API, a question about it, a model and a user."""
    drawn = draw(drawn_apis())
    resource = drawn.resources[0]
    question = draw(st.sampled_from(QUESTIONS)).format(
        noun=resource.noun,
        one=resource.noun[:-1],
        name=draw(st.sampled_from(NAMES)),
        id=resource.id_at(draw(st.integers(0, 3))),
    )
    return Scenario(
        drawn=drawn,
        question=question,
        consent=draw(st.sampled_from(["asked, yes", "asked, yes", *POLICIES])),
        is_harmful=draw(st.booleans()),
        is_native=draw(st.booleans()),
        is_small=draw(st.booleans()),
        seed=draw(st.integers(0, 2**32)),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class LawRun:
    """
    A run that has ended.

    Args:
        steps: Each step of the loop with its outcome, and how many requests were sent by then.
    """

    kind: str
    scenario: Scenario
    server: Server
    model: LawModel
    answer: Answer
    steps: tuple[Seen, ...] = field(repr=False)


def run_scenario(kind: str, scenario: Scenario) -> LawRun:
    """Ask an agent of a kind what the scenario says."""
    random = Random(scenario.seed)  # noqa: S311  (no secret is made of it)
    make = HarmfulModel if scenario.is_harmful else LawModel
    model = make(
        *(random, ()),
        is_small=scenario.is_small,
        calls_tools=kind == "calling" and scenario.is_native,
    )
    server, seen = Server(scenario.drawn), list[Seen]()
    agent = Agent(
        scenario.drawn.catalog(),
        model=model,
        connections=scenario.drawn.connections(),
        send=RecordingTransport(server),
        approve=approve_all if scenario.consent == "asked, yes" else refuse_all,
        policy=POLICIES[scenario.consent],
        limits=Limits(steps=90, model_calls=40, calls=25),
        kind=_observed(find_loop(kind), seen, server),
    )
    answer = agent.ask(scenario.question)
    return LawRun(
        kind=kind,
        scenario=scenario,
        server=server,
        model=model,
        answer=answer,
        steps=tuple(seen),
    )


def _observed(loop: Loop, seen: list[Seen], server: Server) -> Loop:
    """Keep what a loop does, with what came of it."""

    def keep(step: Step) -> Steps[Outcome]:
        outcome = yield step
        seen.append((step, outcome, len(server.log)))
        return outcome

    return lambda agent, question: map_steps(loop(agent, question), keep)
