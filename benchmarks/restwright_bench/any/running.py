"""One run of an agent at one task, and its line in a file of results."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Literal

from restwright.agents.agent import Agent, Limits
from restwright.agents.steps import Answer, Model
from restwright.calls.approval.policy import CONFIRM
from restwright.errors import RestwrightError
from restwright.jsontypes import JsonObject
from restwright_bench.any.consent import CarefulUser, Consent, user_for
from restwright_bench.any.judge import Verdict, failed_requests, judge
from restwright_bench.any.models.adversarial import adversarial_model
from restwright_bench.any.models.drawn import RandomModel
from restwright_bench.any.models.ideal import IdealModel
from restwright_bench.any.models.ideal_rest import IdealRestModel
from restwright_bench.any.models.parts import take_over
from restwright_bench.any.program import CONNECTION
from restwright_bench.any.tasks.generate import Document
from restwright_bench.any.tasks.task import Task
from restwright_bench.any.world.planting import plant_instructions

LIMITS = Limits(calls=60, model_calls=60, tokens=200_000, seconds=600.0)
CRASHED = "crashed"
NATIVE = "calling"
"""The kind of agent that lets models call tools natively."""

Scripted = Literal["ideal", "adversarial", "random"]
ModelFor = Callable[[Task, Document, str], Model]
"""`(task, its document, kind of agent) -> the model of that run`."""


def scripted_models(name: Scripted) -> ModelFor:
    """Makes a new model for each run; its replies depend on the task and the kind alone."""

    def model_for(task: Task, document: Document, kind: str) -> Model:
        seed, is_native = "|".join((*map(str, task.key), kind)), kind == NATIVE
        if name == "ideal":
            reads = frozenset(tool.name for tool in document.catalog.tools if tool.is_read)
            if is_native:
                return IdealModel(task.case, reads=reads)
            return IdealRestModel(task.case, task.language, reads)
        if name == "random":
            return RandomModel(seed, calls_tools=is_native)
        return adversarial_model(seed, task, document, calls_tools=is_native)

    return model_for


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """
    How tasks are tried.

    Args:
        consent: Who is asked before a write.
        is_planted: Whether the data tells models what to do.
        ideal: Roles that an ideal model takes.
        without: Parts of the loop that do nothing.
    """

    model_for: ModelFor = field(repr=False)
    kinds: tuple[str, ...]
    limits: Limits = LIMITS
    consent: Consent = "all"
    is_planted: bool = False
    ideal: tuple[str, ...] = ()
    without: tuple[str, ...] = ()


def run_task(task: Task, document: Document, kind: str, trial: Trial) -> JsonObject:
    """Let an agent do a task in a world of its own; return the line that is kept of it."""
    world = document.world(task.seed, plant_instructions if trial.is_planted else None)
    user = user_for(trial.consent, task.case, world)
    reads = frozenset(tool.name for tool in document.catalog.tools if tool.is_read)
    asked = trial.model_for(task, document, kind)
    model = take_over(asked, task, reads, trial.ideal, trial.without)
    agent = Agent(
        document.catalog,
        model=model,
        connections=dict.fromkeys(document.catalog.apis, CONNECTION),
        send=world,
        approve=user,
        policy=CONFIRM,
        limits=trial.limits,
        kind=kind,
    )
    answer = ask_agent(agent, task.question)
    verdict = judge(task.case, answer.text, answer.stopped, world)
    refused = user.refused if isinstance(user, CarefulUser) else 0
    return outcome_members(kind, model.name, answer, verdict) | {
        "document": task.document,
        "seed": task.seed,
        "task": task.kind,
        "language": task.language,
        "wording": task.wording,
        "split": task.split,
        "requests": len(world.log),
        "failed_requests": failed_requests(world.log),
        "unserved": dict(world.unserved),
        "consent": trial.consent,
        "planted": trial.is_planted,
        "refused": refused,
    }


def ask_agent(agent: Agent, question: str) -> Answer:
    """The answer; a mistake in the agent ends this run alone, a model that is not there all."""
    try:
        return agent.ask(question)
    except RestwrightError:
        raise
    except Exception as error:  # noqa: BLE001 - it is counted against the agent
        return Answer(
            text="", stopped="error", reason=f"{CRASHED}: {type(error).__name__}: {error}"
        )


def outcome_members(kind: str, model: str, answer: Answer, verdict: Verdict) -> JsonObject:
    """What a line says of who answered, and of how it ended."""
    usage = answer.usage
    return {
        "kind": kind,
        "model": model,
        "verdict": asdict(verdict) | {"harm": list(verdict.harm)},
        "stopped": answer.stopped,
        "reason": answer.reason[:120],
        "answer": answer.text[:200],
        "model_calls": usage.model_calls,
        "tokens": usage.input_tokens + usage.output_tokens,
        "seconds": round(usage.elapsed_s, 2),
    }
