"""Whether a request fits the document: values with the types of their schemas, or what is wrong."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypedDict

from restwright.typing import Json
from restwright_bench.world.document import Parameter, Route, resolved
from restwright_bench.world.exchange import Asked, Received

TRUTH = {"true": True, "false": False}
# `{"in": "body"}`: how a fault in the body is told of.
BODY = "body"
MOST_FAULTS = 10


class Fault(TypedDict):
    """One thing wrong with a request, as machines can read it."""

    location: str
    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class Unfit(Exception):
    """A request that does not fit the document."""

    faults: tuple[Fault, ...]


def asked_of(route: Route, path: Mapping[str, str], received: Received) -> Asked:
    """
    The values of a request.

    Raises:
        Unfit: With everything that is wrong, 10 at most.
    """
    faults: list[Fault] = []
    values = {"path": dict[str, Json](), "query": dict[str, Json]()}
    query = dict(received.query)
    for parameter in route.parameters:
        if parameter.location not in values:
            continue
        given = path if parameter.location == "path" else query
        if parameter.name not in given:
            faults += _missing(parameter)
            _fill_in(values["query"], parameter, route)
            continue
        value = _typed(given[parameter.name], parameter, route)
        values[parameter.location][parameter.name] = value
        faults += _parameter_faults(parameter, value, route)
    body = None
    try:
        body = _body(route, received)
    except Unfit as error:
        faults += error.faults
    if faults:
        raise Unfit(tuple(faults[:MOST_FAULTS]))
    return Asked(
        method=route.method,
        template=route.template,
        path=values["path"],
        query=values["query"],
        body=body,
    )


def _missing(parameter: Parameter) -> list[Fault]:
    if not parameter.required:
        return []
    return [Fault(location=parameter.location, name=parameter.name, reason="is required")]


def _fill_in(values: dict[str, Json], parameter: Parameter, route: Route) -> None:
    schema = resolved(parameter.schema, route.root)
    if parameter.location == "query" and "default" in schema:
        default = schema["default"]
        is_text = isinstance(default, str)
        values[parameter.name] = _typed(default, parameter, route) if is_text else default


def _parameter_faults(parameter: Parameter, value: Json, route: Route) -> Iterator[Fault]:
    checker = route.parameter_checkers[parameter.location, parameter.name]
    for error in checker.iter_errors(value):
        yield Fault(location=parameter.location, name=parameter.name, reason=error.message[:200])


def _typed(text: str, parameter: Parameter, route: Route) -> Json:
    """The value that a text stands for under its schema; the text where it stands for none."""
    schema = resolved(parameter.schema, route.root)
    if parameter.is_list:
        return [_scalar(each, schema.get("items", {}).get("type")) for each in text.split(",")]
    return _scalar(text, schema.get("type"))


def _scalar(text: str, kind: Json) -> Json:
    try:
        if kind == "integer":
            return int(text) if text.lstrip("-").isdecimal() else text
        if kind == "number":
            return float(text)
    except ValueError:
        return text
    return TRUTH.get(text, text) if kind == "boolean" else text


def _body(route: Route, received: Received) -> Json:
    if not received.body:
        if route.operation.get("requestBody", {}).get("required") is True:
            raise Unfit((Fault(location=BODY, name="", reason="is required"),))
        return None
    if route.body_checker is None:
        raise Unfit((Fault(location=BODY, name="", reason="the operation takes none"),))
    try:
        value = json.loads(received.body)
    except ValueError as error:
        raise Unfit((Fault(location=BODY, name="", reason=f"is not JSON: {error}"),)) from None
    faults = tuple(
        Fault(
            location=BODY,
            name="/".join(map(str, error.instance_path)),
            reason=error.message[:200],
        )
        for error in route.body_checker.iter_errors(value)
    )
    if faults:
        raise Unfit(faults)
    return value
