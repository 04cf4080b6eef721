"""One call from arguments to result. What goes wrong on the way is a `Result` too."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from restwright.calls.approval.approval import Approval, Approve
from restwright.calls.approval.destination import check_call, with_key, within_reach
from restwright.calls.approval.policy import CONFIRM, Policy
from restwright.calls.arguments.check import check_value
from restwright.calls.arguments.feedback import feedback
from restwright.calls.arguments.repair import Repair, Repaired, repaired
from restwright.calls.auth.connection import Connection, authorize, named_origin
from restwright.calls.auth.oauth.driver import AsyncSend
from restwright.calls.human_paths import hidden
from restwright.calls.local import FunctionCall, function_request, narrowed
from restwright.calls.mismatch import Mismatch, not_an_object, pointer_to
from restwright.calls.outcome import Begun, declined, ended, interruptions_noted, undelivered
from restwright.calls.preconditions import (
    require_async_send,
    require_call,
    require_connection,
    require_send,
)
from restwright.calls.request.build import build_request, in_media_type, unsendable
from restwright.calls.request.encode import Unwritable
from restwright.calls.request.files import with_files
from restwright.calls.request.servers import server_of
from restwright.calls.response.result import Result
from restwright.calls.send import Announce, Delivery, unnoticed
from restwright.errors import InvalidArguments, MissingServer, RefusedRequest
from restwright.jsontypes import JsonObject, is_object
from restwright.net.callbacks import settled, settled_async
from restwright.net.messages import Request, Send
from restwright.tools.tool import Tool, require_tool


def prepare(
    tool: Tool, arguments: JsonObject, connection: Connection, *, media_type: str | None = None
) -> Request:
    """
    Repair and check the arguments, and build the request that would be sent, credentials included.

    Bytes among the arguments become what is sent of them; no path is read. A token that an
    authorization server would have to be asked for stays `***`.

    Args:
        media_type: Of the body, one that the document offers; the arguments are those for it.

    Raises:
        InvalidArguments: They do not fit the tool.
        MissingServer: There is no server to send to.
        MissingCredential: A credential that the operation requires is not there.
        RefusedRequest: The credentials are not for the request's origin.
        UnsupportedMediaType: The body cannot be written.
        WrongType: `tool` or `connection` is none.
    """
    require_tool(tool)
    require_connection(connection)
    tool = in_media_type(tool, media_type)
    given = _given(tool, arguments)
    return _request(tool, given.arguments, connection)


def _given(tool: Tool, arguments: JsonObject) -> Repaired:
    """The arguments as JSON, repaired, and with a key of their own where one is asked for."""
    if not is_object(arguments):
        raise InvalidArguments(tool.name, [not_an_object(arguments)])
    try:
        arguments = with_files(tool, arguments)
    except Unwritable as error:
        mismatch = Mismatch(pointer_to(error.path), str(error), "a larger one")
        raise InvalidArguments(tool.name, [mismatch]) from None
    given = repaired(tool, arguments)
    keyed = with_key(tool, given.arguments)
    return given if keyed is given.arguments else replace(given, arguments=keyed)


def _request(tool: Tool, arguments: JsonObject, connection: Connection) -> Request:
    if check_value(tool.checks, arguments):
        mismatches = check_call(tool, arguments, connection)
        if mismatches:
            raise InvalidArguments(tool.name, mismatches)
    if tool.own is not None and tool.own.asks is not None:
        return _hiding(tool.own.asks(arguments), connection)
    if tool.own is not None and tool.own.answers is not None:
        return _hiding(function_request(tool, arguments), connection)
    request = _hiding(_built(tool, arguments, connection), connection)
    request = within_reach(request, tool, connection)
    named = named_origin(connection, tool.source)
    return authorize(request, connection, named=named, tool=tool)


def _hiding(request: Request, connection: Connection) -> Request:
    if not connection.secrets:
        return request
    return replace(request, secrets=(*request.secrets, *connection.secrets))


def _built(tool: Tool, arguments: JsonObject, connection: Connection) -> Request:
    """What no request can carry is found as it is built: `check()` would do that once before."""
    try:
        server = server_of(tool, connection.server, variables=connection.server_variables)
        return build_request(tool, arguments, server=server)
    except InvalidArguments as error:
        found = [each for each in error.mismatches if isinstance(each, Mismatch)]
        raise InvalidArguments(tool.name, hidden(tool.separated, found)) from None
    except (MissingServer, RefusedRequest):
        # What is wrong with the arguments is said first.
        if found := unsendable(tool, arguments):
            raise InvalidArguments(tool.name, hidden(tool.separated, found)) from None
        raise


def call(
    tool: Tool,
    arguments: JsonObject,
    *,
    connection: Connection,
    send: Send,
    approve: Approve,
    files: Path | None = None,
    policy: Policy = CONFIRM,
    media_type: str | None = None,
    before_send: Announce = unnoticed,
) -> Result:
    """
    Make one call. Mismatches, refusals and missing responses come back as values.

    Nothing is raised once the request went out; `Result.effect` says whether a write took effect.
    A tool that a function carries out is called in the same way: `approve` and `before_send` are
    given a request to `function:NAME`, and nothing is sent.

    Args:
        files: Folder to store a response in that is no text; None to store nothing.
        approve: Asked about a write; nothing but `True` is a yes.
        policy: What may be called at once, what `approve` is asked about, and what is refused.
        media_type: Of the body, as `prepare()` takes it.
        before_send: Told of each request right before it goes out, those for tokens too; what it
            raises goes on, and nothing is sent.

    Raises:
        MissingServer, MissingCredential, MissingExtra, UnsupportedMediaType: What has to be set up
            before the call; nothing was sent to the API.
        WrongType: An argument other than `arguments` is of another type than is wanted.
        TypeError: `approve` or `send` is asynchronous; that is for `call_async`.
    """
    require_call(tool, connection=connection, approve=approve, policy=policy, files=files)
    require_send(send)
    tool = in_media_type(tool, media_type)
    begun = _begun(tool, arguments, connection, policy, before_send)
    if isinstance(begun, Result):
        return begun
    if begun.is_asked and settled(approve(begun.tool, begun.request), "approve") is not True:
        return declined(begun)
    with interruptions_noted(begun):
        if isinstance(begun, FunctionCall):
            return begun.run()
        try:
            response = begun.delivery.run(send)
        except Exception as error:  # noqa: BLE001 - raised again where nothing was sent
            return undelivered(begun, error, files)
        return ended(begun, response, files)


async def call_async(
    tool: Tool,
    arguments: JsonObject,
    *,
    connection: Connection,
    send: AsyncSend,
    approve: Approve,
    files: Path | None = None,
    policy: Policy = CONFIRM,
    media_type: str | None = None,
    before_send: Announce = unnoticed,
) -> Result:
    """
    Do the same as `call` from an event loop.

    Who cancels it gets the `CancelledError`; it has a note where a write was sent whose outcome is
    not known.

    Args:
        send: An `AsyncTransport`, or what is like it.
        approve: Is awaited where it is asynchronous, else called in a thread.
    """
    require_call(tool, connection=connection, approve=approve, policy=policy, files=files)
    require_async_send(send)
    tool = in_media_type(tool, media_type)
    begun = _begun(tool, arguments, connection, policy, before_send)
    if isinstance(begun, Result):
        return begun
    if begun.is_asked and await settled_async(approve, begun.tool, begun.request) is not True:
        return declined(begun)
    with interruptions_noted(begun):
        if isinstance(begun, FunctionCall):
            from anyio.to_thread import run_sync

            return await run_sync(begun.run, abandon_on_cancel=True)
        try:
            response = await begun.delivery.run_async(send)
        except Exception as error:  # noqa: BLE001 - raised again where nothing was sent
            return undelivered(begun, error, files)
        return ended(begun, response, files)


def _begun(
    tool: Tool,
    arguments: JsonObject,
    connection: Connection,
    policy: Policy,
    before_send: Announce,
) -> Begun | FunctionCall | Result:
    repairs: tuple[Repair, ...] = ()
    try:
        given = _given(tool, arguments)
        repairs = given.repairs
        tool = narrowed(tool, given.arguments)
        request = _request(tool, given.arguments, connection)
    except InvalidArguments as error:
        mismatches = [each for each in error.mismatches if isinstance(each, Mismatch)]
        text = feedback(tool.name, mismatches)
        return Result(kind="mismatch", text=text, repairable_by="model", repairs=repairs)
    except RefusedRequest as error:
        return Result(kind="refused", text=error.message, error=error)
    approval = Approval(request)
    decision = policy.decision(tool)
    if decision == "refuse":
        text = f"{tool.name} is not allowed by the policy"
        return Result(kind="refused", text=text, request=request)
    is_asked, is_write = decision == "ask", policy.class_of(tool) != "read"
    if tool.own is not None and tool.own.answers is not None:
        return FunctionCall(
            tool=tool,
            arguments=given.arguments,
            request=request,
            approval=approval,
            repairs=repairs,
            is_asked=is_asked,
            is_write=is_write,
            answers=tool.own.answers,
            before=before_send,
        )
    delivery = Delivery(request, tool, connection, approval, before_send)
    return Begun(tool, repairs, delivery, is_asked=is_asked, is_write=is_write)
