"""
What stands around what is asked for in each response of an API: `code` and `message` of all of it.

Such an API tells in there, and not by the status of HTTP, whether a call has done anything.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from restwright.agents.rest.facts import say_value
from restwright.agents.rest.run import RestRun
from restwright.agents.spotlighting import escape_marks
from restwright.calls.truncate import shorten_line
from restwright.jsontypes import Json, JsonObject, is_object
from restwright.tools.producers.fields import ELEMENT, ResponseField, response_fields
from restwright.tools.tool import Tool

_LEAST, _SHARE = 3, 0.8
"""Of the operations of an API that have these members in their responses."""
_MAX_TOLD_CHARS = 120
_NONE = frozenset[str]()


def find_content(run: RestRun, tool: Tool, body: Json) -> Json:
    """
    What a response holds beside what stands in all of them; all of it where there is no such thing.

    None where it holds nothing beside, which is how such an API says that there is nothing.
    """
    around = _find_around(run, tool)
    if not is_object(body) or not around or not around <= body.keys():
        return body
    held = {name: value for name, value in body.items() if name not in around}
    return held if any(value not in (None, {}, "") for value in held.values()) else None


def find_refusal(run: RestRun, tool: Tool, body: Json) -> str:
    """
    What a response to a change says where no read that gave something said it; empty for nothing.

    Numbers and yes or no are compared: texts differ from call to call.
    """
    around = _find_around(run, tool)
    if not is_object(body) or not around:
        return ""
    said = _tell_signs(body, around)
    known = [
        _tell_signs(response.body, around)
        for response in run.responses
        if is_object(response.body)
        and run.is_read(run.catalog[response.tool])
        and find_content(run, run.catalog[response.tool], response.body) is not None
    ]
    if not said or not known or said in known:
        return ""
    return tell_response({name: body[name] for name in body if name in around})


def tell_response(body: Json) -> str:
    """What an API says in a response, short and without marks of prompts."""
    return escape_marks(shorten_line(say_value(body), _MAX_TOLD_CHARS))


def _tell_signs(body: JsonObject, around: frozenset[str]) -> JsonObject:
    return {name: body[name] for name in around if isinstance(body.get(name), int | float)}


def _find_around(run: RestRun, tool: Tool) -> frozenset[str]:
    """The members that stand around what is asked for in nearly all responses of an API."""
    if tool.namespace not in run.around:
        responses = [fields for one in run.siblings(tool) if (fields := response_fields(one))]
        run.around[tool.namespace] = _find_usual(responses) if len(responses) >= _LEAST else _NONE
    return run.around[tool.namespace]


def _find_usual(responses: Sequence[Sequence[ResponseField]]) -> frozenset[str]:
    """
    The scalars in the root of nearly all responses, of lists and of others, and nowhere else.

    Those of a thing that is read plainly stand in the things of its list too, and those of a page
    in pages alone.
    """
    roots = [{one.path[0] for one in fields if len(one.path) == 1} for fields in responses]
    are_lists = [any(ELEMENT in one.path for one in fields) for fields in responses]
    inner = {one.path[-1] for fields in responses for one in fields if len(one.path) > 1}
    counts = Counter(name for root in roots for name in root - inner)
    kinds = {
        (name, is_list) for root, is_list in zip(roots, are_lists, strict=True) for name in root
    }
    return frozenset(
        name
        for name, count in counts.items()
        if count >= _SHARE * len(responses) and {(name, True), (name, False)} <= kinds
    )
