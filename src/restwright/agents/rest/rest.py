"""
RestGPT's coarse-to-fine online planning (sections 3.1 to 3.3), as a generator of steps.

The planner lists what the message names and the steps to what it asks for, which speak of these
and of each other by number; after a failure it words the step anew. The selector picks an
operation, or a short sequence of them where the model is no small one; the caller fills in its
arguments; the parser takes the value out of the response. Each is one small decision of the model.
What code can know, code decides: what is named is searched for first; a step chooses among what
takes the id of the thing that it speaks of; ids are filled in from what was found; lists are read
whole; and nothing is answered before each thing that was asked for has a value from a result.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from restwright.agents.executor.running import Run
from restwright.agents.executor.taking import takes
from restwright.agents.executor.undone import REPEATED, so_far, with_undone
from restwright.agents.memory.context import background
from restwright.agents.memory.memory import Finding, Source, label_of
from restwright.agents.memory.referring import Reference, text_of, things_in, things_of, written
from restwright.agents.memory.several import is_many, leaves_out, means_all
from restwright.agents.memory.wording import has_place
from restwright.agents.rest.planning import (
    Goal,
    Plan,
    later,
    plan_of,
    referring,
    unfounded,
    unknown_in,
)
from restwright.agents.rest.reaching import find, reach
from restwright.agents.rest.resolving import ALIKE, resolved
from restwright.agents.rest.shortlist import choose
from restwright.agents.roles.answer import best_partial, capabilities, compose_answer
from restwright.agents.roles.failure import Failure, say
from restwright.agents.roles.few_shot import NONE, Examples, exemplified
from restwright.agents.roles.structured_output import ask, briefly
from restwright.agents.roles.templates import schema
from restwright.agents.steps import Conclusion, Message, Steps, StopReason
from restwright.calls.approval.policy import CONFIRM, Policy
from restwright.jsontypes import Json, JsonObject, is_array
from restwright.tools.catalog.catalog import Catalog
from restwright.tools.text.words import split_words

# A part of a path that is the kind of a thing: in the plural, or before an id.
_THING = re.compile(r"(?<=/)[\w-]+s(?![^/])|(?<=/)[\w-]+(?=/\{)")
# Tokens of a plan.
_PLANNED = 400


def rest(
    question: str,
    catalog: Catalog,
    *,
    policy: Policy = CONFIRM,
    expands: bool = False,
    sequences: bool = False,
    examples: Examples = NONE,
) -> Steps[Conclusion]:
    """
    Answer `question` over the APIs of `catalog`.

    Args:
        policy: Says which tools are reads; what it refuses is not offered to the model.
        expands: Whether the model words what to search for, where there is much to search.
        sequences: Whether the selector may choose several operations at once, which a small model
            does badly.
        examples: What the planner, the selector, the caller and the parser are shown of how it is
            done.

    Returns:
        The answer; with `stopped` other than `answered`, the best partial one.
    """
    run = Run(question, catalog, policy, expands=expands, sequences=sequences, examples=examples)
    run.find = find
    return (yield from best_partial(_converse(run), lambda: so_far(run)))


def _converse(run: Run) -> Steps[Conclusion]:
    plan = yield from _plan(run)
    if not plan.goals:
        text = yield from capabilities(run.question, run.catalog, language=run.language)
        yield say("answer", text)
        return Conclusion(text=text)
    stopped = yield from _follow(run, plan)
    text = ""
    if run.memory.findings:
        text = yield from compose_answer(run.question, run.memory, language=run.language)
    if run.undone:
        reason = "; ".join(run.undone.values())
        text = with_undone(text, run.undone.values(), run.accepted)
        return Conclusion(text=text, stopped=stopped, reason=reason)
    text = with_undone(text, (), run.accepted)
    yield say("answer", text)
    return Conclusion(text=text)


@dataclass(frozen=True, slots=True)
class _Way:
    """How far a plan was followed: what its numbers stand for, and what failed."""

    plan: Plan
    references: dict[int, Reference]
    failed: dict[int, Failure] = field(default_factory=dict[int, Failure])


def _follow(run: Run, plan: Plan) -> Steps[StopReason]:
    """Take the steps of a plan in turn; `run.undone` is left with those that were not reached."""
    way = _Way(plan, {**plan.named})
    for goal in plan.goals:
        told = referring(goal, way.references).what
        way.references[goal.number] = Reference(told, goal.thing)
        run.undone[str(goal.number)] = f"{told}: not begun"
    stopped: StopReason = "answered"
    for goal in plan.goals:
        key = str(goal.number)
        run.undone[key] = f"{referring(goal, way.references).what}: not finished"
        failure = yield from _step(run, way, goal)
        if failure is None:
            del run.undone[key]
            continue
        run.undone[key] = f"{referring(goal, way.references).what}: {failure.why}"
        stopped = failure.stopped
        if failure.final or (goal.type == "do" and failure != REPEATED):
            return stopped
    for number in _found_otherwise(plan.goals, way.failed):
        del run.undone[str(number)]
    return stopped if run.undone else "answered"


def _step(run: Run, way: _Way, goal: Goal) -> Steps[Failure | None]:
    """Take one step of a plan, when what it speaks of was looked for."""
    references = way.references
    for number in goal.numbers:
        if number in references and not _is_taken(run, goal, references[number]):
            references[number] = yield from resolved(
                run, references[number], choose, alike=1 if goal.type == "do" else ALIKE
            )
    told = referring(goal, references)
    about = (references[each] for each in goal.numbers if each in references)
    run.about = tuple(each for each in about if not each.is_done)
    failure = _unfounded(goal, way.failed, run.question) or _without_exception(run, way, goal)
    if failure is None:
        failure = yield from _taken(run, told, way.plan)
    if failure is None:
        references[goal.number] = _reference(run, goal, told.what)
    else:
        references[goal.number] = Reference(told.what, goal.thing)
        way.failed[goal.number] = failure
    return failure


def _taken(run: Run, goal: Goal, plan: Plan) -> Steps[Failure | None]:
    """Take one step, and mark what it finds where it is only on the way."""
    run.failures.clear()
    before = len(run.memory.findings)
    failure = yield from reach(run, goal, first=goal.number == plan.goals[0].number)
    if later(plan.goals, goal.number):
        findings = run.memory.findings
        passed = (replace(each, is_on_the_way=True) for each in findings[before:])
        run.memory = replace(run.memory, findings=(*findings[:before], *passed))
    return failure


def _unfounded(goal: Goal, failed: Mapping[int, Failure], question: str) -> Failure | None:
    """Nothing is changed for want of what should have been found first."""
    if goal.type == "do" and (unknown := unknown_in(goal, question)):
        return Failure(f"the plan does not say what #{unknown[0]} is", final=True)
    needed = [failed[each] for each in goal.numbers if each in failed]
    return Failure(needed[0].why, final=True) if needed and goal.type == "do" else None


def _without_exception(run: Run, way: _Way, goal: Goal) -> Failure | None:
    """What the message leaves out of several things is not changed for want of a word in a plan."""
    is_each = any(each.is_many for each in run.about) or means_all(goal.what, goal.thing)
    if goal.type == "find" or not is_each or not leaves_out(run.question):
        return None
    if any(leaves_out(each.what) for each in way.plan.goals):
        return None
    return Failure("the plan does not say what is left out", final=True)


def _reference(run: Run, goal: Goal, told: str) -> Reference:
    """
    What was found for a step, as later ones speak of it.

    Args:
        told: The step in words; its own words, with numbers, say whether several are meant.
    """
    finding = run.memory.findings[-1]
    if finding.is_write:
        return written(told, goal.thing, finding.value)
    value = things_of(told, finding.value)
    sources = _sources(run, finding, value)
    things = [
        each for source in sources for each in things_in(source.extracted, source.body, goal.thing)
    ]
    is_part = finding.tool in run.partly or any(each.is_part for each in run.about)
    return Reference(
        text_of(told, goal.thing, things or value),
        goal.thing,
        sources,
        label_of(things[0]) if len(things) == 1 else "",
        things=tuple(things),
        is_many=is_many(goal.what),
        is_part=is_part and not has_place(goal.what),
    )


def _sources(run: Run, finding: Finding, value: Json) -> tuple[Source, ...]:
    """The responses that gave a finding: several where an operation was asked of several things."""
    given = [each for each in run.memory.sources if each.tool == finding.tool]
    several = given[-len(value) :] if is_array(value) and len(value) > 1 else []
    if several and [each.extracted for each in several] == value:
        return tuple(several)
    return tuple(replace(each, extracted=value) for each in given[-1:])


def _is_taken(run: Run, goal: Goal, reference: Reference) -> bool:
    """Whether what is spoken of was found, in a form that some operation can be given."""
    if not reference.sources or not reference.is_thing:
        return bool(reference.sources)
    tools = run.part(reads=goal.type == "find")
    return any(takes(run, tools[name], reference) for name in tools.names)


def _found_otherwise(goals: Sequence[Goal], failed: Mapping[int, Failure]) -> list[int]:
    """The steps that failed, and only led to something that was found another way."""
    found: list[int] = []
    for number, failure in failed.items():
        after = later(goals, number)
        is_over = failure.final or failure == REPEATED
        if not is_over and after and not any(each in failed for each in after):
            found.append(number)
    return found


def _plan(run: Run) -> Steps[Plan]:
    shots = run.examples.planner(run.catalog.apis)
    prompt = exemplified("planner", shots, question=run.question)
    reply = yield from _planned(prompt)
    if wrong := unfounded(reply, run.question):
        told = Message("user", f"Wrong: {wrong}. Write all of it again.")
        again = yield from _planned((*prompt, Message("assistant", json.dumps(reply)), told))
        if again["asked"] and not unfounded(again, run.question):
            reply = again
    run.language = str(reply["language"])
    before = background().said(with_facts=False)
    plan = plan_of(reply, run.question, verbs=_verbs(run), before=before)
    places = {each.number: number for number, each in enumerate(plan.goals, 1)}
    told = {**plan.named, **{each: Reference(f"#{place}", "") for each, place in places.items()}}
    for number, goal in enumerate(plan.goals, 1):
        what = referring(goal, told).what
        yield say("plan", f"{number}. {what}", type=goal.type)
    return plan


def _verbs(run: Run) -> frozenset[str]:
    """
    What the operations that change something are called by: the first words of their names.

    What things are called by is no verb (`order_create`): a message may begin with it as well.
    """
    entries = run.part(reads=False).entries.values()
    told = [(each.operation.operation_id or "", each.operation.headline) for each in entries]
    words = (split_words(text) for pair in told for text in pair)
    paths = [each.operation.path for each in run.catalog.entries.values()]
    things = {word for path in paths for each in _THING.findall(path) for word in split_words(each)}
    return frozenset(each[0] for each in words if each) - things


def _planned(prompt: Sequence[Message]) -> Steps[JsonObject]:
    contract = schema("planner")
    return (
        yield from ask(
            "planner", tuple(prompt), contract, max_tokens=_PLANNED, checks=briefly(contract)
        )
    )
