"""
RestGPT's coarse-to-fine online planning (sections 3.1 to 3.3), as a generator of steps.

The planner says in fields what each step is to give. The selector picks an operation, the caller
fills in its arguments, the parser takes the value out of the response; each is one small decision
of the model. Code knows schemas, links between operations, statuses and where values come from; it
refuses, narrows, verifies and tries reads again, and decides nothing by the words of a message.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace

from restwright.agents.execution.conclusion import best_partial, with_undone
from restwright.agents.execution.failure import Failure, say
from restwright.agents.prompting.capabilities import capabilities
from restwright.agents.prompting.structured_output import ask, briefly, closed
from restwright.agents.prompting.templates import render, schema
from restwright.agents.rest.answering import (
    compose_answer,
    fact_text,
    find_unsupported,
    tell_things,
)
from restwright.agents.rest.changing import change, unmet_condition
from restwright.agents.rest.finding import compute, find
from restwright.agents.rest.names import quote_names
from restwright.agents.rest.plan import (
    ALWAYS_SAID,
    Plan,
    PlanStep,
    add_finding,
    add_omitted,
    find_made_up,
    find_omitted,
    find_plan_fault,
    has_change,
    has_condition,
    is_as_careful,
    list_unplanned,
    name_exceptions,
    names_as_much,
    read_plan,
    separate_conditions,
    tell_exceptions,
    without_unsaid,
)
from restwright.agents.rest.provenance import is_in_text, normalize_scalars
from restwright.agents.rest.run import RestRun
from restwright.agents.rest.translator import translate
from restwright.agents.steps import Complete, Conclusion, Message, Outcome, Step, Steps, StopReason
from restwright.calls.approval.policy import CONFIRM, Policy
from restwright.errors import UnusableReply
from restwright.jsontypes import JsonObject
from restwright.stepping import map_steps
from restwright.tools.catalog.catalog import Catalog

_MAX_PLAN_TOKENS = 400
_CHANGE = "a change"
_TASKS = [_CHANGE, "something found"]
_WANTS = [*_TASKS, "a greeting", "what you can do"]
_IN_ONE_CASE = "a change if something is so"
_ORDERS = [_CHANGE, _IN_ONE_CASE, *_WANTS[1:]]
_WANTED = "The message wants"
_NAMED = "What the message names stands in the words of a step"


def run_rest(
    question: str,
    catalog: Catalog,
    *,
    policy: Policy = CONFIRM,
    now: str = "",
    is_small: bool = False,
) -> Steps[Conclusion]:
    """
    Answer `question` over the APIs of `catalog`.

    Args:
        policy: Says which tools are reads; what it refuses is not offered to the model.
        now: What the prompts are told of the date, the time zone and the locale.
        is_small: Whether the model is to be asked for one small thing at a time.

    Returns:
        The answer; with `stopped` other than `answered`, the best partial one.
    """
    run = RestRun(question, catalog, policy, now=now, is_small=is_small)
    steps = map_steps(_answer(run), _RememberReplies())
    return (yield from best_partial(steps, lambda: fact_text(run)))


@dataclass(frozen=True, slots=True)
class _RememberReplies:
    """Ask no prompt twice: the reply to it is known."""

    replies: dict[tuple[str, tuple[Message, ...]], Outcome] = field(
        default_factory=dict[tuple[str, tuple[Message, ...]], Outcome]
    )

    def __call__(self, step: Step) -> Steps[Outcome]:
        if not isinstance(step, Complete):
            return (yield step)
        key = (step.role, step.messages)
        if key not in self.replies:
            self.replies[key] = yield step
        return self.replies[key]


def _answer(run: RestRun) -> Steps[Conclusion]:
    run.plan = yield from _make_plan(run)
    if not run.plan.steps:
        return (yield from _tell_abilities(run))
    stopped = yield from _take_steps(run)
    text = yield from _word_answer(run)
    undone, missing = run.list_undone(changes=True), run.list_undone(changes=False)
    # Said by code, whatever the words of the model leave out.
    text = with_undone(text, undone, run.list_accepted(), missing)
    text = "\n".join((text, *_tell_unplanned(run)))
    if undone or missing:
        reason = "" if stopped == "answered" else "; ".join((*missing, *undone))
        return Conclusion(text=text, stopped=stopped, reason=reason)
    yield say("answer", text)
    return Conclusion(text=text)


def _tell_unplanned(run: RestRun) -> list[str]:
    """What the message names and neither a step nor a call has, and what was made as a part."""
    arguments = [fact.arguments for fact in run.facts]
    arguments += [response.arguments for response in run.responses]
    called = normalize_scalars([*arguments])
    left = [one for one in dict.fromkeys(run.unplanned) if not is_in_text(one, called)]
    told = [f"in no step of the plan: {', '.join(left)}"] if left else []
    return [f"({one})" for one in (*told, *run.merged)]


def _word_answer(run: RestRun) -> Steps[str]:
    """
    The words of the answer, the model's where everything came to an end.

    Of a change that failed a small model says that it was made: then facts stand for themselves.
    """
    if not run.facts:
        return ""
    changes = [step for step in run.plan.changes if step.id in run.failures]
    if any(unmet_condition(run, step) is None for step in changes):
        return "\n".join(str(fact) for fact in run.facts if fact.step)
    return tell_things(run) or (yield from compose_answer(run))


def _tell_abilities(run: RestRun) -> Steps[Conclusion]:
    """Say what can be done. Nothing was found, so that no number of things can be told."""
    text = yield from capabilities(run.question, run.catalog, language=run.plan.language)
    if fault := find_unsupported(text, run.question):
        return Conclusion(text="", stopped="error", reason=f"the answer is not told: {fault}")
    yield say("answer", text)
    return Conclusion(text=text)


def _take_steps(run: RestRun) -> Steps[StopReason]:
    """Take the steps of the plan in turn. A change that was not made ends them."""
    stopped: StopReason = "answered"
    for step in run.plan.steps:
        run.failures[step.id] = "not begun"
    for step in run.plan.steps:
        failure = yield from _take_step(run, step)
        if failure is None:
            run.failures.pop(step.id, None)
            continue
        run.failures[step.id] = failure.why
        stopped = stopped if failure.stopped == "answered" else failure.stopped
        if step.kind == "change" and not unmet_condition(run, step):
            break
    return stopped


def _take_step(run: RestRun, step: PlanStep) -> Steps[Failure | None]:
    missing = [number for number in step.of if run.fact(number) is None]
    if missing and step.kind != "find":
        return Failure(f"what step {missing[0]} was to find is not known", final=True)
    if step.kind == "change":
        done = yield from change(run, step)
        if isinstance(done, Failure):
            return done
        run.facts += done.facts
        return done.failure
    outcome = yield from (compute(run, step) if step.kind == "answer" else find(run, step))
    if isinstance(outcome, Failure):
        return outcome
    run.facts.append(outcome)
    yield say("result", str(outcome)[2:])
    return None


def _make_plan(run: RestRun) -> Steps[Plan]:
    language = ""
    if run.is_small:
        quoted = yield from quote_names(run.question, run.catalog)
        translation = yield from translate(quoted)
        language, run.message = translation.language, translation.text
    plan = yield from _plan_message(run)
    return replace(plan, language=language or plan.language)


def _plan_message(run: RestRun) -> Steps[Plan]:
    # A small model takes the date for a part of the message.
    now = "" if run.is_small else run.now
    prompt = render("rest_planner", question=run.message, now=now)
    reply = yield from _ask_planner(prompt)
    if run.is_small and (not reply["steps"] or has_change(reply)):
        reply = yield from _plan_as_wanted(run.message, reply)
    said = run.said()
    reply = tell_exceptions(reply, said)
    if fault := find_plan_fault(reply, said) or find_made_up(reply, said):
        # Without the message once more, a small model writes a plan of the examples.
        told = Message("user", f"Wrong: {fault}. Write the plan of this again: {run.message}")
        written = Message("assistant", json.dumps(reply, ensure_ascii=False))
        other = yield from _ask_planner((*prompt, written, told))
        if not (other["steps"] and is_as_careful(other, reply)):
            raise UnusableReply("planner", fault)
        reply = other
    elif omitted := find_omitted(reply, run.message):
        # It would repeat the plan that it reads.
        whole = f"{run.message}\n{_NAMED}: {', '.join(omitted)}."
        other = yield from _ask_planner(render("rest_planner", question=whole, now=now))
        # What is left out is no reason to change something, nor nothing, nor more than before.
        is_better = is_as_careful(other, reply) and names_as_much(other, reply, run.message)
        reply = other if is_better and not find_plan_fault(other, said) else reply
    if fault := find_plan_fault(reply, said):
        raise UnusableReply("planner", fault)
    reply = add_omitted(reply, run.message) if run.is_small else reply
    run.unplanned = list_unplanned(reply, run.message)
    plan = read_plan(add_finding(reply))
    for step in plan.steps:
        yield say("plan", f"{step.id}. {step.what}", type=step.kind, quantity=step.quantity)
    return plan


def _plan_as_wanted(message: str, reply: JsonObject) -> Steps[JsonObject]:
    """
    The plan of a message for which a small model has written no steps, or one that changes things.

    Without steps it would only say what it can do, in words that sound as if it had been done. What
    a message is not to be told of it plans to delete.

    Raises:
        UnusableReply: The plan changes something, and no change is wanted.
    """
    prompt = render("rest_intent", question=message)
    asked = yield from ask("intent", prompt, closed({"wants": {"enum": _WANTS}}), max_tokens=20)
    wanted = asked["wants"]
    is_wanted = has_change(reply) and wanted == _CHANGE
    if wanted in _TASKS and not is_wanted:
        whole = f"{message}\n{_WANTED} {wanted}."
        reply = yield from _ask_planner(render("rest_planner", question=whole, now=""), least=1)
    if has_change(reply) and wanted != _CHANGE:
        raise UnusableReply("planner", f"it changes something, and the message wants {wanted}")
    if has_change(reply) and not has_condition(reply):
        return (yield from _plan_in_one_case(message, reply))
    return reply


def _plan_in_one_case(message: str, reply: JsonObject) -> Steps[JsonObject]:
    """
    The plan of a change that depends on nothing; with what it depends on, where the message says.

    A small model may take a condition for a thing to find, or lose it.

    Raises:
        UnusableReply: The change is wanted if something is so, and no plan makes it depend on that
            without changing more.
    """
    prompt = render("rest_condition", question=message)
    asked = yield from ask("condition", prompt, closed({"wants": {"enum": _ORDERS}}), max_tokens=20)
    if asked["wants"] != _IN_ONE_CASE:
        return reply
    whole = f"{message}\n{_WANTED} {_IN_ONE_CASE}."
    other = yield from _ask_planner(render("rest_planner", question=whole, now=""))
    if not (has_condition(other) and is_as_careful(other, reply)):
        raise UnusableReply(
            "planner", f"it depends on nothing, and the message wants {_IN_ONE_CASE}"
        )
    return other


def _ask_planner(prompt: tuple[Message, ...], *, least: int = 0) -> Steps[JsonObject]:
    """
    Ask for a plan.

    Args:
        least: So many steps it has to have.
    """
    contract = schema("rest_planner")
    if least:
        properties = contract["properties"]
        steps = {**properties["steps"], "minItems": least}
        contract = {**contract, "properties": {**properties, "steps": steps}}
    reply = yield from ask(
        "planner", prompt, _demand(contract), max_tokens=_MAX_PLAN_TOKENS, checks=briefly(contract)
    )
    return name_exceptions(separate_conditions(without_unsaid(reply)))


def _demand(contract: JsonObject) -> JsonObject:
    """
    A planner's schema under which a step says in any case what it leaves out and depends on.

    A small model that may be silent of a condition makes one up; one that has to say `null` does
    so.
    """
    properties, steps = contract["properties"], contract["properties"]["steps"]
    kinds = [
        {
            **kind,
            "required": [*kind["required"], *filter(ALWAYS_SAID.__contains__, kind["properties"])],
        }
        for kind in steps["items"]["anyOf"]
    ]
    return {**contract, "properties": {**properties, "steps": {**steps, "items": {"anyOf": kinds}}}}
