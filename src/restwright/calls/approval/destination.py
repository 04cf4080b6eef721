"""What a connection says of a call: where it may go, and what of it need not be asked for."""

from __future__ import annotations

from dataclasses import replace
from uuid import uuid4

from restwright.calls.arguments.check import check
from restwright.calls.auth.connection import Connection
from restwright.calls.mismatch import Mismatch, pointer_from_path
from restwright.calls.request.servers import document_server_url, is_http_url, user_server_url
from restwright.errors import RefusedRequest
from restwright.jsontypes import JsonObject, is_object
from restwright.net.http.retry import IDEMPOTENCY_HEADERS
from restwright.net.messages import Request
from restwright.net.policy.origins import Origin, parse_origin
from restwright.tools.tool import Tool


def check_destination(request: Request, tool: Tool, connection: Connection) -> Request:
    """
    Say on a request whether the user named where it goes.

    The document's own first server, or another that the user chose of it, needs no naming; the
    transport sees to it that it is a public address. An operation that names another server is
    not believed.

    Raises:
        RefusedRequest: Neither the user nor the document as a whole named where it goes.
    """
    origin = parse_origin(request.url)
    if origin in _user_origins(tool, connection):
        return replace(request, is_named=True)
    own = _document_origin(tool, connection)
    if origin == own:
        return request
    served = f", and not {own} like its document" if own else ""
    why = f"{tool.name} names this server{served}"
    raise RefusedRequest(str(origin), why, str(origin))


def add_idempotency_key(tool: Tool, arguments: JsonObject) -> JsonObject:
    """
    Give a call the idempotency key that the document declares, where there is none yet.

    The key is one for all attempts of a call, so that a retry has no second effect.
    """
    for tool_input in tool.inputs:
        if tool_input.location != "header" or tool_input.target.lower() not in IDEMPOTENCY_HEADERS:
            continue
        group = arguments.get(tool_input.group, {}) if tool_input.group else arguments
        if is_object(group) and group.get(tool_input.name) is None:
            keyed = {**group, tool_input.name: str(uuid4())}
            return {**arguments, tool_input.group: keyed} if tool_input.group else keyed
    return arguments


def check_call_arguments(
    tool: Tool, arguments: JsonObject, connection: Connection
) -> tuple[Mismatch, ...]:
    """
    Return what is wrong with the arguments of one call; empty when nothing is.

    A header that the connection sends with every request may be missing among them.
    """
    sent = {name.lower() for name in connection.headers}
    given = [
        tool_input
        for tool_input in tool.inputs
        if tool_input.location == "header" and tool_input.target.lower() in sent
    ]
    groups: JsonObject = {tool_input.group: {} for tool_input in given if tool_input.group}
    found = check(tool, {**groups, **arguments})
    places = {
        pointer_from_path(filter(None, (tool_input.group, tool_input.name))) for tool_input in given
    }
    return tuple(
        mismatch
        for mismatch in found
        if mismatch.pointer not in places or mismatch.got != "nothing"
    )


def _user_origins(tool: Tool, connection: Connection) -> frozenset[Origin]:
    server = user_server_url(connection.server, connection.server_variables)
    return frozenset(parse_origin(url) for url in (server, tool.source) if is_http_url(url))


def _document_origin(tool: Tool, connection: Connection) -> Origin | None:
    """The origin of the server that the user chose of the document's, else of its first one."""
    try:
        url = document_server_url(tool, connection.server, connection.server_variables)
        return None if url is None else parse_origin(url)
    except (RefusedRequest, ValueError):
        return None
