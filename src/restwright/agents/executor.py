"""
The executor of RestGPT: calls one chosen operation for a sub-task, and takes the value out.

Ids that the operation needs come from the user's words or from earlier results, else they are
looked up first, by the operations that the document says can supply them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from restwright.agents.answering import facts_so_far
from restwright.agents.caller import (
    argument_lines,
    directed,
    grounded,
    is_presentation,
    loosest,
    open_inputs,
    presentation,
    reply_schema,
)
from restwright.agents.documented import documented_errors
from restwright.agents.examples import exemplified
from restwright.agents.inputs import properties_of, required_of
from restwright.agents.lookup import phrases
from restwright.agents.memory import (
    Known,
    Source,
    id_producers,
    mentioned,
    thing_of,
)
from restwright.agents.parser import parse_response
from restwright.agents.prompts import contained, data, render
from restwright.agents.replies import ask
from restwright.agents.running import Run
from restwright.agents.steps import Answered, Call, Event, EventKind, Message, Question, Say, Steps
from restwright.calls.feedback import feedback
from restwright.calls.mismatch import Mismatch
from restwright.calls.pages import Bounds, pages
from restwright.calls.result import Result
from restwright.calls.separated import check_model, repaired_model
from restwright.tools.tool import Tool
from restwright.typing import Json, JsonObject, is_array, is_object

_CALL_TRIES = 3
_LOOKUP_DEPTH = 3
_PAGES = 5
_AT_ONCE = 5


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a goal could not be reached; `final` when trying another way would be wrong."""

    why: str
    final: bool = False
    stopped: Literal["refused", "question", "error"] = "error"


def say(kind: EventKind, text: str, **data: Json) -> Say:
    """Make the step that tells of an event."""
    return Say(Event(kind, text, data))


def text_schema(name: str) -> JsonObject:
    """The schema of a reply that is one short text called `name`."""
    return {
        "type": "object",
        "properties": {name: {"type": "string", "minLength": 3, "maxLength": 200}},
        "required": [name],
        "additionalProperties": False,
    }


def first_line(tool: Tool) -> str:
    """What a tool does, in its first line."""
    return tool.description.split("\n")[0][:160]


def use(run: Run, tool: Tool, task: str, *, depth: int) -> Steps[Json | Failure]:
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
    for name in required_of(tool):
        if not id_producers(tool, name, run.beside(tool)):
            continue
        known = yield from _candidates(run, tool, name, task, depth=depth)
        if isinstance(known, Failure):
            return known
        if len(known) > 1 and not run.is_read(tool):
            known = yield from _choose(run, tool, name, known, task)
        choices = [{**fixed, name: each.value} for fixed in choices for each in known[:_AT_ONCE]]
    return choices[:_AT_ONCE]


def _candidates(
    run: Run, tool: Tool, name: str, task: str, *, depth: int
) -> Steps[tuple[Known, ...] | Failure]:
    said = mentioned(tool, name, run.question)
    known = run.memory.known(tool, name, run.beside(tool))
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
        yield say("select", f"{run.short_name(supplier)} to find {wanted}", tool=supplier.name)
        outcome = yield from use(run, supplier, wanted, depth=depth + 1)
        known = run.memory.known(tool, name, run.beside(tool))
        if not isinstance(outcome, Failure) and known:
            yield say("result", ", ".join(f"{each.label} ({each.value})" for each in known[:5]))
            return known
    return Failure(f"no {thing} matches: {wanted}")


def _wanted(tool: Tool, name: str, task: str, thing: str) -> Steps[str]:
    """Which thing to look up: a phrase of the task itself, where it has one."""
    offered = phrases(task, tool, name)
    if len(offered) == 1:
        return offered[0]
    schema = text_schema("look_up")
    if offered:
        schema["properties"]["look_up"] = {"enum": list(offered)}
    prompt = render("lookup", task=task, thing=contained(thing))
    reply = yield from ask("planner", prompt, schema, max_tokens=80)
    return str(reply["look_up"])


def _suppliers(run: Run, tool: Tool, name: str) -> list[Tool]:
    """The reads that can supply `name`: first those that need nothing themselves."""
    found = [each.tool for each in id_producers(tool, name, run.beside(tool))]
    reads = [each for each in found if run.is_read(each) and each.name != tool.name]
    return sorted(reads, key=lambda each: bool(each.required))


def _call_and_parse(run: Run, tool: Tool, task: str, fixed: JsonObject) -> Steps[Json | Failure]:
    called = yield from _call(run, tool, task, fixed)
    if isinstance(called, Failure):
        return called
    result, arguments = called
    body = result.value
    value = body
    if run.is_read(tool):
        made = _call_text(run, tool, arguments)
        value = yield from parse_response(task, tool, body, made=made, examples=run.examples)
    source = Source(tool=tool.name, arguments=arguments, body=body, extracted=value)
    run.memory = run.memory.with_source(source)
    if run.is_read(tool) and value in (None, "", [], {}):
        return Failure(f"{run.short_name(tool)} gave nothing for: {task}")
    return value


def _call_text(run: Run, tool: Tool, arguments: JsonObject) -> str:
    """The call in the words of the parser's prompt: ids with what they are the ids of."""
    parts: list[str] = []
    for name, value in arguments.items():
        if not is_presentation(tool, name):
            known = run.memory.known(tool, name, run.beside(tool))
            label = next((each.label for each in known if each.value == value), "")
            parts.append(f"{name}={value!r}" + (f" ({label})" if label else ""))
    return f"{run.short_name(tool)}({', '.join(parts)})"


def _call(
    run: Run, tool: Tool, task: str, fixed: JsonObject
) -> Steps[tuple[Result, JsonObject] | Failure]:
    """Fill in the arguments and call; mismatches and HTTP errors go back to the caller."""
    said: tuple[str, ...] = ()
    why, wrong = "", None
    before: tuple[Mismatch, ...] = ()
    for _ in range(_CALL_TRIES):
        arguments = yield from _arguments(run, tool, task, fixed, said)
        if isinstance(arguments, Failure):
            return arguments
        if arguments == wrong:
            break
        wrong = arguments
        mended = repaired_model(tool, arguments)
        arguments = mended.arguments
        mismatches = check_model(tool, arguments)
        if mismatches:
            why = feedback(run.short_name(tool), mismatches, repeated=before)
            before = mismatches
        else:
            result = yield from _send(run, tool, arguments, is_repaired=bool(mended.repairs))
            if result.ok and _is_empty_list(result.value):
                result, arguments = yield from _loosened(run, tool, arguments, result)
            if result.ok:
                return (yield from _whole(run, tool, arguments, result)), arguments
            if result.repairable_by != "model":
                return failed(result)
            why = result.text
        # Whether a call was made at all is told to whoever counts.
        yield say("feedback", why, tool=tool.name, is_mismatch=bool(mismatches))
        told = (why,) if mismatches else (data(why), *documented_errors(tool, said=said))
        said = (*said, *told)
    return Failure(why)


def failed(result: Result) -> Failure:
    """Why no other arguments would help, and what would."""
    if result.repairable_by == "user":
        why = f"{result.text} (only you can mend that: a credential, a right, a payment)"
        return Failure(why, final=True, stopped="question")
    why = result.text
    if result.repairable_by == "waiting":
        seconds = result.retry_after_s
        when = "later" if seconds is None else f"in {seconds:,.0f} seconds"
        why = f"{why} (try again {when})"
    return Failure(why, final=True, stopped="refused" if result.kind == "refused" else "error")


def _arguments(
    run: Run, tool: Tool, task: str, fixed: JsonObject, said: tuple[str, ...]
) -> Steps[JsonObject | Failure]:
    names = open_inputs(tool, fixed)
    offered = {name: run.memory.known(tool, name, run.beside(tool)) for name in names}
    offered = {
        name: known
        for name, known in offered.items()
        if known and id_producers(tool, name, run.beside(tool))
    }
    given: JsonObject = {}
    if names:
        reply = yield from _fill(run, tool, task, names, offered, said)
        # What a read is filtered by stands in its sub-task; what a write says may be anywhere.
        words = () if run.is_read(tool) else (run.question, facts_so_far(run.memory))
        text = " ".join((task, *words, *said, str(offered)))
        given, invented = grounded(tool, reply, said=text)
        given = directed(tool, given, task=task)
        for name in invented:
            if name in required_of(tool):
                answered = yield from _asked(run, tool, name)
                if isinstance(answered, Failure):
                    return answered
                given[name] = answered.value
    return {**(presentation(tool) if run.is_read(tool) else {}), **given, **fixed}


def _asked(run: Run, tool: Tool, name: str) -> Steps[Answered | Failure]:
    """Ask the user for what nothing says."""
    schema = properties_of(tool)[name]
    definitions = tool.model_checks.get("$defs")
    asked = {**schema, "$defs": definitions} if definitions and is_object(schema) else schema
    what = str(schema.get("description", "")).partition("\n")[0] if is_object(schema) else ""
    needs = f"{run.short_name(tool)} needs {name}"
    said = yield Question(f"{needs}: {what}" if what else needs, tool.name, asked, name)
    if isinstance(said, Answered):
        return said
    return Failure(f"{needs}, which was not said", final=True, stopped="question")


def _fill(
    run: Run,
    tool: Tool,
    task: str,
    names: tuple[str, ...],
    offered: dict[str, tuple[Known, ...]],
    said: tuple[str, ...],
) -> Steps[JsonObject]:
    facts = facts_so_far(run.memory)
    prompt = exemplified(
        "caller",
        run.examples.caller(tool, names),
        operation=f"{run.short_name(tool)} - {first_line(tool)}",
        arguments=argument_lines(tool, names, offered),
        question=run.question,
        results=f"\nResults: {data(facts)}" if facts else "",
        task=task,
    )
    if said:
        prompt = (*prompt[:-1], Message("user", f"{prompt[-1].text}\nBefore: {' '.join(said)}"))
    schema = reply_schema(tool, names, offered)
    return (yield from ask("caller", prompt, schema, max_tokens=300))


def _send(
    run: Run, tool: Tool, arguments: JsonObject, *, is_repaired: bool = False
) -> Steps[Result]:
    """Call; a read that was made before in this run is answered from its first response."""
    if known := run.answered(tool, arguments):
        return known
    result = yield Call(tool=tool.name, arguments=arguments, is_repaired=is_repaired)
    assert isinstance(result, Result)  # noqa: S101  (the driver's contract)
    run.keep(tool, arguments, result)
    return result


def _whole(run: Run, tool: Tool, arguments: JsonObject, first: Result) -> Steps[Result]:
    """Read the further pages of a list, so that code counts and sorts all of it (bounded)."""
    reading = pages(tool, arguments, Bounds(pages=_PAGES))
    next(reading)  # The first page, which is there.
    result = first
    try:
        while True:
            following = reading.send(result)
            result = yield from _send(run, tool, following)
    except StopIteration as end:
        whole: Result = end.value
    paged = whole.pages
    if paged is None:
        return first
    if not paged.is_whole:
        yield say("note", f"only {paged.items:,} items of {paged.read} pages were read")
    # A page that failed does not take away what the pages before it gave.
    return replace(first, value=whole.value, warnings=whole.warnings, pages=paged)


def _is_empty_list(value: Json) -> bool:
    key = _list_key(value)
    return value == [] or (key is not None and value[key] == [])


def _loosened(
    run: Run, tool: Tool, arguments: JsonObject, result: Result
) -> Steps[tuple[Result, JsonObject]]:
    """Ask once more without free text where nothing matched it."""
    wider = loosest(tool, arguments)
    if not run.is_read(tool) or wider == arguments:
        return result, arguments
    again = yield from _send(run, tool, wider)
    return (again, wider) if again.ok else (result, arguments)


def _list_key(value: Json) -> str | None:
    if not is_object(value):
        return None
    return next((key for key, each in value.items() if is_array(each)), None)
