"""From the parameters and the payload of a step to the arguments of a tool."""

from __future__ import annotations

import json
from collections.abc import Sequence
from urllib.parse import parse_qsl

from restwright.calls.request.media_ranges import media_type_essence
from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.openapi.references import split_pointer
from restwright.tools.tool import Input, Tool
from restwright.workflows.expressions import ABSENT, NoValue, Path, find_paths
from restwright.workflows.model import Replacement, StepParameter

_BODY = frozenset({"body", "body_property"})
_OF_CONNECTION = frozenset({"authorization", "accept", "content-type"})
_FORM = "application/x-www-form-urlencoded"


def explain_parameter(tool: Tool, parameter: StepParameter) -> tuple[bool, str]:
    """Whether a step's parameter can be given to a tool, and what is doubtful about it."""
    found = find_input(tool, parameter)
    what = f"parameter {parameter.name!r} in {parameter.location or 'nothing'}"
    if found is not None:
        is_same = found.location == parameter.location
        return True, "" if is_same else f"{what} is in {found.location} of {tool.operation_name}"
    if parameter.location == "querystring":
        return True, ""
    if parameter.location == "header" and parameter.name.lower() in _OF_CONNECTION:
        return False, f"{what}: credentials and media types belong to the connection"
    return False, f"{what} is none of {tool.operation_name}"


def find_input(tool: Tool, parameter: StepParameter) -> Input | None:
    """The input that a parameter fills in, in its own place or else by its name alone."""
    outside = [each for each in tool.inputs if each.location not in _BODY]
    exact = [
        each
        for each in outside
        if each.location == parameter.location and _is_named(each, parameter.name)
    ]
    named = [each for each in outside if _is_named(each, parameter.name)]
    return next(iter((*exact, *named)), None)


def _is_named(tool_input: Input, name: str) -> bool:
    if tool_input.location == "header":
        return tool_input.target.lower() == name.lower()
    return tool_input.target == name


def choose_variant(tool: Tool, content_type: str) -> Tool:
    """The tool with its body in a media type; as it is where its document does not offer that."""
    wanted = media_type_essence(content_type) if content_type else ""
    variants = tool.in_media_types.items()
    return next((each for name, each in variants if media_type_essence(name) == wanted), tool)


def split_payload(payload: Json, content_type: str) -> Json:
    """A payload that is the text of JSON or of a form as its value, with its expressions."""
    if not isinstance(payload, str):
        return payload
    essence = media_type_essence(content_type) if content_type else "application/json"
    if essence == _FORM and "=" in payload:
        return dict(parse_qsl(payload, keep_blank_values=True))
    if essence.endswith("json"):
        try:
            value = json.loads(payload)
        except ValueError:
            return payload
        return value if is_object(value) or is_array(value) else payload
    return payload


def build_arguments(
    tool: Tool, parameters: Sequence[tuple[StepParameter, Json]], payload: Json
) -> JsonObject:
    """
    The arguments of a call.

    Args:
        parameters: Each with its value; `ABSENT` for one that is left out.
        payload: The body; `ABSENT` for none.
    """
    arguments: JsonObject = {}
    for parameter, value in parameters:
        if value is ABSENT:
            continue
        found = find_input(tool, parameter)
        if found is not None:
            _place(arguments, found, value)
        elif parameter.location == "querystring" and isinstance(value, str):
            for name, text in parse_qsl(value, keep_blank_values=True):
                each = StepParameter(name=name, location="query", value=text)
                own = find_input(tool, each)
                _place(arguments, own or Input(name=name, location="query", target=name), text)
    if payload is not ABSENT:
        _place_body(tool, arguments, payload)
    return arguments


def _place_body(tool: Tool, arguments: JsonObject, payload: Json) -> None:
    whole = next((each for each in tool.inputs if each.location == "body"), None)
    if whole is not None or not is_object(payload):
        _place(arguments, whole or Input(name="body", location="body", target="body"), payload)
        return
    by_target = {each.target: each for each in tool.inputs if each.location == "body_property"}
    for name, value in payload.items():
        # One that is not there is left for the check of the arguments to tell of.
        own = by_target.get(name) or Input(name=name, location="body_property", target=name)
        _place(arguments, own, value)


def _place(arguments: JsonObject, tool_input: Input, value: Json) -> None:
    inside = arguments.setdefault(tool_input.group, {}) if tool_input.group else arguments
    inside[tool_input.name] = value


def replace_parts(payload: Json, replacements: Sequence[tuple[Replacement, Json]]) -> Json:
    """
    Set values within a payload.

    Raises:
        NoValue: There is no such place in it.
    """
    whole = json.loads(json.dumps({} if payload is ABSENT else payload))
    for replacement, value in replacements:
        if value is ABSENT:
            continue
        paths: list[Path] = (
            find_paths(replacement.target, whole)
            if replacement.is_query
            else [split_pointer(replacement.target)]
        )
        if not paths or not all(_set(whole, path, value) for path in paths):
            raise NoValue(f"the payload has no place {replacement.target}")
    return whole


def _set(whole: Json, path: Path, value: Json) -> bool:
    *above, last = path or ("",)
    inside: Json = whole
    for key in above:
        place = _place_in(inside, key)
        if place is None or (is_object(inside) and place not in inside):
            return False
        inside = _member(inside, place)
    place = _place_in(inside, last)
    if place is not None:
        inside.__setitem__(place, value)
    return place is not None


def _member(whole: Json, place: str | int) -> Json:
    return whole[place]


def _place_in(whole: Json, key: str | int) -> str | int | None:
    """By what a member of an object or a list is found; None where there can be none."""
    if is_object(whole):
        return str(key)
    is_index = is_array(whole) and str(key).isdecimal() and int(key) < len(whole)
    return int(key) if is_index else None
