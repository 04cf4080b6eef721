"""
RestGPT's coarse-to-fine online planning (sections 3.1 to 3.3), as a generator of steps.

The planner lists what is asked for and words the next sub-task from the results so far; the
selector picks an operation, or a short sequence of them where the model is no small one; the
caller fills in its arguments; the parser takes the value out of the response. Each is one small
decision of the model. What code can know, code decides: an id that is missing is looked up first,
by the operations that the document says can supply it; ids are filled in from what was found; lists
are read whole; and nothing is answered before each thing that was asked for has a value from a
result.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from restwright.agents.answering import best_partial, capabilities, compose_answer
from restwright.agents.choosing import Wanted, better, line_of
from restwright.agents.examples import MOST_ASKED, NONE, Examples, exemplified
from restwright.agents.executor import use
from restwright.agents.expand import phrases_for
from restwright.agents.identifying import is_within_reach, needs_id, takes
from restwright.agents.inputs import words_input
from restwright.agents.lookup import names_in
from restwright.agents.marks import contained
from restwright.agents.memory import (
    Finding,
    Memory,
    label_of,
)
from restwright.agents.outcome import Failure, say
from restwright.agents.planning import Goal, GoalType, Plan, later, plan_of, referring, unfounded
from restwright.agents.prompts import render, schema
from restwright.agents.referring import Reference, counted, text_of, things_in, written
from restwright.agents.replies import ask, briefly, closed
from restwright.agents.resolving import resolved
from restwright.agents.running import Run
from restwright.agents.steps import Conclusion, Message, Steps, Stopped
from restwright.agents.undone import so_far, with_undone
from restwright.calls.policy import CONFIRM, Policy
from restwright.calls.result import shorten
from restwright.errors import UnusableReply
from restwright.tools.catalog import Catalog
from restwright.tools.offer import matches
from restwright.tools.texts import one_line
from restwright.tools.tool import Tool
from restwright.tools.words import words_of
from restwright.typing import Json, JsonObject, is_object

LISTED = 60
"""As many operations are listed for the selector without a search."""

SHORT_LIST = 20
"""As many operations are searched for the selector where there are more."""

_GOAL_TRIES = 3

# Words that mean something said before, which only the model can put a name to.
_REFERRING = re.compile(
    r"(?i)\b(it|its|they|them|their|this|that|these|those|there|he|him|his|she|her)\b"
)

_OWN = re.compile(r"\bI\b")
_QUOTED = re.compile(r"[\"'\u201c\u2018\u00ab]\w")

# Characters of the name of a thing.
_NAME = 80

# Tokens of a plan.
_PLANNED = 400

# As many operations are chosen at once.
_SEQUENCE = 3

_NOTHING_LEFT = Failure("no operation is left to try", final=True)


@dataclass(frozen=True, slots=True)
class Part:
    """An operation that was chosen, with its part of a sub-task."""

    tool: Tool
    task: str


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
    run.find = _find
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


def _follow(run: Run, plan: Plan) -> Steps[Stopped]:
    """Take the steps of a plan in turn; `run.undone` is left with those that were not reached."""
    way = _Way(plan, {**plan.named})
    for goal in plan.goals:
        told = referring(goal, way.references).what
        way.references[goal.number] = Reference(told, goal.thing)
        run.undone[str(goal.number)] = f"{told}: not begun"
    stopped: Stopped = "answered"
    for goal in plan.goals:
        key = str(goal.number)
        run.undone[key] = f"{referring(goal, way.references).what}: not finished"
        failure = yield from _step(run, way, goal)
        if failure is None:
            del run.undone[key]
            continue
        run.undone[key] = f"{referring(goal, way.references).what}: {failure.why}"
        stopped = failure.stopped
        if failure.final or goal.type == "do":
            return stopped
    for number in _found_otherwise(plan.goals, way.failed):
        del run.undone[str(number)]
    return stopped if run.undone else "answered"


def _step(run: Run, way: _Way, goal: Goal) -> Steps[Failure | None]:
    """Take one step of a plan, when what it speaks of was looked for."""
    references = way.references
    for number in goal.numbers:
        if number in references and not _is_taken(run, goal, references[number]):
            references[number] = yield from resolved(run, references[number], _choose)
    told = referring(goal, references)
    about = (references[each] for each in goal.numbers if each in references)
    run.about = tuple(each for each in about if not each.is_done)
    failure = _unfounded(goal, way.failed)
    if failure is None:
        failure = yield from _taken(run, told, way.plan)
    if failure is None:
        references[goal.number] = _reference(run, told)
    else:
        references[goal.number] = Reference(told.what, goal.thing)
        way.failed[goal.number] = failure
    return failure


def _taken(run: Run, goal: Goal, plan: Plan) -> Steps[Failure | None]:
    """Take one step, and mark what it finds where it is only on the way."""
    run.failures.clear()
    before = len(run.memory.findings)
    failure = yield from _reach(run, goal, first=goal.number == plan.goals[0].number)
    if later(plan.goals, goal.number):
        findings = run.memory.findings
        passed = (replace(each, is_on_the_way=True) for each in findings[before:])
        run.memory = replace(run.memory, findings=(*findings[:before], *passed))
    return failure


def _unfounded(goal: Goal, failed: Mapping[int, Failure]) -> Failure | None:
    """Nothing is changed for want of what should have been found first."""
    needed = [failed[each] for each in goal.numbers if each in failed]
    return Failure(needed[0].why, final=True) if needed and goal.type == "do" else None


def _reference(run: Run, goal: Goal) -> Reference:
    """What was found for a step, as later ones speak of it."""
    finding = run.memory.findings[-1]
    if finding.is_write:
        return written(goal.what, goal.thing, finding.value)
    given = [each for each in run.memory.sources if each.tool == finding.tool]
    sources = tuple(replace(each, extracted=finding.value) for each in given[-1:])
    things = [
        each for source in sources for each in things_in(finding.value, source.body, goal.thing)
    ]
    text = text_of(goal.what, goal.thing, things or finding.value)
    name = label_of(things[0]) if len(things) == 1 else ""
    return Reference(text, goal.thing, sources, name, things=tuple(things))


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
        if not failure.final and after and not any(each in failed for each in after):
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
    plan = plan_of(reply, run.question, verbs=_verbs(run))
    for number, goal in enumerate(plan.goals, 1):
        what = referring(goal, plan.named).what
        yield say("plan", f"{number}. {what}", type=goal.type)
    return plan


def _verbs(run: Run) -> frozenset[str]:
    """What the operations that change something are called by: the first words of their names."""
    entries = run.part(reads=False).entries.values()
    told = [(each.operation.operation_id or "", each.operation.headline) for each in entries]
    words = (words_of(text) for pair in told for text in pair)
    return frozenset(each[0] for each in words if each)


def _planned(prompt: Sequence[Message]) -> Steps[JsonObject]:
    contract = schema("planner")
    return (
        yield from ask(
            "planner", tuple(prompt), contract, max_tokens=_PLANNED, checks=briefly(contract)
        )
    )


def _reach(run: Run, goal: Goal, *, first: bool) -> Steps[Failure | None]:
    """Work on one goal until it has a value; None when it has."""
    failure: Failure | None = None
    tried: set[str] = set()
    writes = run.writes
    for attempt in range(_GOAL_TRIES):
        # Another change than the one that was refused would do what nobody asked for.
        if failure and (run.writes > writes or not _is_any_left(run, goal, tried)):
            break
        task = goal.what
        if not (first and attempt == 0):
            task = yield from _next_sub_task(run, goal)
        outcome = yield from _attempt(run, goal, task, tried)
        if outcome is _NOTHING_LEFT and failure:
            # Why what was tried failed says more.
            return failure
        failure = outcome
        if failure is None or failure.final:
            return failure
        run.failures.append(f"{task} failed: {failure.why}")
        yield say("note", failure.why)
    return failure


def _is_any_left(run: Run, goal: Goal, tried: Collection[str]) -> bool:
    return any(name not in tried for name in run.part(reads=goal.type == "find").names)


def _next_sub_task(run: Run, goal: Goal) -> Steps[str]:
    """Word the next sub-task, now that there are results: by code where that is a substitution."""
    named = _with_names(goal.what, run.memory)
    if not run.failures and not _REFERRING.search(named):
        yield say("plan", named)
        return named
    results = [f"{each.asked}: {shorten(each.value, 300)}" for each in run.memory.findings]
    lines = [f"{n}. {text}" for n, text in enumerate((*results, *run.failures), 1)]
    prompt = render(
        "replanner", question=run.question, results="\n".join(lines) or "none", goal=goal.what
    )
    contract = schema("replanner")
    reply = yield from ask("planner", prompt, contract, max_tokens=120, checks=briefly(contract))
    yield say("plan", reply["sub_task"])
    return str(reply["sub_task"])


def _with_names(text: str, memory: Memory) -> str:
    """Put the names that were found in the place of the descriptions they were found by."""
    for finding in memory.findings:
        name = label_of(finding.value) if is_object(finding.value) else ""
        # A sub-task stands in no mark, so that of a response no more than a name gets there.
        is_name = 0 < len(name) <= _NAME and contained(one_line(name)) == name
        if is_name and name.lower() not in text.lower():
            text = re.sub(
                re.escape(finding.asked), lambda _, name=name: name, text, flags=re.IGNORECASE
            )
    return text


def _attempt(run: Run, goal: Goal, task: str, tried: set[str]) -> Steps[Failure | None]:
    offered = yield from _offered(run, goal.type, task, tried)
    if not offered.names:
        return _NOTHING_LEFT
    parts = yield from _select(run, offered, task)
    before = run.memory.findings
    failure: Failure | None = None
    for number, part in enumerate(parts, 1):
        asked = goal.what if number == len(parts) else part.task
        failure = yield from _do(run, part, asked)
        # A read that gave something may serve the next attempt too; a write is never made twice.
        if failure or not run.is_read(part.tool):
            tried.add(part.tool.name)
        if failure:
            tried.update(failure.rules_out(offered.tools.values()))
            break
    _forget_the_way(run, before, is_reached=failure is None)
    return failure


def _do(run: Run, part: Part, asked: str) -> Steps[Failure | None]:
    """Let the executor do one part, and keep what it finds."""
    outcome = yield from use(run, part.tool, part.task, depth=0)
    if isinstance(outcome, Failure):
        return outcome
    is_write = not run.is_read(part.tool)
    outcome = outcome if is_write else counted(asked, outcome)
    finding = Finding(asked=asked, tool=part.tool.name, value=outcome, is_write=is_write)
    run.memory = run.memory.with_finding(finding)
    yield say("result", shorten(outcome, 600), value=outcome)
    return None


def _find(run: Run, what: str, depth: int, without: Collection[str]) -> Steps[Json | Failure]:
    """Find out what a description means, on the way to something else."""
    offered = yield from _offered(run, "find", what, without)
    if not offered.names:
        return Failure(f"nothing finds {what}")
    outcome: Json | Failure = None
    for part in (yield from _select(run, offered, what)):
        outcome = yield from use(run, part.tool, part.task, depth=depth)
        if isinstance(outcome, Failure):
            break
    return outcome


def _forget_the_way(run: Run, before: tuple[Finding, ...], *, is_reached: bool) -> None:
    """
    Keep of a sequence what was asked for and what was written.

    The answer need not say what was found only on the way. Its ids stay known.
    """
    found = run.memory.findings[len(before) :]
    way, last = (found[:-1], found[-1:]) if is_reached else (found, ())
    written = tuple(each for each in way if each.is_write)
    run.memory = replace(run.memory, findings=(*before, *written, *last))


@dataclass(frozen=True, slots=True)
class Offered:
    """
    The operations that a selector reads of, by the names that it reads.

    Args:
        names: Those that it may choose. All are listed all the same, so that the list stays as it
            is while a run goes on: a local model reads it once.
        why: How they came there.
    """

    tools: Mapping[str, Tool]
    names: tuple[str, ...]
    why: str


def _offered(run: Run, type_: GoalType, task: str, tried: Collection[str]) -> Steps[Offered]:
    """The operations that may serve: writes to do something, reads to find something."""
    sort = "reads" if type_ == "find" else "writes"
    part = run.part(reads=sort == "reads")
    if len(part.names) <= LISTED:
        listed, why = run.in_order(part.names), f"all {sort} that are left"
    else:
        phrases = (yield from _phrases(run, task)) if run.expands else ()
        found = matches(task, part, SHORT_LIST + len(tried), phrases=phrases)
        names = [each.name for each in found if each.name not in tried]
        why = f"{len(part.names):,} {sort}, more than {LISTED}; these were found for the task"
        listed = tuple(run.catalog[name] for name in names[:SHORT_LIST])
    tools = {run.short_name(tool): tool for tool in listed}
    left = {name: tool for name, tool in tools.items() if tool.name not in tried}
    near = {name: tool for name, tool in left.items() if is_within_reach(run, tool)}
    if type_ == "find" and not (run.about or names_in(task) or _QUOTED.search(task)):
        # There is nothing to search for; and what is the user's own has no owner to look up.
        is_own = _OWN.search(task)
        near = {
            name: tool
            for name, tool in near.items()
            if not (words_input(tool) or (is_own and needs_id(run, tool)))
        } or near
    return Offered(tools, _about(run, near or left), why)


def _about(run: Run, tools: Mapping[str, Tool]) -> tuple[str, ...]:
    """The names of those operations that can be given most of what the step speaks of."""
    found = [each for each in run.about if each.sources]
    counts = {
        name: sum(takes(run, tool, each) for each in found) for name, tool in tools.items() if found
    }
    most = max(counts.values(), default=0)
    return tuple(name for name in tools if not most or counts[name] == most)


def _choose(run: Run, tools: Sequence[Tool], task: str) -> Steps[Tool]:
    """Let the model choose one of some reads."""
    run.about = ()
    offered = yield from _offered(run, "find", task, ())
    wanted = {each.name for each in tools}
    names = tuple(name for name, each in offered.tools.items() if each.name in wanted)
    if len(names) < len(tools):
        offered, names = Offered({run.short_name(each): each for each in tools}, (), ""), ()
    part, *_ = yield from _select(run, replace(offered, names=names or tuple(offered.tools)), task)
    return part.tool


def _phrases(run: Run, task: str) -> Steps[tuple[str, ...]]:
    """What else to search for, in the model's words; nothing where it has none."""
    try:
        return (yield from phrases_for(task))
    except UnusableReply as error:
        yield say("note", f"the search is not expanded: {error.why}")
        return ()


def _select(run: Run, offered: Offered, task: str) -> Steps[tuple[Part, ...]]:
    tools = {name: offered.tools[name] for name in offered.names}
    lines = "\n".join(line_of(name, tool) for name, tool in offered.tools.items())
    if len(tools) == 1:
        chosen = [(name, task) for name in tools]
    elif run.sequences:
        shots = run.examples.selector(tools, sequences=True)
        prompt = exemplified("selector_sequence", shots, operations=lines, task=task)
        contract = _sequence_schema(tools)
        checks = briefly(contract)
        reply = yield from ask("selector", prompt, contract, max_tokens=300, checks=checks)
        chosen = [(str(each["operation"]), str(each["task"])) for each in reply["operations"]]
    else:
        shots = run.examples.selector(tools, sequences=False)
        prompt = exemplified("selector", shots, operations=lines, task=task)
        reply = yield from ask("selector", prompt, _schema(tools), max_tokens=120)
        wanted = Wanted(str(reply["asked"]), str(reply["of"]), task)
        chosen = [(better(str(reply["operation"]), wanted, tools), task)]
    listed = [each.name for each in tools.values()]
    parts = tuple(Part(tools[name], words) for name, words in dict.fromkeys(chosen))
    for part in parts:
        text = f"{run.short_name(part.tool)} to {part.task}"
        yield say("select", text, tool=part.tool.name, offered=listed, why=offered.why)
        # They are counted once.
        listed = []
    return parts


def _schema(names: Collection[str]) -> JsonObject:
    asked: JsonObject = {"type": "string", "maxLength": MOST_ASKED}
    return closed({"asked": asked, "of": asked, "operation": {"enum": [*names]}})


def _sequence_schema(names: Collection[str]) -> JsonObject:
    task: JsonObject = {"type": "string", "minLength": 3, "maxLength": 200}
    item = closed({"operation": {"enum": [*names]}, "task": task})
    operations = {"type": "array", "minItems": 1, "maxItems": _SEQUENCE, "items": item}
    return closed({"operations": operations})
