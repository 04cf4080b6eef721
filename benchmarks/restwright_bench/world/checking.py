"""Whether a request fits the document: values with the types of their schemas, or what is wrong."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypedDict

import jsonschema_rs
import orjson

from restwright.jsontypes import Json
from restwright_bench.world.document import Parameter, Route, resolved
from restwright_bench.world.exchange import Answer, Asked, Received

TRUTH = {"true": True, "false": False}
# Where a fault in the body is said to be.
BODY = "body"
MOST_FAULTS = 10
LEAST_ERROR = 400
LONGEST_REASON = 200
# More digits than JSON numbers are exchanged with.
LARGEST = 2**63


class Fault(TypedDict):
    """One thing wrong with a request, as machines can read it."""

    location: str
    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class Unfit(Exception):
    """A request that does not fit the document."""

    faults: tuple[Fault, ...]


Given = Mapping[str, Sequence[str]]
"""`{name: texts in the order they came in}`."""


def asked_of(route: Route, path: Mapping[str, str], received: Received) -> Asked:
    """
    The values of a request. Parameters that the document does not have are ignored.

    Raises:
        Unfit: With everything that is wrong, 10 at most.
    """
    in_path, path_faults = _values(route, "path", {name: (text,) for name, text in path.items()})
    in_query, query_faults = _values(route, "query", _gathered(received.query))
    body, body_faults = _body(route, received)
    if faults := (*path_faults, *query_faults, *body_faults):
        raise Unfit(faults[:MOST_FAULTS])
    return Asked(
        method=route.method, template=route.template, path=in_path, query=in_query, body=body
    )


def _gathered(pairs: Sequence[tuple[str, str]]) -> Given:
    found: dict[str, list[str]] = {}
    for name, text in pairs:
        found.setdefault(name, []).append(text)
    return found


def _values(route: Route, location: str, given: Given) -> tuple[dict[str, Json], tuple[Fault, ...]]:
    values: dict[str, Json] = {}
    faults: list[Fault] = []
    for parameter in route.parameters:
        if parameter.location != location:
            continue
        texts = given.get(parameter.name, ())
        if texts:
            values[parameter.name] = value = _typed(texts, parameter, route)
            faults += _faults_of(parameter, value, texts, route)
        elif parameter.required:
            faults.append(_fault(parameter, "is required"))
        else:
            _fill_in(values, parameter, route)
    return values, tuple(faults)


def _fault(parameter: Parameter, reason: str) -> Fault:
    return Fault(location=parameter.location, name=parameter.name, reason=reason)


def _fill_in(values: dict[str, Json], parameter: Parameter, route: Route) -> None:
    schema = resolved(parameter.schema, route.root)
    if "default" in schema:
        default = schema["default"]
        is_text = isinstance(default, str)
        values[parameter.name] = _typed((default,), parameter, route) if is_text else default


def _faults_of(
    parameter: Parameter, value: Json, texts: Sequence[str], route: Route
) -> Iterator[Fault]:
    if len(texts) > 1 and not parameter.is_list:
        yield _fault(parameter, "is given more than once")
    checker = route.parameter_checkers[parameter.location, parameter.name]
    for error in checker.iter_errors(value):
        yield _fault(parameter, error.message[:LONGEST_REASON])


def _typed(texts: Sequence[str], parameter: Parameter, route: Route) -> Json:
    """The value that texts stand for under their schema; the text where it stands for none."""
    schema = resolved(parameter.schema, route.root)
    if not parameter.is_list:
        return _scalar(texts[-1], schema.get("type"))
    # One text may be a whole list, whatever the style: most servers are that lenient.
    several = texts if len(texts) > 1 else texts[0].split(",")
    return [_scalar(each, schema.get("items", {}).get("type")) for each in several]


def _scalar(text: str, kind: Json) -> Json:
    try:
        if kind == "integer":
            number = int(text) if text.removeprefix("-").isdecimal() else text
            return number if isinstance(number, int) and abs(number) < LARGEST else text
        if kind == "number":
            return float(text) if math.isfinite(float(text)) else text
    except ValueError:
        return text
    return TRUTH.get(text, text) if kind == "boolean" else text


def _body(route: Route, received: Received) -> tuple[Json, tuple[Fault, ...]]:
    if not received.body:
        is_required = route.operation.get("requestBody", {}).get("required") is True
        return None, (_of_body("is required"),) if is_required else ()
    if route.body_checker is None:
        return None, (_of_body("the operation takes none"),)
    try:
        value = orjson.loads(received.body)
    except orjson.JSONDecodeError as error:
        return None, (_of_body(f"is not JSON: {error}"[:LONGEST_REASON]),)
    faults = map(_misfit, route.body_checker.iter_errors(value))
    return value, tuple(each for each, _ in zip(faults, range(MOST_FAULTS), strict=False))


def _of_body(reason: str) -> Fault:
    return Fault(location=BODY, name="", reason=reason)


def _misfit(error: jsonschema_rs.ValidationError) -> Fault:
    name = "/".join(map(str, error.instance_path))
    return Fault(location=BODY, name=name, reason=error.message[:LONGEST_REASON])


def misfits(route: Route, answer: Answer) -> tuple[str, ...]:
    """What of an answer is not as the document says; failures that it does not tell of may be."""
    if answer.status not in route.statuses:
        return () if answer.status >= LEAST_ERROR else (f"{answer.status} is not in the document",)
    checker = route.response_checkers.get(answer.status)
    if checker is None:
        return ("there is a body",) if answer.body is not None else ()
    return tuple(
        f"{'/'.join(map(str, each.instance_path))}: {each.message[:LONGEST_REASON]}"
        for each in checker.iter_errors(answer.body)
    )
