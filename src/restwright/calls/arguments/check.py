"""From a model's text to checked arguments."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from math import isfinite

from restwright.calls.arguments.lenient_json import ParsedArguments, parse_lenient_object
from restwright.calls.arguments.validator import validator_for
from restwright.calls.human_paths import hide_human_values
from restwright.calls.mismatch import (
    Mismatch,
    mismatch_for_non_object,
    mismatches_from_violations,
    pointer_from_path,
    preview_json,
)
from restwright.calls.request.build import find_unsendable
from restwright.errors import UnreadableArguments
from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.openapi.model import Problem
from restwright.tools.tool import Tool, require_tool

_MAX_DEPTH = 100


def parse_arguments(text: str, *, lenient: bool = True) -> JsonObject:
    """
    Read the arguments of a call.

    Args:
        text: A JSON object. Empty text stands for no arguments.
        lenient: Also read what a model writes: fences, comments, single quotes, a missing end.

    Raises:
        UnreadableArguments: It is no JSON object, cannot be repaired into one, or holds several
            that differ.
    """
    reading = parse_model_arguments(text) if lenient else _parse_strictly(text)
    if reading.others:
        raise UnreadableArguments(f"it holds {len(reading.others) + 1} different objects")
    return reading.value


def parse_model_arguments(text: str) -> ParsedArguments:
    """
    Read the arguments of a call as a model writes them, and tell what was lenient about that.

    Of several objects the first that is not empty is used; the others are told.

    Raises:
        UnreadableArguments: It is no JSON object, and cannot be repaired into one.
    """
    try:
        return _parse_strictly(text)
    except UnreadableArguments as error:
        found = parse_lenient_object(_unwrap_string(text))
        if found is None:
            raise
        if _is_other_json_value(text):
            raise UnreadableArguments(error.why) from None
        return found


def _parse_strictly(text: str) -> ParsedArguments:
    if not text.strip():
        return ParsedArguments(value={})
    try:
        value = json.loads(text)
    except RecursionError:
        raise UnreadableArguments("it is nested too deep") from None
    except ValueError as error:
        raise UnreadableArguments(str(error)) from None
    if not is_object(value):
        raise UnreadableArguments(f"it is {preview_json(value)}")
    return ParsedArguments(value=value)


def _unwrap_string(text: str) -> str:
    """The text in a JSON string, which may itself be JSON."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return value if isinstance(value, str) else text


def _is_other_json_value(text: str) -> bool:
    """Whether strict JSON says that it is no object, such as an array of some."""
    try:
        return not isinstance(json.loads(text), str)
    except (ValueError, RecursionError):
        return False


def check(tool: Tool, arguments: JsonObject) -> tuple[Mismatch, ...]:
    """
    Return everything that is wrong with the arguments of a call; empty when it can be sent.

    After the schema, what HTTP cannot carry is refused too: control characters in a header, an
    empty path segment. Of what a human fills in, a mismatch never says the value.

    Raises:
        WrongType: `tool` is none.
    """
    require_tool(tool)
    if not is_object(arguments):
        return (mismatch_for_non_object(arguments),)
    found = check_value(tool.checks, arguments) or find_unsendable(tool, arguments)
    return hide_human_values(tool.separated, found) if found else ()


def check_value(schema: Json, value: Json) -> tuple[Mismatch, ...]:
    """
    Check any value against any JSON Schema (2020-12, formats asserted).

    Where the schema itself is broken, the broken keywords are left out of the check:
    `find_broken_keywords` says which.
    """
    if not _is_json(value):
        return tuple(_find_non_json(value, ()))
    try:
        return mismatches_from_violations(validator_for(schema).find_violations(value))
    except ValueError:
        # The validator goes less deep than JSON does.
        return tuple(_find_non_json(value, ())) or (Mismatch("", "less nesting", "more"),)


def find_broken_keywords(schema: Json) -> tuple[Problem, ...]:
    """Return what the check of `schema` leaves out because it is broken."""
    return validator_for(schema).problems


def _is_json(value: Json) -> bool:
    """Whether `value` can be written as JSON, at the speed of orjson for most."""
    import orjson

    strictly = (
        orjson.OPT_PASSTHROUGH_DATACLASS
        | orjson.OPT_PASSTHROUGH_DATETIME
        | orjson.OPT_PASSTHROUGH_SUBCLASS
    )
    try:
        # It writes numbers that are none as null, and refuses integers over 64 bits.
        if b"null" not in orjson.dumps(value, option=strictly):
            return True
    except TypeError:
        pass
    try:
        json.dumps(value, allow_nan=False, ensure_ascii=False).encode()
    except (ValueError, TypeError, RecursionError):
        return False
    return True


def _find_non_json(value: Json, path: tuple[str | int, ...]) -> Iterator[Mismatch]:
    """Name each part of `value` that JSON has no form for."""
    if len(path) > _MAX_DEPTH:
        yield Mismatch(
            pointer_from_path(path[:8]), f"at most {_MAX_DEPTH} levels of nesting", "more"
        )
    elif is_object(value):
        for key, each in value.items():
            yield from _find_non_json(each, (*path, str(key)))
            if not _is_unicode_text(key):
                yield Mismatch(
                    pointer_from_path(path), "names that are Unicode text", ascii(key)[:80]
                )
    elif is_array(value):
        for index, each in enumerate(value):
            yield from _find_non_json(each, (*path, index))
    elif found := next((words for accepts, words in _NON_JSON_KINDS if accepts(value)), None):
        yield Mismatch(pointer_from_path(path), found, ascii(value)[:80])


def _is_unicode_text(value: Json) -> bool:
    return isinstance(value, str) and not any(
        "\ud800" <= character <= "\udfff" for character in value
    )


_NON_JSON_KINDS: tuple[tuple[Callable[[Json], bool], str], ...] = (
    (lambda value: isinstance(value, float) and not isfinite(value), "a finite number"),
    (lambda value: isinstance(value, str) and not _is_unicode_text(value), "Unicode text"),
    (
        lambda value: not (value is None or isinstance(value, (str, int, float))),
        "a JSON value",
    ),
)
