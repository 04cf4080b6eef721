"""The words at the end: made by the model of facts, and held to them by code."""

from __future__ import annotations

import re
from collections.abc import Collection

from restwright.agents.prompting.structured_output import ask
from restwright.agents.prompting.templates import render, schema
from restwright.agents.rest.facts import (
    Fact,
    find_label,
    iterate_scalars,
    say_value,
)
from restwright.agents.rest.provenance import (
    NUMBER,
    find_named,
    is_in_text,
    normalize_text,
    quote_singly,
)
from restwright.agents.rest.run import RestRun
from restwright.agents.rest.suppliers import names_ids
from restwright.agents.spotlighting import escape_marks, mark_data
from restwright.agents.steps import Message, Steps
from restwright.calls.json_lists import find_list_path, items_at
from restwright.calls.truncate import shorten_json, shorten_line
from restwright.jsontypes import Json, is_array, is_object

_TRIES = 2
_SEVERAL = 2
_MAX_NAMED = 50
_MAX_HELD_CHARS, _MAX_TOLD_CHARS = 20_000, 200
_DAY, _DIGITS = re.compile(r"(\d{4})-\d\d-(\d\d)"), re.compile(r"\d{1,9}", re.ASCII)
# Such as A-17: a number that is part of a name.
_CODE = re.compile(r"(?<![A-Za-z0-9])[A-Za-z]+(?:-[A-Za-z]+)*-?[0-9][A-Za-z0-9-]*")
_ADDRESS = re.compile(r"[^\s@]{1,100}@[^\s@]{1,200}\w|https?://\S+\w")


def compose_answer(run: RestRun, *, needs_all: bool = True) -> Steps[str]:
    """
    Let the model word the answer; twice, where it tells what no fact holds or leaves a number out.

    Things of a list that its words leave out are named below them.

    Args:
        needs_all: Whether all that was found is asked for, and so is to be in the answer.

    Returns:
        Its words, or the facts as they stand where these cannot be trusted.
    """
    facts = fact_text(run)
    # Of a change that was not made a small model says that it was, unless it is told last.
    undone = [run.describe(step) for step in run.plan.steps if step.id in run.failures]
    prompt = render(
        "rest_answer",
        question=quote_singly(run.question),
        facts=quote_singly(facts),
        language=run.plan.language,
        undone=f" Say first what did not happen: {'; '.join(undone)}." if undone else "",
    )
    messages = prompt
    for _ in range(_TRIES):
        reply = yield from ask("answer", messages, schema("rest_answer"), max_tokens=300)
        text = str(reply["answer"])
        fault = escape_marks(find_unsupported(text, f"{run.question}\n{_held(run)}"))
        if run.is_small and not fault and _repeats(text, run.question):
            fault = "that only says what was asked"
        if needs_all and not fault:
            fault = (
                _find_omission(text, run)
                or _find_unnamed_change(text, run)
                or _find_spared(text, run)
            )
        if not fault:
            named = _unnamed_things(text, run) if needs_all else ()
            return "\n".join((text, *named, *_untold_notes(text, run)))
        told = f"Wrong: {fault}. Answer again from the facts alone."
        messages = (*prompt, Message("assistant", text), Message("user", told))
    return "\n".join((facts, *_unnamed_things(facts, run), *_untold_notes(facts, run)))


def _repeats(answer: str, question: str) -> bool:
    """Whether an answer consists of most of a question, word for word."""
    said, asked = (
        "".join(filter(str.isalnum, normalize_text(text))) for text in (answer, question)
    )
    return len(said) * 2 > len(asked) and said in asked


def _held(run: RestRun) -> str:
    """What facts hold, and not how steps put it: their words are the model's."""
    values = (shorten_json(fact.value, _MAX_HELD_CHARS) for fact in run.facts)
    notes = (note for fact in run.facts for note in fact.notes)
    given = (str(scalar) for fact in run.facts for scalar in iterate_scalars(fact.arguments))
    failures = run.failures.values()
    # A space alone may group digits.
    return "\n;".join((*values, *notes, *given, *failures))


def _unnamed_things(text: str, run: RestRun) -> list[str]:
    """A line for each thing that was taken from a list, where a text does not name them all."""
    said = normalize_text(text)
    lines: list[str] = []
    several = {step.id for step in run.plan.steps if step.is_of_several}
    for fact in run.asked_facts():
        # One that fits is given as itself.
        is_only = is_object(fact.value) and (fact.step in several or _is_chosen(fact, run))
        things = fact.value if is_array(fact.value) else [fact.value] if is_only else []
        names = [_name_of(item) for item in things]
        if len(set(names)) < len(names):
            continue  # What things share is no name.
        if any(name and not is_in_text(name, said) for name in names):
            told = [f"- {name}" for name in names if name]
            left = len(told) - _MAX_NAMED
            lines += [*told[:_MAX_NAMED], f"and {left:,} more"] if left > 0 else told
    return lines


def _is_chosen(fact: Fact, run: RestRun) -> bool:
    """Whether a thing was taken out of a list, and the message does not name it."""
    bodies = (response.body for response in run.responses if response.tool == fact.tool)
    listed = [item for body in bodies for item in items_at(body, find_list_path(body) or ())]
    is_listed = any(item in listed for item in fact.items)
    asked = normalize_text(f"{run.question}\n;{run.message}")
    return is_listed and not is_in_text(_name_of(fact.value), asked)


def tell_things(run: RestRun) -> str:
    """
    The things of a list that are all that was asked for, one a line with what was read of each.

    Empty where something else is asked for. In words a small model tells of such a list what it is
    not (`over 30` of what is at most 30), and leaves some of it out.
    """
    facts = run.asked_facts()
    several = {step.id for step in run.plan.steps if step.is_of_several}
    if not run.is_small or run.failures or [fact.step in several for fact in facts] != [True]:
        return ""
    if any(fact.kind == "done" for fact in run.facts):
        return ""
    things, shown = facts[0].value, facts[0].shown
    if not is_array(things) or len(things) < _SEVERAL or not is_array(shown):
        return ""
    names = [_name_of(thing) for thing in things]
    if not all(names) or len({*names}) < len(names) or not all(map(is_object, things)):
        return ""
    lines = [
        f"- {name}{_tell_members(thing, told)}"
        for name, thing, told in zip(names, things, shown, strict=True)
    ]
    left = len(lines) - _MAX_NAMED
    more = [f"and {left:,} more"] if left > 0 else []
    text = "\n".join((*lines[:_MAX_NAMED], *more))
    return "\n".join((text, *_untold_notes(text, run)))


def _tell_members(thing: Json, told: Json) -> str:
    """What is told of a thing beside its name; no ids."""
    if not is_object(thing) or not is_object(told):
        return ""
    members = {key: value for key, value in told.items() if key != find_label(thing)}
    said = say_value({key: value for key, value in members.items() if not names_ids(key)})
    return f" ({shorten_line(said, _MAX_TOLD_CHARS)})" if members and said != "nothing" else ""


def _untold_notes(text: str, run: RestRun) -> list[str]:
    """What has to be said beside what was found, for whichever step, where a text does not."""
    said = normalize_text(text)
    found = (fact for fact in run.facts if fact.step and fact.kind != "done")
    notes = dict.fromkeys(note for fact in found for note in fact.notes)
    return [f"({note})" for note in notes if not is_in_text(note, said)]


def _name_of(item: Json) -> str:
    if is_object(item):
        item = item.get(find_label(item))
    return " ".join(str(item).split()) if isinstance(item, str | int | float) else ""


def fact_text(run: RestRun) -> str:
    """
    The facts that answer the message, and what was not found or not done, one a line.

    What was only read to be changed is no answer: not all of it need have been changed. Nor is what
    something was chosen from, where the message names it all: a small model chooses again, and says
    what it chose.
    """
    left_out = {step.id for step in run.plan.steps if step.is_added} | _compared(run)
    lines = [str(fact) for fact in run.facts if fact.step and fact.step not in left_out]
    for step in run.plan.steps:
        if why := run.failures.get(step.id):
            label = "not done" if step.kind == "change" else "not found"
            lines.append(f"- {label}: {run.describe(step)} ({why})")
    return "\n".join(lines)


def _compared(run: RestRun) -> set[int]:
    """The steps that found what the message names, and of which a later step says which it is."""
    chosen = [
        (step.of, fact.value)
        for step in run.plan.steps
        if step.kind == "answer" and (fact := run.fact(step.id))
    ]
    return {
        number
        for numbers, value in chosen
        for number in numbers
        if (fact := run.fact(number))
        and value in fact.items
        and all(run.is_quoted(_name_of(item)) for item in fact.items)
    }


def find_unsupported(answer: str, facts: str) -> str:
    """What stands in an answer and in no fact: numbers, codes, quoted words and addresses."""
    whole = normalize_text(facts)
    numbers = (match[0] for match in NUMBER.finditer(answer))
    invented = [number for number in numbers if not _has_number(number, whole)]
    exact = (*_CODE.findall(answer), *find_named(answer), *_ADDRESS.findall(answer))
    invented += [part for part in exact if not is_in_text(part, whole)]
    return f"{', '.join(invented)} is not in the facts" if invented else ""


def _has_number(number: str, text: str) -> bool:
    forms = {number, number.replace(",", ""), number.replace(".", ""), number.replace(",", ".")}
    for form in forms:
        try:
            if is_in_text(float(form), text):
                return True
        except ValueError:
            if is_in_text(form, text):
                return True
    return False


def _is_told(scalar: str | float, text: str) -> bool:
    """Whether a text has a value; a day may have the name of its month."""
    if is_in_text(scalar, text):
        return True
    day = _DAY.match(str(scalar))
    numbers = {int(number) for number in _DIGITS.findall(text)}
    return day is not None and {int(day[1]), int(day[2])} <= numbers


def _without_ids(value: Json, keys: Collection[str]) -> Json:
    """A thing without its ids, but for those that were asked for."""
    if not is_object(value):
        return value
    return {key: member for key, member in value.items() if key in keys or not names_ids(key)}


def _find_unnamed_change(answer: str, run: RestRun) -> str:
    """What was changed and an answer in another language than English does not name."""
    if not run.is_small or run.message == run.question:
        return ""
    text, done = normalize_text(answer), {one.step for one in run.facts if one.kind == "done"}
    changes = [step for step in run.plan.steps if step.id in done and step.quantity == "one"]
    names = [name for step in changes for name in find_named(step.what) if run.is_quoted(name)]
    is_named = not names or any(is_in_text(name, text) for name in names)
    return "" if is_named else f"the answer does not name {mark_data(names[0])}"


def _find_spared(answer: str, run: RestRun) -> str:
    """What a change has left out, named in an answer: a small model tells that it was changed."""
    text = normalize_text(answer)
    done = {fact.step for fact in run.facts if fact.kind == "done"}
    spared = [name for step in run.plan.steps if step.id in done for name in step.exceptions]
    named = next((name for name in spared if run.is_small and is_in_text(name, text)), "")
    return f"{mark_data(named)} was left out; name what was changed alone" if named else ""


def _find_omission(answer: str, run: RestRun) -> str:
    """What was asked for and is not in the answer: a number, or all that is known of a thing."""
    text, asked = normalize_text(answer), normalize_text(run.question)
    for fact in run.asked_facts():
        value = fact.shown
        is_list = is_array(value) or isinstance(value, bool)
        told = iterate_scalars(_without_ids(value, fact.keys))
        new = [scalar for scalar in told if not is_in_text(scalar, asked)]
        if not is_list and new and not any(_is_told(scalar, text) for scalar in new):
            missing = mark_data(shorten_json(new, _MAX_TOLD_CHARS))
            return f"the answer says nothing of {missing}"
    return ""
