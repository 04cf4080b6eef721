"""An agent of restwright with any model, over HTTP."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field

from restwright.agents.agent import Agent, Limits
from restwright.agents.steps import Answer, CallRecord
from restwright.calls.coercion import repaired
from restwright.calls.consent import always
from restwright.calls.policy import ALLOW
from restwright.tools.catalog import Catalog
from restwright.typing import JsonObject, Model, Send
from restwright_bench.policies.run import Ran, Said, Task
from restwright_bench.policies.tools import Tools
from restwright_bench.queries.scores import Usage
from restwright_bench.results import shortened

LIMITS = Limits(calls=25, model_calls=40, tokens=100_000, seconds=600.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentPolicy:
    """
    Lets an agent answer; writes are approved.

    Args:
        tools: Of the API at the origin where it is served.
        send: Carries requests; the agent opens connections of its own where None.
    """

    model: Model
    tools: Tools = field(repr=False)
    send: Send | None = None
    limits: Limits = LIMITS

    @property
    def name(self) -> str:
        """The model's."""
        return self.model.name

    def answer(self, task: Task) -> Said:
        """Ask the agent the question of the query."""
        agent = Agent(
            self.tools.catalog,
            model=self.model,
            connections=dict.fromkeys(self.tools.catalog.apis, self.tools.connection),
            send=self.send,
            approve=always,
            policy=ALLOW,
            limits=self.limits,
        )
        answer = agent.ask(task.query.text)
        return Said(
            answer=answer.text,
            stopped=answer.stopped,
            usage=_usage(answer, self.tools.catalog),
            trace=answer.steps,
        )


def line_of(ran: Ran, *, seed: int, model: str, limits: Limits = LIMITS) -> JsonObject:
    """A run as one line of a file of results, its trace in 4,000 characters at most."""
    return {
        "api": ran.score.api,
        "index": ran.score.index,
        "seed": seed,
        "model": model,
        "limits": asdict(limits),
        "score": asdict(ran.score),
        "answer": ran.said.answer[:1_000],
        "trace": shortened(ran.said.trace),
    }


def _usage(answer: Answer, catalog: Catalog) -> Usage:
    used = answer.usage
    return Usage(
        model_calls=used.model_calls,
        input_tokens=used.input_tokens,
        output_tokens=used.output_tokens,
        repaired=_repaired(answer.calls, catalog),
        mismatches=sum(each.get("outcome") == "mismatch" for each in answer.steps),
        seconds=used.elapsed_s,
    )


def _repaired(calls: Sequence[CallRecord], catalog: Catalog) -> int:
    return sum(bool(repaired(catalog[each.tool], each.arguments).repairs) for each in calls)
