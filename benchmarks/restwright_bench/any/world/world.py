"""A world for one document: a `Send` that answers as the document says."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import copy, deepcopy
from dataclasses import dataclass
from urllib.parse import urlsplit

import orjson

from restwright.calls.arguments.check import check, check_value
from restwright.jsontypes import Json, JsonObject
from restwright.net.messages import Request, Response
from restwright.tools.catalog.catalog import Catalog
from restwright.tools.tool import Tool
from restwright_bench.any.resources import Resource, find_resources
from restwright_bench.any.world.actions import WRITES, Doing, Refused, act, split_path
from restwright_bench.any.world.bodies import ORIGIN
from restwright_bench.any.world.planting import Plant
from restwright_bench.any.world.received import Unreadable, read_request, unknown_members
from restwright_bench.any.world.routing import Route, build_routes
from restwright_bench.any.world.state import Change, State, TableKey
from restwright_bench.any.world.tables import Table

__all__ = ["ORIGIN", "Exchange", "World"]

_NO_CONTENT = 204
_LEAST_FAILURE = 400


Mark = tuple[str, tuple[str, ...], str]
"""Path of a resource, ids around its collection, id of a thing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """
    One request and what became of it.

    Args:
        tool: Its operation; empty where it is none of the document.
        changed: What the request changed.
    """

    method: str
    path: str
    tool: str
    status: int
    changed: tuple[Mark, ...] = ()


@dataclass(frozen=True, slots=True)
class Served:
    """How one operation was answered."""

    status: int
    body: Json = None
    why: str = ""


class World:
    """
    The things of one document, drawn from a seed, and what requests do to them.

    Args:
        resources: Of the document; found in it where None.
        drawn: As of `State`, and `plant` too.

    `log` has every request. `unserved` says of which operations no response could be made that
    fits the document, and why; such a request is answered 501, as is one for no resource.
    """

    def __init__(
        self,
        catalog: Catalog,
        seed: int,
        *,
        resources: Iterable[Resource] | None = None,
        drawn: dict[TableKey, Table] | None = None,
        plant: Plant | None = None,
    ) -> None:
        self.catalog, self.seed = catalog, seed
        found = find_resources(catalog.tools) if resources is None else resources
        self.resources: Mapping[str, Resource] = {each.path: each for each in found}
        self._routes = build_routes(catalog.tools, self.resources.values())
        self.unserved: dict[str, str] = {}
        self.state = State([*self.resources.values()], seed, drawn, plant)
        self.log: list[Exchange] = []
        self.requests: list[Request] = []

    def __call__(self, request: Request) -> Response:
        """Answer one request."""
        path = urlsplit(request.url).path
        route, values = self._find(request.method, path)
        before = _marks(self.state.changes()) if request.method != "GET" else {}
        served = self._serve(route, values, request, path)
        after = _marks(self.state.changes()) if request.method != "GET" else {}
        changed = tuple(key for key in {**before, **after} if _differ(before, after, key))
        self.requests.append(request)
        self.log.append(
            Exchange(
                method=request.method,
                path=path,
                tool=route.tool.name if route else "",
                status=served.status,
                changed=changed,
            )
        )
        content = b"" if served.body is None else orjson.dumps(served.body)
        headers = () if served.body is None else (("content-type", "application/json"),)
        return Response(status=served.status, headers=headers, body=content, url=request.url)

    def changes(self) -> tuple[Change, ...]:
        """What is not as it was drawn."""
        return self.state.changes()

    def trial(self) -> World:
        """A world in the same state, to try a request on; nothing that is done there is here."""
        other = copy(self)
        other.state, other.log, other.requests = self.state.copy(), [], []
        return other

    def _find(self, method: str, path: str) -> tuple[Route | None, Mapping[str, str]]:
        for route in self._routes.get("GET" if method == "HEAD" else method, ()):
            values = route.values_in(path)
            if values is not None:
                return route, values
        return None, {}

    def _serve(
        self, route: Route | None, values: Mapping[str, str], request: Request, path: str
    ) -> Served:
        if route is None:
            return _failure(404, "there is no such path")
        if route.resource is None:
            return _failure(501, "this operation is not served")
        try:
            received = read_request(route.tool, request, values)
        except Unreadable as error:
            return _failure(400, str(error))
        if unknown := unknown_members(route.tool, received.body):
            return _failure(_unfit(route.tool), f"it takes no {', '.join(unknown)}")
        if mismatches := check(route.tool, received.arguments):
            return _failure(_unfit(route.tool), "; ".join(map(str, mismatches[:3])))
        parents, id_ = split_path(route.resource, [*values.values()])
        return self._act(
            Doing(
                route=route,
                resource=route.resource,
                received=received,
                state=self.state,
                parents=parents,
                id=id_,
                path=path,
            )
        )

    def _act(self, doing: Doing) -> Served:
        key = (doing.resource.path, doing.parents)
        is_write = doing.route.action in WRITES
        try:
            kept = deepcopy(doing.table) if is_write else None
            body = act(doing)
        except Refused as error:
            return _failure(error.status, error.why)
        served = self._checked(doing.route.tool, body)
        if served.status >= _LEAST_FAILURE and kept is not None:
            self.state.put(key, kept)
        return served

    def _checked(self, tool: Tool, body: Json) -> Served:
        """A response of success, if it fits the document."""
        status = success_status(tool)
        if tool.output is None or status == _NO_CONTENT:
            return Served(status)
        if mismatches := check_value(tool.output, body):
            self.unserved[tool.name] = str(mismatches[0])[:200]
            return _failure(501, "no answer can be made for this operation")
        return Served(status, body)


def success_status(tool: Tool) -> int:
    """The status of success; 200 where the document leaves it open."""
    success = tool.operation.success
    return int(success.status) if success and success.status.isdecimal() else 200


def _unfit(tool: Tool) -> int:
    """With which status an operation refuses values."""
    told = {each.status for each in tool.operation.responses}
    return next((int(each) for each in ("400", "422") if each in told), 400)


def _failure(status: int, why: str) -> Served:
    body: JsonObject = {"error": {"status": status, "message": why}}
    return Served(status, body, why)


def _marks(changes: Iterable[Change]) -> dict[Mark, Json]:
    return {(*each.table, each.id): each.after for each in changes}


def _differ(before: Mapping[Mark, Json], after: Mapping[Mark, Json], key: Mark) -> bool:
    """Whether something became different: None is deleted, what is not there is as drawn."""
    return (key in before) != (key in after) or before.get(key) != after.get(key)
