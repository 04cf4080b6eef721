"""
The parser: takes what a task asks for out of a response.

A list is worked on by code that the model writes against the response's shape (RestGPT, section
3.3), run in a sandbox; a small model does that well. Of a single object it only names the fields,
which it does better than writing code. Where code fails, the model reads a shortened response.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from itertools import islice

import orjson

from restwright.agents.marks import contained, data
from restwright.agents.memory.lookup import names_in
from restwright.agents.memory.memory import LABELS
from restwright.agents.roles.examples import NONE, Examples, exemplified
from restwright.agents.roles.observed import items_with, observed, only_with, said_values
from restwright.agents.roles.outcome import say
from restwright.agents.roles.prompts import render, schema
from restwright.agents.roles.replies import ask, closed
from restwright.agents.steps import Complete, Completion, Extract, Extracted, Message, Steps
from restwright.calls.result import shorten
from restwright.tools.shape import shape
from restwright.tools.tool import Tool
from restwright.typing import Json, JsonObject, is_array, is_object

_FENCE = re.compile(r"```(?:python)?\s*\n(.*?)(?:```|\Z)", re.DOTALL)
_IDENTITY = re.compile(r"(?i)^(id|uuid)$|_id$|(?-i:[a-z]I[dD]$)")
_HALF = re.compile("[\ud800-\udfff]")
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
        value, failed = yield from _by_code(task, tool, body, made, examples)
        return chosen if failed else value
    value, failed = yield from _by_code(task, tool, body, made, examples)
    is_nothing = failed or value in (None, [], {}, "")
    if is_nothing and is_object(body) and _has_identity(body):
        # These are the parts of one thing, which was asked for; no search that found others.
        return (yield from _by_fields(task, body, is_there=True))
    return (yield from _by_reading(task, body)) if failed else value


def _has_identity(body: JsonObject) -> bool:
    return any(_IDENTITY.search(key) for key in body)


def _is_list(body: JsonObject) -> bool:
    """
    Whether an object only wraps lists.

    It has a list of objects and no identity of its own; or nothing but lists beside its identity;
    or nothing but objects that are such wrappers.
    """
    own = {key: value for key, value in body.items() if not _IDENTITY.search(key)}
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


def _by_code(
    task: str, tool: Tool, body: Json, made: str, examples: Examples
) -> Steps[tuple[Json, bool]]:
    """Return the value and whether the code failed."""
    text = _json(body)
    seen = observed(tool.output, body)
    shots = examples.parser(tool)
    prompt = exemplified("parser", shots, call=made, shape=shape(seen), task=task)
    said = tuple(said_values(body, task))
    messages, extracted = prompt, Extracted()
    for _ in range(_CODE_TRIES):
        completion = yield Complete(role="parser", messages=messages, max_tokens=300)
        assert isinstance(completion, Completion)  # noqa: S101  (the driver's contract)
        code = _code(completion.text)
        extracted = yield from _run(code, body, text)
        why = extracted.error or _doubt(extracted.value, body, task)
        if not why and (unused := _unused(said, code, extracted.value)):
            name, value = unused
            yield say("note", f"the task speaks of {name} {value!r}, which the code does not")
            return (yield from _among(body, name, value, code, extracted.value)), False
        if not why:
            return extracted.value, False
        why = _filtered_again(code, made) or why
        last = Message("user", f"{prompt[-1].text}\n{_correction(code, why, body)}")
        messages = (*prompt[:-1], last)
    return extracted.value, bool(extracted.error)


def _json(body: Json) -> str:
    """JSON text; slower for what `orjson` does not write: huge numbers, halves of surrogates."""
    try:
        return orjson.dumps(body).decode()
    except orjson.JSONEncodeError:
        return _HALF.sub("\ufffd", json.dumps(body, ensure_ascii=False))


def _among(body: Json, name: str, value: str, code: str, before: Json) -> Steps[Json]:
    """What the code finds among those that the task speaks of; all of them where it finds none."""
    left = only_with(body, name, value)
    again = yield from _extracted(code, _json(left))
    is_new = not again.error and again.value not in (None, [], {}, "", before)
    is_one = is_object(before) and before.get(name) == value
    return again.value if is_new else before if is_one else items_with(body, name, value)


def _extracted(code: str, text: str) -> Steps[Extracted]:
    """Run the code over a body, given as JSON."""
    extracted = yield Extract(code=code, body=text)
    assert isinstance(extracted, Extracted)  # noqa: S101  (the driver's contract)
    return extracted


def _run(code: str, body: Json, text: str) -> Steps[Extracted]:
    """
    Run the code; where it finds nothing, once more over the same body in lower case.

    Models compare names in lower case with `==`; the objects found that way are the same objects.
    """
    extracted = yield from _extracted(code, text)
    if extracted.error and (opened := _opened(body)) != body:
        again = yield from _extracted(code, _json(opened))
        extracted = extracted if again.error else again
    if not (extracted.error or _is_doubtful(extracted.value, body)):
        return extracted
    lowered = _lowered(body)
    again = yield from _extracted(code, _json(lowered))
    if again.error or _is_doubtful(again.value, body):
        return extracted
    return Extracted(value=_original(again.value, body, lowered))


def _opened(value: Json) -> Json:
    """
    `value` with the fields of a thing beside those of an item that only holds it.

    `{"added_at": ..., "film": {"id": 7, ...}}` gets the film's `id` too. Models forget the step
    between, and what is found stays the same thing.
    """
    if is_array(value):
        return [_opened(_merged(each)) for each in value]
    return {key: _opened(each) for key, each in value.items()} if is_object(value) else value


def _merged(item: Json) -> Json:
    if not is_object(item) or _has_identity(item):
        return item
    held = [each for each in item.values() if is_object(each) and _has_identity(each)]
    named = [each for each in held if any(key in each for key in LABELS)]
    (thing,) = held if len(held) == 1 else named if len(named) == 1 else ({},)
    return {**thing, **item}


def _lowered(value: Json) -> Json:
    if is_object(value):
        return {key: _lowered(each) for key, each in value.items()}
    if is_array(value):
        return [_lowered(each) for each in value]
    return value.lower() if isinstance(value, str) else value


def _original(value: Json, body: Json, lowered: Json) -> Json:
    """Put the parts of `lowered` that are in `value` back into their own letters."""
    found: dict[str, Json] = {}
    wanted = {_key(each) for each in _parts_of(value)}
    for own, low in _pairs(body, lowered):
        key = _key(low)
        if key in wanted and (key not in found or found[key] == low):
            found[key] = own
    return _restored(value, found)


def _key(value: Json) -> str:
    return json.dumps(value, sort_keys=True)


def _parts_of(value: Json) -> Iterator[Json]:
    """What may be put back: texts, objects and lists, those in lists too."""
    if isinstance(value, str) or is_object(value) or is_array(value):
        yield value
    for each in value if is_array(value) else ():
        yield from _parts_of(each)


def _pairs(body: Json, lowered: Json) -> Iterator[tuple[Json, Json]]:
    """Each text, object and list of two bodies of one shape, the outer ones first."""
    if isinstance(body, str) or is_object(body) or is_array(body):
        yield body, lowered
    if is_object(body):
        for name, each in body.items():
            yield from _pairs(each, lowered[name])
    elif is_array(body):
        for each, low in zip(body, lowered, strict=True):
            yield from _pairs(each, low)


def _restored(value: Json, found: JsonObject) -> Json:
    if isinstance(value, str) or is_object(value) or is_array(value):
        key = _key(value)
        if key in found:
            return found[key]
    return [_restored(each, found) for each in value] if is_array(value) else value


def _correction(code: str, why: str, body: Json) -> str:
    example = _first_item(body)
    item = f"An item looks like {data(shorten(example, 400))}\n" if example is not None else ""
    return f"{item}This is wrong ({contained(why)}):\n{code[:600]}\nWrite it correctly; code only."


def _code(text: str) -> str:
    fenced = _FENCE.search(text)
    return (fenced[1] if fenced else text).strip()


def _doubt(value: Json, body: Json, task: str) -> str:
    """What speaks against a value that code found; empty where nothing does."""
    if _is_doubtful(value, body):
        return "it finds nothing"
    found, whole = str(value).lower(), str(body).lower()
    if is_object(value) or is_array(value):
        for name in names_in(task):
            if name.lower() in whole and not any(word in found for word in name.lower().split()):
                return f"it finds something else than {name}"
    return ""


def _unused(said: Sequence[tuple[str, str]], code: str, value: Json) -> tuple[str, str] | None:
    """What the task says of some items and code does not compare with; None where it counts."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not said or is_number or any(each.lower() in code.lower() for _, each in said):
        return None
    return said[0]


def _filtered_again(code: str, made: str) -> str:
    """Say so where code compares with what the call was made for, whose the whole response is."""
    told = [each for found in _LABELLED.finditer(made) for each in found.group("id", "name")]
    used = [each for each in told if re.search(rf"(?i)(?<!\w){re.escape(each)}(?!\w)", code)]
    return f"all of data belongs to {used[0]} already: do not compare with it" if used else ""


def _is_doubtful(value: Json, body: Json) -> bool:
    """Whether a value is empty, or a count of none, though the response is not empty."""
    is_none = value in (None, [], {}, "") or (not isinstance(value, bool) and value == 0)
    return is_none and _first_item(body) is not None


def _first_item(body: Json) -> Json:
    if is_array(body):
        return body[0] if body else None
    inner = [*body.values()] if is_object(body) else []
    lists = [each for each in inner if is_array(each) and each]
    if lists:
        return lists[0][0]
    found = (_first_item(each) for each in inner if is_object(each))
    return next((each for each in found if each is not None), None)


def _by_reading(task: str, body: Json) -> Steps[Json]:
    prompt = render("reader", response=shorten(body, 3000), task=task)
    reply = yield from ask("reader", prompt, schema("reader"), max_tokens=200)
    return reply["value"] if reply["found"] and reply["value"] else None
