"""
The fields of one object that hold what a task asks for: the model only names them.

It is shown a line for each field of the object, of the objects in it and of the items of its lists.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import NamedTuple

from restwright.agents.memory.memory import LABELS
from restwright.agents.roles.structured_output import ask, closed
from restwright.agents.roles.templates import render
from restwright.agents.steps import Steps
from restwright.calls.response.result import shorten_json
from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.tools.text.words import split_words

_MOST_FIELDS, _FEW_FIELDS = 40, 15
_MOST_READ = 2_000
_LONGEST_FIELD = 200
_MANY = 5
_WIDE, _NARROW = 200, 60
_NONE = "none"


class Chosen(NamedTuple):
    """
    The fields that were chosen; None for none.

    Args:
        is_all: There is nothing else to be found: some were chosen, or all that there is was seen.
    """

    value: Json
    is_all: bool = True

    @property
    def is_long(self) -> bool:
        """Whether a field has so many items that some of them may not be asked for."""
        values = self.value.values() if is_object(self.value) else ()
        return any(is_array(each) and len(each) > _MANY for each in values)


def chosen_fields(task: str, body: JsonObject, *, is_there: bool = False) -> Steps[Chosen]:
    """
    The fields that hold what is asked for.

    Args:
        is_there: Some field is meant: none is not offered, and less is shown of each, as where
            there are many.
    """
    every = dict(islice(_fields(body), _MOST_READ + 1))
    fields = _shown(every, task)
    width = _NARROW if is_there or len(fields) > _FEW_FIELDS else _WIDE
    lines = "\n".join(f"- {name}: {shorten_json(value, width)}" for name, value in fields.items())
    choices = [*fields] if is_there else [*fields, _NONE]
    some: JsonObject = {"type": "array", "minItems": 1, "maxItems": 4, "items": {"enum": choices}}
    prompt = render("fields", fields=lines, task=task)
    reply = yield from ask("parser", prompt, closed({"fields": some}), max_tokens=100)
    chosen = {name: fields[name] for name in reply["fields"] if name != _NONE}
    if not chosen:
        return Chosen(None, is_all=len(fields) == len(every) and not _has_more(fields))
    return Chosen({**_name_asked_for(task, body), **chosen})


def _shown(fields: JsonObject, task: str) -> JsonObject:
    """As many fields as a model reads: of more, first those with words of the task."""
    short = {name: value for name, value in fields.items() if len(name) <= _LONGEST_FIELD}
    if len(short) > _MOST_FIELDS:
        words = frozenset(split_words(task))
        names = sorted(short, key=lambda name: -len(words.intersection(split_words(name))))
        short = {name: short[name] for name in names}
    return dict(islice(short.items(), _MOST_FIELDS))


def _has_more(fields: Mapping[str, Json]) -> bool:
    """Whether there are things within the fields that no field of their own tells."""
    held = (value for name, value in fields.items() if "." in name)
    return any(is_object(each) or (is_array(each) and any(map(_is_inner, each))) for each in held)


def _is_inner(value: Json) -> bool:
    return is_object(value) or is_array(value)


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
