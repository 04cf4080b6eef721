"""Runs of several sorts over the cellars: how each begins, and what takes it up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tests.support.kills.counting_server import CASKS
from tests.support.kills.sealing import TOOLS, Sealer, question

from restwright.agents.agent import Agent
from restwright.agents.journal.store import Journal
from restwright.agents.runtime.human_input import no_human
from restwright.agents.steps import (
    Answer,
    AnyModel,
    Call,
    Conclusion,
    Gather,
    Question,
    Steps,
    UserAnswer,
)
from restwright.calls.approval.approval import refuse_all
from restwright.calls.approval.policy import ALLOW, CONFIRM
from restwright.calls.auth.connection import Connection
from restwright.calls.response.result import Result
from restwright.jsontypes import JsonObject
from restwright.net.messages import Request, Send
from restwright.tools.tool import Tool

EFFECTS = tuple(f"{cask}/{verb}" for verb in ("seal", "label") for cask in CASKS)
"""What a run that ends well has done, each once; labels have an idempotency key."""


@dataclass(frozen=True)
class Sort:
    """
    A sort of runs.

    Args:
        consent: To writes: `allow` by the policy, `given` by who is there, or `asked` for of
            somebody whom the run waits for.
        together: Whether the model makes all its calls in one reply.
    """

    name: str
    kind: str
    consent: Literal["allow", "given", "asked"] = "allow"
    together: bool = False


SORTS = {
    sort.name: sort
    for sort in (
        Sort("rest", "rest"),
        Sort("rest asked", "rest", "asked"),
        Sort("calling", "calling"),
        Sort("calling together", "calling", "given", together=True),
        Sort("calling asked", "calling", "asked", together=True),
        Sort("react", "react", "given"),
        Sort("with a question", "asking", "asked"),
    )
}


def asked(sort: Sort, cellar: int) -> str:
    """The question of a run; it says of which sort it is."""
    return f"{question(cellar, labels=True, together=sort.together)} ({sort.name})"


def is_refused(cellar: int) -> bool:
    """Whether whoever is asked for consent to writes of this run gives none."""
    return cellar % 10 == 1


def sort_of(said: str) -> Sort:
    """The sort that a question says."""
    return SORTS[said.rpartition("(")[2].removesuffix(")")]


def resume_run(
    journal: Journal,
    session: str,
    url: str,
    *,
    model: AnyModel | None = None,
    send: Send | None = None,
) -> Answer:
    """Take up a run as a person would, against the server at `url`."""
    sort = sort_of(journal.find(session).header.question)
    agent = _agent(sort, url, model or Sealer(), send)
    return agent.ask(journal=journal, resume=session)


def _agent(sort: Sort, url: str, model: AnyModel, send: Send | None = None) -> Agent:
    return Agent(
        TOOLS,
        model=model,
        send=send,
        connections={"cellar": Connection(server=url, auth="none")},
        policy=ALLOW if sort.consent == "allow" else CONFIRM,
        approve=_allow if sort.consent == "given" else refuse_all,
        waits=sort.consent == "asked",
        kind=asking if sort.kind == "asking" else sort.kind,
        human=no_human,
    )


def _allow(tool: Tool, request: Request) -> bool:
    del tool, request
    return True


def asking(agent: Agent, said: str) -> Steps[Conclusion]:
    """Reads together, a question, and writes that each want an approval."""
    del agent
    cellar = int(said.partition("cellar ")[2].partition(".")[0])
    outcomes = yield Gather((Call(tool="cellar__list_casks", arguments={"cellar": cellar}),) * 3)
    assert isinstance(outcomes, tuple)
    text = f"May the casks of the cellar {cellar} be sealed?"
    word = yield Question(text, name="may_be", schema={"enum": ["yes", "no"]})
    if word != UserAnswer("yes"):
        return Conclusion(text="They may not.", stopped="refused")
    for cask in CASKS:
        for verb in ("seal", "label"):
            arguments: JsonObject = {"cellar": cellar, "cask_id": cask}
            result = yield Call(tool=f"cellar__{verb}_cask", arguments=arguments)
            assert isinstance(result, Result)
            if not result.ok:
                stopped = "refused" if result.kind == "refused" else "error"
                return Conclusion(text="in part", stopped=stopped, reason=result.text)
    return Conclusion(text="Both are sealed.")
