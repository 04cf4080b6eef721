"""From what a request carries to checked inputs, by the schemas of the document."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches

from restwright.demo.document import Body, Property
from restwright.demo.refusal import Refusal, invalid
from restwright.jsontypes import Json, JsonObject, is_object

_NUMBER = re.compile(r"-?[0-9]{1,15}(\.[0-9]{1,15})?", re.ASCII)
_INTEGER = re.compile(r"-?[0-9]{1,15}", re.ASCII)
_FORMATS = {"email": re.compile(r"[^@\s]+@[^@\s.]+(\.[^@\s.]+)+")}
_KINDS = {
    "string": "a string",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
}


def read_query(pairs: Iterable[tuple[str, str]], query: Mapping[str, Property]) -> JsonObject:
    """
    Turn decoded `(name, value)` pairs into `{name: value}` with defaults filled in.

    Raises:
        Refusal: 422, naming the parameter.
    """
    given: dict[str, str] = {}
    for name, value in pairs:
        if name in given:
            raise invalid(name, f"{name} is given more than once; give it once.")
        given[name] = value
    _only_known(given, query, what="query parameter")
    typed = {name: _typed(query[name], value) for name, value in given.items()}
    return _checked(typed, query)


def read_body(raw: bytes, body: Body) -> JsonObject:
    """
    Turn the bytes of a body into `{property: value}` with defaults filled in.

    Raises:
        Refusal: 400 if it is not a JSON object, else 422, naming the property.
    """
    given = _parsed(raw) if raw or body.required else {}
    _only_known(given, body.properties, what="property")
    return _checked(given, body.properties)


def _parsed(raw: bytes) -> JsonObject:
    try:
        value = json.loads(raw, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        value = None
    if not is_object(value):
        raise Refusal(400, "bad_request", "The body is not a JSON object; send one, as UTF-8.")
    return value


def _refuse_constant(constant: str) -> Json:
    raise ValueError(constant)


def _only_known(given: Iterable[str], known: Mapping[str, Property], *, what: str) -> None:
    for name in given:
        if name not in known:
            near = get_close_matches(name, known, n=1)
            advice = f"did you mean {near[0]}?" if near else f"known: {', '.join(known) or 'none'}."
            raise invalid(
                name[:60], f"There is no {what} {name[:60]!r}; {advice}", code="unknown_name"
            )


def _checked(given: JsonObject, known: Mapping[str, Property]) -> JsonObject:
    missing = [name for name, each in known.items() if each.required and name not in given]
    if missing:
        message = f"{missing[0]} is missing; give {_expected(known[missing[0]].schema)}."
        raise invalid(missing[0], message, code="missing_value")
    defaults = {n: each.schema["default"] for n, each in known.items() if "default" in each.schema}
    return defaults | {name: _value(known[name], value) for name, value in given.items()}


def _typed(parameter: Property, text: str) -> Json:
    """The value that a query string means; the text itself where it is none of that type."""
    match parameter.schema["type"]:
        case "integer" if _INTEGER.fullmatch(text):
            return int(text)
        case "number" if _NUMBER.fullmatch(text):
            return float(text)
        case "boolean" if text in {"true", "false"}:
            return text == "true"
        case _:
            return text


def _value(expected: Property, value: Json) -> Json:
    schema = expected.schema
    fits = _is_type(schema["type"], value) and all(
        check(value, schema[keyword]) for keyword, check in _CHECKS.items() if keyword in schema
    )
    if not fits:
        got = json.dumps(value, ensure_ascii=True)
        message = f"{expected.name} must be {_expected(schema)}, not {got[:60]}."
        raise invalid(expected.name, message)
    return int(value) if schema["type"] == "integer" else value


def _is_type(name: str, value: Json) -> bool:
    match name:
        case "string":
            return isinstance(value, str) and _is_text(value)
        case "boolean":
            return isinstance(value, bool)
        case "integer":
            whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
            return whole and not isinstance(value, bool)
        case _:
            return isinstance(value, int | float) and not isinstance(value, bool)


def _is_text(value: str) -> bool:
    """Whether it can be stored: no lone surrogates and no NUL."""
    return not any(character == "\0" or "\ud800" <= character <= "\udfff" for character in value)


_CHECKS: Mapping[str, Callable[[Json, Json], bool]] = {
    "enum": lambda value, choices: value in choices,
    "minimum": lambda value, bound: value >= bound,
    "maximum": lambda value, bound: value <= bound,
    "minLength": lambda value, bound: len(value.strip()) >= bound,
    "maxLength": lambda value, bound: len(value) <= bound,
    "pattern": lambda value, pattern: re.search(pattern, value, re.ASCII) is not None,
    "format": lambda value, name: _FORMATS[name].fullmatch(value) is not None,
}


def _expected(schema: JsonObject) -> str:
    """What a value should be, in words, such as `a whole number from 1 to 5`."""
    if "enum" in schema:
        return f"one of {', '.join(schema['enum'])}"
    if schema.get("format") == "email":
        return "an e-mail address, such as name@example.com"
    if "pattern" in schema:
        return "a phone number, such as +351 21 555 0187"
    return _KINDS[schema["type"]] + _bounds(schema)


def _bounds(schema: JsonObject) -> str:
    if "minimum" in schema:
        return f" from {schema['minimum']} to {schema['maximum']}"
    if "maxLength" in schema:
        return f" of {schema.get('minLength', 0)} to {schema['maxLength']} characters"
    return ""
