"""An agent of restwright with any model, over HTTP."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field

from restwright.agents.agent import Agent, Limits
from restwright.agents.events import Event, Listener, combine_listeners
from restwright.agents.steps import Answer, CallRecord, Model
from restwright.calls.approval.approval import approve_all
from restwright.calls.approval.policy import ALLOW
from restwright.calls.arguments.repair import repair_arguments
from restwright.errors import RestwrightError
from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.net.messages import Send
from restwright.tools.catalog.catalog import Catalog
from restwright_bench.policies.ablations import loop_of
from restwright_bench.policies.run import Ran, Said, Task
from restwright_bench.policies.tools import Tools
from restwright_bench.queries.scores import Usage
from restwright_bench.results import shortened

LIMITS = Limits(calls=25, model_calls=40, tokens=100_000, seconds=600.0)
CRASHED = "crashed"


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentPolicy:
    """
    Lets an agent answer; writes are approved.

    Args:
        tools: Of the API at the origin where it is served.
        send: Carries requests; the agent opens connections of its own where None.
        kind: How the agent goes about it, as `--agent` takes it; an ablation too.
        on_event: Told what happens, as it happens.
    """

    model: Model
    tools: Tools = field(repr=False)
    send: Send | None = None
    limits: Limits = LIMITS
    kind: str = "rest"
    on_event: Listener | None = None

    @property
    def name(self) -> str:
        """The model's."""
        return self.model.name

    def answer(self, task: Task) -> Said:
        """Ask the agent the question of the query. A mistake in it ends the query, not the run."""
        heard: list[Event] = []
        try:
            answer = self._agent(combine_listeners(heard.append, self.on_event)).ask(
                task.query.text
            )
        except (RestwrightError, AssertionError):
            # No model, or a script at its end: nothing that the next query could do better with.
            raise
        except Exception as error:  # noqa: BLE001
            return Said(stopped=CRASHED, reason=type(error).__name__, chosen=_chosen(heard))
        return Said(
            answer=answer.text,
            stopped=answer.stopped,
            reason=answer.reason,
            usage=_usage(answer, self.tools.catalog),
            trace=answer.steps,
            roles={name: asdict(each) for name, each in sorted(answer.usage.roles.items())},
            chosen=(*_planned(answer, self.tools.catalog), *_chosen(heard)),
            told_of=tuple(
                str(each.data["tool"])
                for each in heard
                if each.kind == "feedback" and "tool" in each.data
            ),
        )

    def _agent(self, listen: Listener) -> Agent:
        return Agent(
            self.tools.catalog,
            model=self.model,
            connections=self.tools.connections,
            send=self.send,
            approve=approve_all,
            policy=ALLOW,
            limits=self.limits,
            kind=loop_of(self.kind),
            on_event=listen,
        )


def line_of(
    ran: Ran,
    *,
    seed: int,
    model: str,
    kind: str = "rest",
    limits: Limits = LIMITS,
    cause: JsonObject | None = None,
) -> JsonObject:
    """
    A run as one line of a file of results, its trace in 4,000 characters at most.

    Args:
        cause: Why the query was not met, and which part of the agent is to blame.
    """
    return {
        "api": ran.score.api,
        "index": ran.score.index,
        "seed": seed,
        "kind": kind,
        "model": model,
        "limits": asdict(limits),
        "score": asdict(ran.score),
        "reason": ran.said.reason[:300],
        "roles": ran.said.roles,
        "cause": cause,
        "chosen": [each["tool"] for each in ran.said.chosen],
        "called": [[each.method, each.template or each.path, each.status] for each in ran.log],
        "answer": ran.said.answer[:1_000],
        "trace": shortened(ran.said.trace),
    }


def _chosen(heard: Sequence[Event]) -> tuple[JsonObject, ...]:
    return tuple(
        {"tool": each.data.get("tool", ""), "offered": [*each.data.get("offered", ())]}
        for each in heard
        if each.kind == "select"
    )


def _planned(answer: Answer, catalog: Catalog) -> list[JsonObject]:
    """The operations of a plan that was made before the first call; nothing is told of them."""
    found: list[JsonObject] = []
    for each in answer.steps:
        if each.get("step") != "complete" or each.get("role") != "planner":
            continue
        steps = _steps_in(str(each.get("reply", "")))
        names = {entry.operation_name: name for name, entry in catalog.entries.items()}
        found += [
            {"tool": names.get(one["operation"], one["operation"]), "offered": [*catalog.names]}
            for one in steps
            if is_object(one) and one.get("operation")
        ]
    return found


def _steps_in(reply: str) -> list[Json]:
    try:
        plan: Json = json.loads(reply)
    except ValueError:
        return []
    steps: Json = plan.get("steps") if is_object(plan) else None
    return steps if is_array(steps) else []


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
    return sum(bool(repair_arguments(catalog[each.tool], each.arguments).repairs) for each in calls)
