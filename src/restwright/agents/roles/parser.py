"""
The parser: takes what a task asks for out of a response.

A list is worked on by code that the model writes against the response's shape (RestGPT, section
3.3), run in a sandbox; a small model does that well. Of a single object it only names the fields,
which it does better than writing code. Where code fails, the model reads a shortened response.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from restwright.agents.memory.lookup import names_in
from restwright.agents.roles.coding import (
    finds_nothing,
    first_item,
    has_identity,
    is_identity,
    run_over,
)
from restwright.agents.roles.few_shot import NONE, Examples, exemplified
from restwright.agents.roles.fields import chosen_fields
from restwright.agents.roles.heeding import heeded
from restwright.agents.roles.held import invented, is_held
from restwright.agents.roles.observed import is_map, observed
from restwright.agents.roles.structured_output import ask
from restwright.agents.roles.templates import render, schema
from restwright.agents.spotlighting import escape_marks, mark_data
from restwright.agents.steps import Complete, Completion, ExtractionResult, Message, Steps
from restwright.calls.response.result import shorten_json
from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.tools.text.type_summary import summarize_type
from restwright.tools.tool import Tool

_FENCE = re.compile(r"```(?:python)?\s*\n(.*?)(?:```|\Z)", re.DOTALL)
_CODE_TRIES = 3
_LABELLED = re.compile(r"=(?P<quote>'?)(?P<id>[\w-]{3,})(?P=quote) \((?P<name>[^()]+)\)")


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
        return (yield from _of_one(task, tool, body, made, examples))
    coded = yield from _by_code(task, tool, body, made, examples)
    if is_object(body) and has_identity(body) and coded.is_nothing:
        # These are the parts of one thing, which was asked for; no search that found others.
        return (yield from chosen_fields(task, body, is_there=True)).value
    return (yield from _by_reading(task, body)) if coded.failed else coded.value


def _of_one(task: str, tool: Tool, body: JsonObject, made: str, examples: Examples) -> Steps[Json]:
    """Take what is asked for out of one thing: fields of it, or what lies behind those shown."""
    chosen = yield from chosen_fields(task, body)
    if chosen.is_all and not chosen.is_long:
        return chosen.value
    coded = yield from _by_code(task, tool, body, made, examples)
    if chosen.is_long:
        return chosen.value if coded.failed else coded.value
    return (yield from _by_reading(task, body)) if coded.is_nothing else coded.value


def _is_list(body: JsonObject) -> bool:
    """
    Whether an object only wraps lists.

    It has a list of objects and no identity of its own; or nothing but lists beside its identity;
    or nothing but objects that are such wrappers. A map of things is a list too.
    """
    if is_map(body):
        return True
    own = {key: value for key, value in body.items() if not is_identity(key)}
    lists = [value for value in own.values() if is_array(value)]
    if any(is_object(item) for each in lists for item in each[:1]):
        return len(own) == len(body) or len(lists) == len(own)
    inner = [value for value in own.values() if is_object(value)]
    return len(inner) == len(body) and any(map(_is_list, inner))


class _Coded(NamedTuple):
    """What code found. It is unclear where it is not known to be what is asked for."""

    value: Json
    failed: bool = False
    is_unclear: bool = False

    @property
    def is_nothing(self) -> bool:
        """Whether it may be found in another way."""
        return not self.is_unclear and (self.failed or self.value in (None, [], {}, ""))


def _by_code(task: str, tool: Tool, body: Json, made: str, examples: Examples) -> Steps[_Coded]:
    seen = observed(tool.output, body)
    shots = examples.parser(tool)
    prompt = exemplified("parser", shots, call=made, shape=summarize_type(seen), task=task)
    messages, extracted, wrong, is_unclear = prompt, ExtractionResult(), "", False
    for _ in range(_CODE_TRIES):
        completion = yield Complete(role="parser", messages=messages, max_tokens=300)
        assert isinstance(completion, Completion)  # noqa: S101  (the driver's contract)
        code = _code(completion.text)
        extracted = yield from run_over(body, code)
        wrong = extracted.error or invented(code, extracted.value, body, task)
        why = wrong or _doubt(extracted.value, body, task)
        is_unclear = not why
        if not why:
            value, why = yield from heeded(code, body, task, extracted.value)
            if not why:
                return _Coded(value)
        why = _filtered_again(code, made) or why
        last = Message("user", f"{prompt[-1].text}\n{_correction(code, why, body)}")
        messages = (*prompt[:-1], last)
    value = None if is_unclear else extracted.value
    return _Coded(value, failed=bool(wrong), is_unclear=is_unclear)


def _correction(code: str, why: str, body: Json) -> str:
    example = first_item(body)
    item = (
        f"An item looks like {mark_data(shorten_json(example, 400))}\n"
        if example is not None
        else ""
    )
    return (
        f"{item}This is wrong ({escape_marks(why)}):\n{code[:600]}\nWrite it correctly; code only."
    )


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
    prompt = render("reader", response=shorten_json(body, 3000), task=task)
    reply = yield from ask("reader", prompt, schema("reader"), max_tokens=200)
    return reply["value"] if reply["found"] and is_held(reply["value"], body) else None
