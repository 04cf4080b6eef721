"""The tools that restwright makes of an API of the world, and the calls of scripts as theirs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from restwright.calls.approval.approval import approve_all
from restwright.calls.approval.policy import ALLOW
from restwright.calls.auth.connection import Connection
from restwright.calls.call import call
from restwright.calls.response.result import Result
from restwright.jsontypes import Json, JsonObject
from restwright.net.messages import Send
from restwright.net.secret import Secret
from restwright.openapi.api import API, load
from restwright.tools.catalog.catalog import Catalog, catalog
from restwright.tools.tool import Input, Tool
from restwright_bench.policies.beside import FOLDER
from restwright_bench.policies.run import Credentials
from restwright_bench.queries.query import Scripted
from restwright_bench.world.api import Api
from restwright_bench.world.document import served
from restwright_bench.world.exchange import Received
from restwright_bench.world.inside import ORIGIN


@dataclass(frozen=True, slots=True, kw_only=True)
class Tools:
    """
    An API as restwright sees it.

    Args:
        connection: To the API at its origin, credentials included.
        connections: The same, and those to the APIs beside it, at which there is nothing.
        of_route: `{(method in upper case, template): tool}`.
    """

    catalog: Catalog
    connection: Connection
    connections: Mapping[str, Connection] = field(repr=False)
    of_route: Mapping[tuple[str, str], Tool] = field(repr=False)

    def call(self, tool: Tool, arguments: JsonObject, send: Send) -> Result:
        """Make one call; writes are approved."""
        return call(
            *(tool, arguments),
            connection=self.connection,
            send=send,
            approve=approve_all,
            policy=ALLOW,
        )


def tools_of(
    api: Api, let_in: Credentials, *, origin: str = ORIGIN, beside: Sequence[API] = ()
) -> Tools:
    """
    The tools of an API that is served at `origin`.

    Args:
        beside: Other APIs whose tools are offered too; they are called at `origin` as well.
    """
    document = served(api.written or api.document, f"{origin}{api.prefix}")
    whole = catalog(load(document, alias=api.name), *beside)
    own = [whole[name] for name, entry in whole.entries.items() if entry.namespace == api.name]
    connection = connection_of(api, let_in, origin)
    others = {name: f"{origin}/{FOLDER}/{name}" for name in whole.apis if name != api.name}
    nowhere = {name: Connection(server=url, auth="none") for name, url in others.items()}
    return Tools(
        catalog=whole,
        connection=connection,
        connections={api.name: connection, **nowhere},
        of_route={(tool.operation.method.upper(), tool.operation.path): tool for tool in own},
    )


def connection_of(api: Api, let_in: Credentials, origin: str) -> Connection:
    """A connection with the credentials that `let_in` fills in."""
    opened = let_in(Received(method="GET", path="/"))
    headers = {name.title(): value for name, value in opened.headers.items()}
    schemes = api.document.get("components", {}).get("securitySchemes", {})
    keys = dict(opened.query)
    auth = {
        name: Secret(keys[scheme["name"]])
        for name, scheme in schemes.items()
        if scheme.get("in") == "query" and scheme.get("name") in keys
    }
    # A header that lets requests in stands for whatever scheme the document names.
    return Connection(server=f"{origin}{api.prefix}", headers=headers, auth=auth or "none")


def arguments_of(tool: Tool, scripted: Scripted) -> JsonObject:
    """The arguments of a tool that make it send what a script says."""
    places: Mapping[str, Callable[[Input], tuple[bool, Json]]] = {
        "path": lambda each: _in(scripted.path, each.target),
        "query": lambda each: _in(scripted.query, each.target),
        "body_property": lambda each: _in(scripted.body, each.target),
        "body": lambda _each: (scripted.body is not None, scripted.body),
    }
    found: JsonObject = {}
    for each in tool.inputs:
        is_given, value = places[each.location](each) if each.location in places else (False, None)
        if is_given:
            found[each.name] = value
    return found


def _in(values: Json, name: str) -> tuple[bool, Json]:
    is_given = isinstance(values, Mapping) and name in values
    return is_given, values[name] if is_given else None
