"""The operations that the selector of `rest` reads of, and which of them it chooses."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from restwright.agents.executor.running import Run
from restwright.agents.executor.taking import is_within_reach, needs_id, takes
from restwright.agents.memory.lookup import names_in
from restwright.agents.memory.tool_inputs import words_input
from restwright.agents.rest.choosing import Wanted, better, line_of
from restwright.agents.rest.expand import phrases_for
from restwright.agents.rest.planning import GoalType
from restwright.agents.roles.failure import say
from restwright.agents.roles.few_shot import MOST_ASKED, exemplified
from restwright.agents.roles.structured_output import ask, briefly, closed
from restwright.agents.steps import Steps
from restwright.errors import UnusableReply
from restwright.jsontypes import JsonObject
from restwright.tools.tool import Tool
from restwright.tools.toolset import match_tools

LISTED = 60
"""As many operations are listed for the selector without a search."""

SHORT_LIST = 20
"""As many operations are searched for the selector where there are more."""

_OWN = re.compile(r"\bI\b")
_QUOTED = re.compile(r"[\"'\u201c\u2018\u00ab]\w")

# As many operations are chosen at once.
_SEQUENCE = 3


@dataclass(frozen=True, slots=True)
class Part:
    """An operation that was chosen, with its part of a sub-task."""

    tool: Tool
    task: str


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


def offered(run: Run, type_: GoalType, task: str, tried: Collection[str]) -> Steps[Offered]:
    """The operations that may serve: writes to do something, reads to find something."""
    sort = "reads" if type_ == "find" else "writes"
    part = run.part(reads=sort == "reads")
    if len(part.names) <= LISTED:
        listed, why = run.in_order(part.names), f"all {sort} that are left"
    else:
        phrases = (yield from _phrases(run, task)) if run.expands else ()
        found = match_tools(task, part, SHORT_LIST + len(tried), phrases=phrases)
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


def choose(run: Run, tools: Sequence[Tool], task: str) -> Steps[Tool]:
    """Let the model choose one of some reads."""
    run.about = ()
    listed = yield from offered(run, "find", task, ())
    wanted = {each.name for each in tools}
    names = tuple(name for name, each in listed.tools.items() if each.name in wanted)
    if len(names) < len(tools):
        listed, names = Offered({run.short_name(each): each for each in tools}, (), ""), ()
    part, *_ = yield from select(run, replace(listed, names=names or tuple(listed.tools)), task)
    return part.tool


def _phrases(run: Run, task: str) -> Steps[tuple[str, ...]]:
    """What else to search for, in the model's words; nothing where it has none."""
    try:
        return (yield from phrases_for(task))
    except UnusableReply as error:
        yield say("note", f"the search is not expanded: {error.why}")
        return ()


def select(run: Run, offered: Offered, task: str) -> Steps[tuple[Part, ...]]:
    """Let the model choose an operation for a task; several in order where it is no small one."""
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
