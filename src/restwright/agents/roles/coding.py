"""
Runs parsing code over a response, and over the same response said otherwise where it finds nothing.

Models compare names in lower case, and forget the step to a thing that an item only holds.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import orjson

from restwright.agents.memory.memory import LABELS
from restwright.agents.roles.observed import is_map
from restwright.agents.spotlighting import replace_surrogates
from restwright.agents.steps import Extract, ExtractionResult, Steps
from restwright.jsontypes import Json, JsonObject, is_array, is_object

_IDENTITY = re.compile(r"(?i)^(id|uuid)$|_id$|(?-i:[a-z]I[dD]$)")


def run_over(body: Json, code: str) -> Steps[ExtractionResult]:
    """
    Run the code; where it finds nothing, once more over the same body in lower case.

    Models compare names in lower case with `==`; the objects found that way are the same objects.
    """
    extracted = yield from _extracted(code, _json(body))
    if extracted.error and (opened := _opened(body)) != body:
        again = yield from _extracted(code, _json(opened))
        extracted = extracted if again.error else again
    if not (extracted.error or finds_nothing(extracted.value, body)):
        return extracted
    lowered = _lowered(body)
    again = yield from _extracted(code, _json(lowered))
    if again.error or finds_nothing(again.value, body):
        return extracted
    return ExtractionResult(value=_original(again.value, body, lowered))


def _extracted(code: str, text: str) -> Steps[ExtractionResult]:
    """Run the code over a body, given as JSON."""
    extracted = yield Extract(code=code, body=text)
    assert isinstance(extracted, ExtractionResult)  # noqa: S101  (the driver's contract)
    return extracted


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
    if not is_object(item) or has_identity(item):
        return item
    held = [each for each in item.values() if is_object(each) and has_identity(each)]
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


def finds_nothing(value: Json, body: Json) -> bool:
    """Whether a value is empty, or a count of none, though the response is not empty."""
    is_none = value in (None, [], {}, "") or (not isinstance(value, bool) and value == 0)
    return is_none and first_item(body) is not None


def first_item(body: Json) -> Json:
    """The first item of the first list, or map of things, in a response; None where it has none."""
    if is_array(body) or is_map(body):
        return next(iter(body.values() if is_object(body) else body), None)
    inner = [*body.values()] if is_object(body) else []
    lists = [each for each in inner if is_array(each) and each]
    if lists:
        return lists[0][0]
    found = (first_item(each) for each in inner if is_object(each))
    return next((each for each in found if each is not None), None)


def _json(body: Json) -> str:
    """JSON text; slower for what `orjson` does not write: huge numbers, halves of surrogates."""
    try:
        return orjson.dumps(body).decode()
    except orjson.JSONEncodeError:
        return replace_surrogates(json.dumps(body, ensure_ascii=False))


def has_identity(body: JsonObject) -> bool:
    """Whether an object has an id of its own."""
    return any(map(is_identity, body))


def is_identity(key: str) -> bool:
    """Whether a key is that of an id."""
    return bool(_IDENTITY.search(key))
