"""Policies that need no model: right calls, no calls, and the right path with wrong arguments."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from urllib.parse import quote

from restwright.jsontypes import Json
from restwright.stepping import drive
from restwright_bench.policies.run import Said, Task
from restwright_bench.queries.query import Scripted
from restwright_bench.world.document import Route
from restwright_bench.world.exchange import Received

_ELSEWHERE: Mapping[str, Json] = {"page": 40, "offset": 40, "device_id": "another"}


class OraclePolicy:
    """Follows the script of the oracle; proves that the world can be acted in."""

    name = "oracle"

    def answer(self, task: Task) -> Said:
        """Make the scripted calls with their right arguments."""
        return followed(task, lambda call: task.send(received_of(call)).body)


class NothingPolicy:
    """Does nothing and says nothing; whatever it reaches is given away by the scoring."""

    name = "nothing"

    def answer(self, task: Task) -> Said:
        """Say nothing."""
        return Said()


class WrongArgumentsPolicy:
    """
    Takes the right path, each call with arguments that fit the document and mean another.

    A call that takes none can only be right: such a write is left out, and nothing is said where
    all calls are such.
    """

    name = "wrong"

    def answer(self, task: Task) -> Said:
        """Make the scripted calls about something else, and answer by what came back."""
        routes = {(each.method, each.template): each for each in task.running.api.routes}
        altered: list[bool] = []

        def perform(call: Scripted) -> Json:
            other = _elsewhere(call, routes[call.method, call.template])
            altered.append(other != call)
            is_right_write = other == call and call.method != "GET"
            return None if is_right_write else task.send(received_of(other)).body

        said = followed(task, perform)
        return said if any(altered) else Said(stopped="nothing to get wrong")


def followed(task: Task, perform: Callable[[Scripted], Json]) -> Said:
    """
    Go through the script of a task.

    Args:
        perform: Makes a call and returns the body of its answer.
    """
    script = task.oracle.script(task.running.state)
    try:
        return Said(answer=str(drive(script, perform)))
    except (LookupError, TypeError, ValueError, AttributeError):
        # What came back is not what the script goes on from.
        return Said(stopped="lost")


def _elsewhere(call: Scripted, route: Route) -> Scripted:
    query = {name: _other(value) for name, value in call.query.items()}
    is_bare = not call.path and not call.query and not isinstance(call.body, Mapping)
    return replace(
        call,
        path={name: _other(value) for name, value in call.path.items()},
        query=_one(route) if is_bare else query,
        body=_other_body(call.body),
    )


def _one(route: Route) -> Mapping[str, Json]:
    """For a call without arguments one that leads elsewhere, where it can have such."""
    own = {each.name for each in route.parameters if each.location == "query"}
    return next(({name: value} for name, value in _ELSEWHERE.items() if name in own), {})


def _other_body(body: Json) -> Json:
    if not isinstance(body, Mapping):
        return body
    return {name: _other(value) for name, value in body.items()}


def _other(value: Json) -> Json:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, list):
        return [_other(each) for each in value]
    return f"another {value}" if isinstance(value, str) else value


def received_of(call: Scripted) -> Received:
    """A scripted call as a request."""
    path = call.template
    for name, value in call.path.items():
        path = path.replace(f"{{{name}}}", quote(str(value), safe=""))
    return Received(
        method=call.method,
        path=path,
        query=tuple((name, _text(value)) for name, value in call.query.items()),
        body=b"" if call.body is None else json.dumps(call.body).encode(),
    )


def _text(value: Json) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)
