"""Where a call may go: what the user named, and where the document itself is served."""

from __future__ import annotations

from dataclasses import replace
from uuid import uuid4

from restwright.calls.security import Connection
from restwright.calls.servers import is_url, named_url, own_server
from restwright.errors import RefusedRequest
from restwright.net.guard import Origin, origin_of
from restwright.net.message import Request
from restwright.net.retry import IDEMPOTENCY_HEADERS
from restwright.tools.tool import Tool
from restwright.typing import JsonObject


def within_reach(request: Request, tool: Tool, connection: Connection) -> Request:
    """
    Say on a request whether the user named where it goes.

    The document's own first server, or another that the user chose of it, needs no naming; the
    transport sees to it that it is a public address. An operation that names another server is
    not believed.

    Raises:
        RefusedRequest: Neither the user nor the document as a whole named where it goes.
    """
    origin = origin_of(request.url)
    if origin in _named(tool, connection):
        return replace(request, is_named=True)
    own = _own(tool, connection)
    if origin == own:
        return request
    served = f", and not {own} like its document" if own else ""
    why = f"{tool.name} names this server{served}; name {origin} with --server if you mean it"
    raise RefusedRequest(str(origin), why)


def with_key(tool: Tool, arguments: JsonObject) -> JsonObject:
    """
    Give a call the idempotency key that the document declares, where there is none yet.

    The key is one for all attempts of a call, so that a retry has no second effect.
    """
    for each in tool.inputs:
        is_key = each.location == "header" and each.target.lower() in IDEMPOTENCY_HEADERS
        if is_key and not each.group and arguments.get(each.name) is None:
            return {**arguments, each.name: str(uuid4())}
    return arguments


def _named(tool: Tool, connection: Connection) -> frozenset[Origin]:
    server = named_url(connection.server, connection.server_variables)
    return frozenset(origin_of(url) for url in (server, tool.source) if is_url(url))


def _own(tool: Tool, connection: Connection) -> Origin | None:
    """The origin of the server that the user chose of the document's, else of its first one."""
    try:
        url = own_server(tool, connection.server, connection.server_variables)
        return None if url is None else origin_of(url)
    except (RefusedRequest, ValueError):
        return None
