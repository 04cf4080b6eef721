"""
The parser: takes what a task asks for out of a response.

A list is worked on by code that the model writes against the response's shape (RestGPT, section
3.3), run in a sandbox; a small model does that well. Of a single object it only names the fields,
which it does better than writing code. Where code fails, the model reads a shortened response.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from restwright.agents.marks import contained, data
from restwright.agents.memory.lookup import names_in
from restwright.agents.memory.memory import LABELS
from restwright.agents.roles.coding import (
    finds_nothing,
    first_item,
    has_identity,
    is_identity,
    run_over,
)
from restwright.agents.roles.examples import NONE, Examples, exemplified
from restwright.agents.roles.heeding import heeded
from restwright.agents.roles.observed import observed
from restwright.agents.roles.prompts import render, schema
from restwright.agents.roles.replies import ask, closed
from restwright.agents.steps import Complete, Completion, Extracted, Message, Steps
from restwright.calls.result import shorten
from restwright.tools.shape import shape
from restwright.tools.tool import Tool
from restwright.typing import Json, JsonObject, is_array, is_object

_FENCE = re.compile(r"```(?:python)?\s*\n(.*?)(?:```|\Z)", re.DOTALL)
_CODE_TRIES = 3
_MOST_FIELDS, _FEW_FIELDS = 40, 15
_LONGEST_FIELD = 200
_MANY = 5
_WIDE, _NARROW = 200, 60
_LABELLED = re.compile(r"=(?P<quote>'?)(?P<id>[\w-]{3,})(?P=quote) \((?P<name>[^()]+)\)")
_NONE = "none"


def parse_response(
    task: str, tool: Tool, body: Json, *, made: str, examples: Examples = NONE
) -> Steps[Json]:
    """
    Take what `task` asks for out of `body`, the response to the call `made` (as text).

    Returns:
        JSON data as it stands in the response or computed from it; None when it is not there.
    """
    if not (is_object(body) or is_array(body)):
        return body
    if is_object(body) and not _is_list(body):
        chosen = yield from _by_fields(task, body)
        if not _is_long(chosen):
            return chosen
        coded = yield from _by_code(task, tool, body, made, examples)
        return chosen if coded.failed else coded.value
    coded = yield from _by_code(task, tool, body, made, examples)
    if coded.is_unclear:
        return None
    is_nothing = coded.failed or coded.value in (None, [], {}, "")
    if is_nothing and is_object(body) and has_identity(body):
        # These are the parts of one thing, which was asked for; no search that found others.
        return (yield from _by_fields(task, body, is_there=True))
    return (yield from _by_reading(task, body)) if coded.failed else coded.value


def _is_list(body: JsonObject) -> bool:
    """
    Whether an object only wraps lists.

    It has a list of objects and no identity of its own; or nothing but lists beside its identity;
    or nothing but objects that are such wrappers.
    """
    own = {key: value for key, value in body.items() if not is_identity(key)}
    lists = [value for value in own.values() if is_array(value)]
    if any(is_object(item) for each in lists for item in each[:1]):
        return len(own) == len(body) or len(lists) == len(own)
    inner = [value for value in own.values() if is_object(value)]
    return len(inner) == len(body) and any(map(_is_list, inner))


def _is_long(chosen: Json) -> bool:
    """Whether a field that was chosen has so many items that some of them may not be asked for."""
    values = chosen.values() if is_object(chosen) else ()
    return any(is_array(each) and len(each) > _MANY for each in values)


def _by_fields(task: str, body: JsonObject, *, is_there: bool = False) -> Steps[Json]:
    """
    The fields that hold what is asked for.

    Args:
        is_there: Some field is meant: none is not offered, and less is shown of each, as where
            there are many.
    """
    short = ((name, value) for name, value in _fields(body) if len(name) <= _LONGEST_FIELD)
    fields = dict(islice(short, _MOST_FIELDS))
    width = _NARROW if is_there or len(fields) > _FEW_FIELDS else _WIDE
    lines = "\n".join(f"- {name}: {shorten(value, width)}" for name, value in fields.items())
    choices = [*fields] if is_there else [*fields, _NONE]
    some: JsonObject = {"type": "array", "minItems": 1, "maxItems": 4, "items": {"enum": choices}}
    prompt = render("fields", fields=lines, task=task)
    reply = yield from ask("parser", prompt, closed({"fields": some}), max_tokens=100)
    chosen = {name: fields[name] for name in reply["fields"] if name != _NONE}
    return {**_name_asked_for(task, body), **chosen} if chosen else None


def _name_asked_for(task: str, body: JsonObject) -> JsonObject:
    """The name of a thing that a task describes, and so asks for: `the cheapest watch`."""
    name = next((key for key in LABELS if isinstance(body.get(key), str)), "")
    is_known = " of " in task or re.search(r"(?i)\bthis\b", task)
    if not name or is_known or str(body[name]).lower() in task.lower():
        return {}
    return {name: body[name]}


def _fields(body: JsonObject) -> Iterator[tuple[str, Json]]:
    """Each field of an object, then those of the objects in it and of the items of its lists."""
    for key, value in sorted(body.items(), key=lambda pair: _depth(pair[1])):
        if is_object(value):
            yield from ((f"{key}.{name}", each) for name, each in value.items())
            continue
        yield key, value
        items = [item for item in value if is_object(item)] if is_array(value) else []
        for name in items[0] if items else ():
            yield f"{key}.{name}", [item.get(name) for item in items]


def _depth(value: Json) -> int:
    return 2 if is_array(value) else int(is_object(value))


class _Coded(NamedTuple):
    """What code found. It is unclear where it is not known to be what is asked for."""

    value: Json
    failed: bool = False
    is_unclear: bool = False


def _by_code(task: str, tool: Tool, body: Json, made: str, examples: Examples) -> Steps[_Coded]:
    seen = observed(tool.output, body)
    shots = examples.parser(tool)
    prompt = exemplified("parser", shots, call=made, shape=shape(seen), task=task)
    messages, extracted, is_unclear = prompt, Extracted(), False
    for _ in range(_CODE_TRIES):
        completion = yield Complete(role="parser", messages=messages, max_tokens=300)
        assert isinstance(completion, Completion)  # noqa: S101  (the driver's contract)
        code = _code(completion.text)
        extracted = yield from run_over(body, code)
        why = extracted.error or _doubt(extracted.value, body, task)
        is_unclear = not why
        if not why:
            value, why = yield from heeded(code, body, task, extracted.value)
            if not why:
                return _Coded(value)
        why = _filtered_again(code, made) or why
        last = Message("user", f"{prompt[-1].text}\n{_correction(code, why, body)}")
        messages = (*prompt[:-1], last)
    value = None if is_unclear else extracted.value
    return _Coded(value, failed=bool(extracted.error), is_unclear=is_unclear)


def _correction(code: str, why: str, body: Json) -> str:
    example = first_item(body)
    item = f"An item looks like {data(shorten(example, 400))}\n" if example is not None else ""
    return f"{item}This is wrong ({contained(why)}):\n{code[:600]}\nWrite it correctly; code only."


def _code(text: str) -> str:
    fenced = _FENCE.search(text)
    return (fenced[1] if fenced else text).strip()


def _doubt(value: Json, body: Json, task: str) -> str:
    """What speaks against a value that code found; empty where nothing does."""
    if finds_nothing(value, body):
        return "it finds nothing"
    found, whole = str(value).lower(), str(body).lower()
    if is_object(value) or is_array(value):
        for name in names_in(task):
            if name.lower() in whole and not any(word in found for word in name.lower().split()):
                return f"it finds something else than {name}"
    return ""


def _filtered_again(code: str, made: str) -> str:
    """Say so where code compares with what the call was made for, whose the whole response is."""
    told = [each for found in _LABELLED.finditer(made) for each in found.group("id", "name")]
    used = [each for each in told if re.search(rf"(?i)(?<!\w){re.escape(each)}(?!\w)", code)]
    return f"all of data belongs to {used[0]} already: do not compare with it" if used else ""


def _by_reading(task: str, body: Json) -> Steps[Json]:
    prompt = render("reader", response=shorten(body, 3000), task=task)
    reply = yield from ask("reader", prompt, schema("reader"), max_tokens=200)
    return reply["value"] if reply["found"] and reply["value"] else None
