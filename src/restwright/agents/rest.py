"""
RestGPT's coarse-to-fine online planning (sections 3.1 to 3.3), as a generator of steps.

The planner lists what is asked for and words the next sub-task from the results so far; the
selector picks an operation; the caller fills in its arguments; the parser takes the value out of
the response. Each is one small decision of the model. What code can know, code decides: an id that
is missing is looked up first, by the operations that the document says can supply it; ids are
filled in from what was found; lists are read whole; and nothing is answered before each thing that
was asked for has a value from a result.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal

import orjson

from restwright.agents.answering import capabilities, compose_answer, facts_so_far
from restwright.agents.caller import (
    argument_lines,
    directed,
    grounded,
    is_presentation,
    loosest,
    open_inputs,
    page_input,
    presentation,
    reply_schema,
)
from restwright.agents.lookup import phrases
from restwright.agents.memory import (
    Finding,
    Known,
    Memory,
    Source,
    id_producers,
    label_of,
    mentioned,
    thing_of,
)
from restwright.agents.parser import parse_response
from restwright.agents.prompts import render
from restwright.agents.replies import ask
from restwright.agents.steps import Call, Conclusion, Event, EventKind, Message, Say, Steps
from restwright.calls.arguments import check
from restwright.calls.feedback import feedback
from restwright.calls.result import Result, shorten
from restwright.errors import LimitReached, UnusableReply
from restwright.tools.catalog import Catalog
from restwright.tools.search import search
from restwright.tools.tool import Tool
from restwright.typing import Json, JsonObject, is_array, is_object

_LISTED_OPERATIONS = 30
_SHORT_LIST = 12
_CALL_TRIES = 3
_GOAL_TRIES = 2
_LOOKUP_DEPTH = 3
_PAGES = 5
_AT_ONCE = 5

GoalType = Literal["find", "do"]

_PLAN_SCHEMA: JsonObject = {
    "type": "object",
    "properties": {
        "language": {"type": "string", "minLength": 2, "maxLength": 30},
        "asked": {
            "type": "array",
            "maxItems": 5,
            "items": {
                "type": "object",
                "properties": {
                    "type": {"enum": ["find", "do"]},
                    "what": {"type": "string", "minLength": 3, "maxLength": 200},
                },
                "required": ["type", "what"],
                "additionalProperties": False,
            },
        },
    },
    "required": ["language", "asked"],
    "additionalProperties": False,
}


def _text_schema(name: str) -> JsonObject:
    return {
        "type": "object",
        "properties": {name: {"type": "string", "minLength": 3, "maxLength": 200}},
        "required": [name],
        "additionalProperties": False,
    }


@dataclass(frozen=True, slots=True)
class Goal:
    """One thing that the user asked for."""

    type: GoalType
    what: str


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a goal could not be reached; `final` when trying another way would be wrong."""

    why: str
    final: bool = False
    stopped: Literal["refused", "question", "error"] = "error"


@dataclass(slots=True)
class Run:
    """What one run carries along."""

    question: str
    catalog: Catalog
    language: str = "English"
    memory: Memory = field(default_factory=Memory)
    failures: list[str] = field(default_factory=list[str])
    answered_calls: dict[bytes, Result] = field(default_factory=dict[bytes, Result])

    @property
    def tools(self) -> tuple[Tool, ...]:
        """All tools of the catalog."""
        return self.catalog.tools

    @property
    def ordered_tools(self) -> tuple[Tool, ...]:
        """All tools in the order of their documents, which puts what belongs together side by side."""
        places = {
            (namespace, operation.pointer): place
            for namespace, api in self.catalog.apis.items()
            for place, operation in enumerate(api.operations)
        }
        return tuple(
            sorted(
                self.tools, key=lambda t: (t.namespace, places[t.namespace, t.operation.pointer])
            )
        )

    def short_name(self, tool: Tool) -> str:
        """The shortest name that means only this tool."""
        same = [each for each in self.tools if each.operation_name == tool.operation_name]
        return tool.operation_name if len(same) == 1 else tool.name


def rest(question: str, catalog: Catalog) -> Steps[Conclusion]:
    """
    Answer `question` over the APIs of `catalog`.

    Returns:
        The answer; with `stopped` other than `answered`, the best partial one.
    """
    run = Run(question, catalog)
    try:
        return (yield from _converse(run))
    except LimitReached as limit:
        return Conclusion(text=facts_so_far(run.memory), stopped="limit", reason=limit.message)
    except UnusableReply as error:
        return Conclusion(text=facts_so_far(run.memory), stopped="error", reason=error.message)


def _converse(run: Run) -> Steps[Conclusion]:
    goals = yield from _plan(run)
    if not goals:
        text = yield from capabilities(run.question, run.catalog, language=run.language)
        yield _say("answer", text)
        return Conclusion(text=text)
    for number, goal in enumerate(goals):
        failure = yield from _reach(run, goal, first=number == 0)
        if failure:
            return Conclusion(
                text=facts_so_far(run.memory), stopped=failure.stopped, reason=failure.why
            )
    text = yield from compose_answer(run.question, run.memory, language=run.language)
    yield _say("answer", text)
    return Conclusion(text=text)


def _say(kind: EventKind, text: str, **data: Json) -> Say:
    return Say(Event(kind, text, data))


def _plan(run: Run) -> Steps[tuple[Goal, ...]]:
    reply = yield from ask("planner", render("planner", question=run.question), _PLAN_SCHEMA)
    run.language = str(reply["language"])
    goals = tuple(Goal(each["type"], each["what"]) for each in reply["asked"])
    for number, goal in enumerate(goals, 1):
        yield _say("plan", f"{number}. {goal.what}", type=goal.type)
    return goals


def _reach(run: Run, goal: Goal, *, first: bool) -> Steps[Failure | None]:
    """Work on one goal until it has a value; None when it has."""
    failure: Failure | None = None
    tried: set[str] = set()
    for attempt in range(_GOAL_TRIES):
        task = goal.what
        if not (first and attempt == 0):
            task = yield from _next_sub_task(run, goal)
        failure = yield from _attempt(run, goal, task, tried)
        if failure is None or failure.final:
            return failure
        run.failures.append(f"{task} failed: {failure.why}")
        yield _say("note", failure.why)
    return failure


def _next_sub_task(run: Run, goal: Goal) -> Steps[str]:
    """Word the next sub-task, now that there are results: by code where that is a substitution."""
    named = _with_names(goal.what, run.memory)
    if named != goal.what and not run.failures:
        yield _say("plan", named)
        return named
    results = [f"{each.asked}: {shorten(each.value, 300)}" for each in run.memory.findings]
    lines = [f"{n}. {text}" for n, text in enumerate((*results, *run.failures), 1)]
    prompt = render(
        "replanner", question=run.question, results="\n".join(lines) or "none", goal=goal.what
    )
    reply = yield from ask("planner", prompt, _text_schema("sub_task"), max_tokens=120)
    yield _say("plan", reply["sub_task"])
    return str(reply["sub_task"])


def _with_names(text: str, memory: Memory) -> str:
    """Put the names that were found in the place of the descriptions they were found by."""
    for finding in memory.findings:
        name = label_of(finding.value) if is_object(finding.value) else ""
        if name and name.lower() not in text.lower():
            text = re.sub(re.escape(finding.asked), name, text, flags=re.IGNORECASE)
    return text


def _attempt(run: Run, goal: Goal, task: str, tried: set[str]) -> Steps[Failure | None]:
    offered = _offered(run, goal, task, tried)
    if not offered:
        return Failure("no operation is left to try", final=True)
    tool = yield from _select(run, offered, task)
    tried.add(tool.name)
    outcome = yield from _use(run, tool, task, depth=0)
    if isinstance(outcome, Failure):
        return outcome
    finding = Finding(asked=goal.what, tool=tool.name, value=outcome, is_write=not tool.is_read)
    run.memory = run.memory.with_finding(finding)
    yield _say("result", shorten(outcome, 600), value=outcome)
    return None


def _offered(run: Run, goal: Goal, task: str, tried: set[str]) -> tuple[Tool, ...]:
    """The operations that may serve: writes to do something, reads to find something."""
    fitting = tuple(
        tool
        for tool in run.ordered_tools
        if tool.is_read == (goal.type == "find") and tool.name not in tried
    )
    if len(fitting) <= _LISTED_OPERATIONS:
        return fitting
    return tuple(found.tool for found in search(task, fitting, k=_SHORT_LIST))


def _select(run: Run, offered: tuple[Tool, ...], task: str) -> Steps[Tool]:
    names = {run.short_name(tool): tool for tool in offered}
    lines = "\n".join(f"- {name}: {_first_line(tool)}" for name, tool in names.items())
    if len(names) == 1:
        (chosen,) = names
    else:
        schema: JsonObject = {
            "type": "object",
            "properties": {"operation": {"enum": list(names)}},
            "required": ["operation"],
            "additionalProperties": False,
        }
        prompt = render("selector", operations=lines, task=task)
        reply = yield from ask("selector", prompt, schema, max_tokens=60)
        chosen = str(reply["operation"])
    tool = names[chosen]
    yield _say("select", f"{chosen} to {task}", tool=tool.name)
    return tool


def _first_line(tool: Tool) -> str:
    return tool.description.split("\n")[0][:160]


def _use(run: Run, tool: Tool, task: str, *, depth: int) -> Steps[Json | Failure]:
    """Call `tool` for `task` and take the value out of its response."""
    choices = yield from _ids(run, tool, task, depth=depth)
    if isinstance(choices, Failure):
        return choices
    values: list[Json] = []
    for fixed in choices:
        outcome = yield from _call_and_parse(run, tool, task, fixed)
        if isinstance(outcome, Failure):
            return outcome
        values.append(outcome)
    return values[0] if len(values) == 1 else values


def _ids(run: Run, tool: Tool, task: str, *, depth: int) -> Steps[list[JsonObject] | Failure]:
    """
    Find the ids that `tool` requires: in the user's words, in the results, else by a look-up.

    Returns:
        The fixed arguments of each call to make: one, or several when a read is asked of several.
    """
    choices: list[JsonObject] = [{}]
    for name in tool.required:
        if not id_producers(tool, name, run.tools):
            continue
        known = yield from _candidates(run, tool, name, task, depth=depth)
        if isinstance(known, Failure):
            return known
        if len(known) > 1 and not tool.is_read:
            known = yield from _choose(run, tool, name, known, task)
        choices = [{**fixed, name: each.value} for fixed in choices for each in known[:_AT_ONCE]]
    return choices[:_AT_ONCE]


def _candidates(
    run: Run, tool: Tool, name: str, task: str, *, depth: int
) -> Steps[tuple[Known, ...] | Failure]:
    said = mentioned(tool, name, run.question)
    known = run.memory.known(tool, name, run.tools)
    named = tuple(each for each in known if _is_named(each, task))
    found = said or named or known
    if found:
        return found
    return (yield from _look_up(run, tool, name, task, depth=depth))


def _is_named(known: Known, task: str) -> bool:
    label = known.label.lower()
    return str(known.value).lower() in task.lower() or (bool(label) and label in task.lower())


def _choose(
    run: Run, tool: Tool, name: str, known: tuple[Known, ...], task: str
) -> Steps[tuple[Known, ...]]:
    """Let the model pick one of the known ids."""
    offered = {name: known}
    reply = yield from _fill(run, tool, task, (name,), offered, ())
    return tuple(each for each in known if each.value == reply.get(name))[:1] or known[:1]


def _look_up(
    run: Run, tool: Tool, name: str, task: str, *, depth: int
) -> Steps[tuple[Known, ...] | Failure]:
    """Call an operation that can supply `name`, and keep the ids that match the task."""
    thing = thing_of(tool, name)
    if depth >= _LOOKUP_DEPTH:
        return Failure(f"no {thing} could be found for: {task}")
    wanted = yield from _wanted(tool, name, task, thing)
    for supplier in _suppliers(run, tool, name)[: _LOOKUP_DEPTH - depth]:
        yield _say("select", f"{run.short_name(supplier)} to find {wanted}", tool=supplier.name)
        outcome = yield from _use(run, supplier, wanted, depth=depth + 1)
        known = run.memory.known(tool, name, run.tools)
        if not isinstance(outcome, Failure) and known:
            yield _say("result", ", ".join(f"{each.label} ({each.value})" for each in known[:5]))
            return known
    return Failure(f"no {thing} matches: {wanted}")


def _wanted(tool: Tool, name: str, task: str, thing: str) -> Steps[str]:
    """Which thing to look up: a phrase of the task itself, where it has one."""
    offered = phrases(task, tool, name)
    if len(offered) == 1:
        return offered[0]
    schema = _text_schema("look_up")
    if offered:
        schema["properties"]["look_up"] = {"enum": list(offered)}
    prompt = render("lookup", task=task, thing=thing)
    reply = yield from ask("planner", prompt, schema, max_tokens=80)
    return str(reply["look_up"])


def _suppliers(run: Run, tool: Tool, name: str) -> list[Tool]:
    """The reads that can supply `name`, best first; those that need no look-up of their own lead."""
    found = [each.tool for each in id_producers(tool, name, run.tools)]
    reads = [each for each in found if each.is_read and each.name != tool.name]
    return sorted(reads, key=lambda each: bool(each.required))


def _call_and_parse(run: Run, tool: Tool, task: str, fixed: JsonObject) -> Steps[Json | Failure]:
    called = yield from _call(run, tool, task, fixed)
    if isinstance(called, Failure):
        return called
    result, arguments = called
    body = result.value
    value = body
    if tool.is_read:
        made = _call_text(run, tool, arguments)
        value = yield from parse_response(task, tool, body, made=made)
    source = Source(tool=tool.name, arguments=arguments, body=body, extracted=value)
    run.memory = run.memory.with_source(source)
    if tool.is_read and value in (None, "", [], {}):
        return Failure(f"{run.short_name(tool)} gave nothing for: {task}")
    return value


def _call_text(run: Run, tool: Tool, arguments: JsonObject) -> str:
    """The call in the words of the parser's prompt: ids with what they are the ids of."""
    parts: list[str] = []
    for name, value in arguments.items():
        if not is_presentation(tool, name):
            known = run.memory.known(tool, name, run.tools)
            label = next((each.label for each in known if each.value == value), "")
            parts.append(f"{name}={value!r}" + (f" ({label})" if label else ""))
    return f"{run.short_name(tool)}({', '.join(parts)})"


def _call(
    run: Run, tool: Tool, task: str, fixed: JsonObject
) -> Steps[tuple[Result, JsonObject] | Failure]:
    """Fill in the arguments and call; mismatches and HTTP errors go back to the caller."""
    said: tuple[str, ...] = ()
    why, wrong = "", None
    for _ in range(_CALL_TRIES):
        arguments = yield from _arguments(run, tool, task, fixed, said)
        if isinstance(arguments, Failure):
            return arguments
        if arguments == wrong:
            break
        wrong = arguments
        mismatches = check(tool, arguments)
        if mismatches:
            why = feedback(run.short_name(tool), mismatches)
        else:
            result = yield from _send(run, tool, arguments)
            if result.ok and _is_empty_list(result.value):
                result, arguments = yield from _loosened(run, tool, arguments, result)
            if result.ok:
                return (yield from _whole(run, tool, arguments, result)), arguments
            if not _is_repairable(result):
                stopped = "refused" if result.kind == "refused" else "error"
                return Failure(result.text, final=True, stopped=stopped)
            why = result.text
        yield _say("feedback", why)
        said = (*said, why)
    return Failure(why)


def _is_repairable(result: Result) -> bool:
    """Whether another try can help: the server understood the request, and says what is wrong."""
    return (
        result.kind == "http_error"
        and 400 <= (result.status or 0) < 500
        and result.status not in (401, 403)
    )


def _arguments(
    run: Run, tool: Tool, task: str, fixed: JsonObject, said: tuple[str, ...]
) -> Steps[JsonObject | Failure]:
    names = open_inputs(tool, fixed)
    offered = {name: run.memory.known(tool, name, run.tools) for name in names}
    offered = {
        name: known
        for name, known in offered.items()
        if known and id_producers(tool, name, run.tools)
    }
    given: JsonObject = {}
    if names:
        reply = yield from _fill(run, tool, task, names, offered, said)
        # What a read is filtered by stands in its sub-task; what a write says may be anywhere.
        words = () if tool.is_read else (run.question, facts_so_far(run.memory))
        text = " ".join((task, *words, *said, str(offered)))
        given, invented = grounded(tool, reply, said=text)
        given = directed(tool, given, task=task)
        missing = [name for name in invented if name in tool.required]
        if missing:
            return Failure(
                f"{run.short_name(tool)} needs {', '.join(missing)}, which was not said",
                final=True,
                stopped="question",
            )
    return {**(presentation(tool) if tool.is_read else {}), **given, **fixed}


def _fill(
    run: Run,
    tool: Tool,
    task: str,
    names: tuple[str, ...],
    offered: dict[str, tuple[Known, ...]],
    said: tuple[str, ...],
) -> Steps[JsonObject]:
    facts = facts_so_far(run.memory)
    prompt = render(
        "caller",
        operation=f"{run.short_name(tool)} - {_first_line(tool)}",
        arguments=argument_lines(tool, names, offered),
        question=run.question,
        results=f"\nResults: {facts}" if facts else "",
        task=task,
    )
    if said:
        prompt = (*prompt[:-1], Message("user", f"{prompt[-1].text}\nBefore: {' '.join(said)}"))
    schema = reply_schema(tool, names, offered)
    return (yield from ask("caller", prompt, schema, max_tokens=300))


def _send(run: Run, tool: Tool, arguments: JsonObject) -> Steps[Result]:
    """Call; a read that was made before in this run is answered from its first response."""
    key = orjson.dumps([tool.name, arguments], option=orjson.OPT_SORT_KEYS)
    if tool.is_read and key in run.answered_calls:
        return run.answered_calls[key]
    result = yield Call(tool=tool.name, arguments=arguments)
    assert isinstance(result, Result)  # noqa: S101  (the driver's contract)
    if tool.is_read and result.ok:
        run.answered_calls[key] = result
    if not tool.is_read:
        run.answered_calls.clear()
    return result


def _whole(run: Run, tool: Tool, arguments: JsonObject, first: Result) -> Steps[Result]:
    """Read the further pages of a list, so that code counts and sorts all of it (bounded)."""
    name, key = page_input(tool), _list_key(first.value)
    if name is None or key is None or not tool.is_read:
        return first
    items: list[Json] = list(first.value[key])
    size = len(items)
    total = first.value.get("total")
    for page in range(2, _PAGES + 1):
        if not isinstance(total, int) or size == 0 or len(items) >= total:
            break
        result = yield from _send(run, tool, {**arguments, name: page})
        more = result.value.get(key, []) if is_object(result.value) else []
        if not result.ok or not more:
            break
        items.extend(more)
    merged = {**first.value, key: items}
    return Result(kind="ok", value=merged, request=first.request, response=first.response)


def _is_empty_list(value: Json) -> bool:
    key = _list_key(value)
    return value == [] or (key is not None and value[key] == [])


def _loosened(
    run: Run, tool: Tool, arguments: JsonObject, result: Result
) -> Steps[tuple[Result, JsonObject]]:
    """Ask once more without free text where nothing matched it; keep the first if that is no better."""
    wider = loosest(tool, arguments)
    if not tool.is_read or wider == arguments:
        return result, arguments
    again = yield from _send(run, tool, wider)
    return (again, wider) if again.ok else (result, arguments)


def _list_key(value: Json) -> str | None:
    if not is_object(value):
        return None
    return next((key for key, each in value.items() if is_array(each)), None)
