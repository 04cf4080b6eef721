"""
The executor of RestGPT: calls one chosen operation for a sub-task, and takes the value out.

Ids that the operation needs come from the user's words or from earlier results, else they are
looked up first, by the operations that the document says can supply them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from http import HTTPStatus

from restwright.agents.executor.documented import documented_errors
from restwright.agents.executor.filling import arguments_for, ask_again
from restwright.agents.executor.identifying import ids_for
from restwright.agents.executor.looking_up import Sought
from restwright.agents.executor.running import Run
from restwright.agents.executor.undone import REPEATED
from restwright.agents.memory.lookup import unsaid
from restwright.agents.memory.memory import Finding, Source, thing_of
from restwright.agents.memory.referring import things_of
from restwright.agents.roles.caller import is_presentation, loosest
from restwright.agents.roles.failure import Failure, failed, say
from restwright.agents.roles.parser import parse_response
from restwright.agents.spotlighting import escape_marks, mark_data
from restwright.agents.steps import Call, Steps
from restwright.calls.arguments.feedback import feedback, summarize_mismatches
from restwright.calls.arguments.human_part import check_model_arguments, repair_model_arguments
from restwright.calls.arguments.repair import RepairedArguments
from restwright.calls.mismatch import Mismatch
from restwright.calls.response.http_errors import extract_explanation, strip_model_notice
from restwright.calls.response.pagination import PageLimits, iterate_pages
from restwright.calls.response.result import Result
from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.tools.tool import Tool

_CALL_TRIES = 3
_PAGES = 5


def use(
    run: Run, tool: Tool, task: str, depth: int = 0, sought: Sought | None = None
) -> Steps[Json | Failure]:
    """
    Call `tool` for `task` and take the value out of its response.

    Args:
        depth: Of look-ups; 0 where the task is the user's.
        sought: What is looked up, where the task is only to find an id.
    """
    run.partly.discard(tool.name)
    choices = yield from ids_for(run, tool, task, use, depth=depth)
    if isinstance(choices, Failure):
        return choices
    values: list[Json] = []
    try:
        for fixed in choices:
            outcome = yield from _call_and_parse(run, tool, task, fixed, sought)
            if outcome == REPEATED and len(choices) > 1:
                # The others of them are still to be changed.
                continue
            if isinstance(outcome, Failure):
                return _after(outcome, len(values), len(choices)) if values else outcome
            values.append(outcome)
    finally:
        # Nothing takes back the writes before one that failed, or before a limit.
        if 0 < len(values) < len(choices) and not run.is_read(tool):
            made = Finding(asked=task, tool=tool.name, value=values, is_write=True)
            run.memory = run.memory.with_finding(made)
    if len(values) < len(choices):
        return _after(REPEATED, len(values), len(choices)) if values else REPEATED
    return values[0] if len(values) == 1 else values


def _after(failure: Failure, done: int, of: int) -> Failure:
    return replace(failure, why=f"{failure.why} ({done} of {of} are done)")


def _call_and_parse(
    run: Run, tool: Tool, task: str, fixed: JsonObject, sought: Sought | None
) -> Steps[Json | Failure]:
    # Whoever looks for a thing on the way reads of that thing alone.
    message = task if sought else ""
    called = yield from _call(run, tool, task, fixed, message=message)
    if isinstance(called, Failure):
        return called
    result, arguments = called
    body = result.value
    value, is_absent, is_read = body, False, run.is_read(tool)
    if is_read:
        labels = _labels(run, tool, arguments)
        value = sought.found_in(body) if sought else None
        is_absent = sought is not None and value is False
        # What was called with the id of something is about that, however the task describes it.
        said = "" if fixed else f"{arguments} {body}"
        if value is None and said and (name := unsaid(task, said, language=run.language)):
            return Failure(f"{run.short_name(tool)} says nothing of {name}", is_off_topic=True)
        if value is None:
            called = [each.text for each in run.about]
            asked, labels = _about_this(tool, task, labels, called)
            made = _call_text(run, tool, arguments, labels)
            value = yield from parse_response(asked, tool, body, made=made, examples=run.examples)
    if is_read and (is_absent or value in (None, "", [], {})):
        # What was not asked for is not offered either: the only thing of a list is not the one.
        return Failure(f"{run.short_name(tool)} gave nothing for: {task}")
    if not is_read and result.status == HTTPStatus.ACCEPTED and task not in run.accepted:
        run.accepted.append(task)
    source = Source(
        tool=tool.name,
        arguments=arguments,
        body=body,
        extracted=things_of(task, value),
        is_write=not is_read,
    )
    run.memory = run.memory.with_source(source)
    return value


def _labels(run: Run, tool: Tool, arguments: JsonObject) -> Mapping[str, str]:
    """`{argument: the name of the thing whose id it is}`, where that is known."""
    labels: dict[str, str] = {}
    for name, value in arguments.items():
        beside = run.beside(tool)
        about = (found for each in run.about for found in each.known(tool, name, beside))
        known = (*about, *run.memory.known(tool, name, beside))
        if label := next((each.label for each in known if each.value == value), ""):
            labels[name] = label
    return labels


def _about_this(
    tool: Tool, task: str, labels: Mapping[str, str], called: Sequence[str] = ()
) -> tuple[str, Mapping[str, str]]:
    """
    The task with `this person` in the place of a name whose id was called with, and the labels.

    All of the response belongs to that one; a small model that reads the name looks for it there.

    Args:
        called: What else the task calls such things by: `the singer Ana Ruiz`.
    """
    put = dict(labels)
    for name, label in labels.items():
        thing = escape_marks(thing_of(tool, name))
        this = f"this {thing}"
        named = rf"(?i)(?:\b(?:the|an?) (?:{re.escape(thing)} )?)?"
        changed = task
        for each in called:
            changed = changed.replace(each, this)
        changed = re.sub(rf"{named}(?<!\w){re.escape(label)}(?!\w)", this, changed)
        if changed != task:
            task, put[name] = changed, this
    return task, put


def _call_text(run: Run, tool: Tool, arguments: JsonObject, labels: Mapping[str, str]) -> str:
    """The call in the words of the parser's prompt: ids with what they are the ids of."""
    parts = [
        f"{name}={value!r}" + (f" ({labels[name]})" if name in labels else "")
        for name, value in arguments.items()
        if not is_presentation(tool, name)
    ]
    return f"{run.short_name(tool)}({', '.join(parts)})"


def _call(
    run: Run, tool: Tool, task: str, fixed: JsonObject, *, message: str = ""
) -> Steps[tuple[Result, JsonObject] | Failure]:
    """Fill in the arguments and call; mismatches and HTTP errors go back to the caller."""
    said: tuple[str, ...] = ()
    lost, wrong = "", None
    before: tuple[Mismatch, ...] = ()
    for _ in range(_CALL_TRIES):
        arguments = yield from arguments_for(run, tool, task, fixed, said, message=message)
        if isinstance(arguments, Failure):
            return arguments
        if arguments == wrong:
            break
        wrong = arguments
        mended = repair_model_arguments(tool, arguments)
        mismatches = check_model_arguments(tool, mended.arguments)
        if mismatches:
            why = feedback(run.short_name(tool), mismatches, repeated=before)
            lost = f"{run.short_name(tool)}: {summarize_mismatches(mismatches)}"
            about = " ".join(map(str, mismatches))
            before = mismatches
        else:
            made = yield from _made(run, tool, mended)
            if not isinstance(made, Result):
                return made
            why, about, lost = made.text, _complaint(made), strip_model_notice(made.text)
        # Whether a call was made at all is told to whoever counts.
        yield say("feedback", why, tool=tool.name, is_mismatch=bool(mismatches))
        ask_again(run, tool, task, why=about)
        # What does not fit is told in words of the document too, such as the values that it lists.
        told = (mark_data(why), *documented_errors(tool, said=said))
        said = (*said, *((escape_marks(why),) if mismatches else told))
    return Failure(lost)


def _complaint(result: Result) -> str:
    """What an API says is wrong, without the words for its status."""
    return extract_explanation(result.response, result.value) if result.response else result.text


def _made(
    run: Run, tool: Tool, mended: RepairedArguments
) -> Steps[tuple[Result, JsonObject] | Failure | Result]:
    """Make one call: what it gave, with its arguments; a result alone may be mended by others."""
    arguments = mended.arguments
    if run.is_written(tool, arguments):
        return REPEATED
    result = yield from send(run, tool, arguments, is_repaired=bool(mended.repairs))
    if result.ok and _is_empty_list(result.value):
        result, arguments = yield from _loosened(run, tool, arguments, result)
    if result.ok:
        return (yield from _whole(run, tool, arguments, result)), arguments
    is_to_mend = result.repairable_by == "model" and result.kind != "refused"
    return result if is_to_mend else failed(result)


def send(
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
    reading = iterate_pages(tool, arguments, PageLimits(pages=_PAGES))
    next(reading)  # The first page, which is there.
    result = first
    try:
        while True:
            following = reading.send(result)
            result = yield from send(run, tool, following)
    except StopIteration as end:
        whole: Result = end.value
    paged = whole.pages
    if paged is None:
        return first
    if not paged.is_whole:
        run.partly.add(tool.name)
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
    again = yield from send(run, tool, wider)
    return (again, wider) if again.ok else (result, arguments)


def _list_key(value: Json) -> str | None:
    if not is_object(value):
        return None
    return next((key for key, each in value.items() if is_array(each)), None)
