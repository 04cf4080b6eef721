"""One call from arguments to result. What goes wrong on the way is a `Result` too."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from restwright.calls.arguments import check_value
from restwright.calls.coercion import Repair, Repaired, repaired
from restwright.calls.consent import Approval, Approve, is_write
from restwright.calls.delivery import Delivery
from restwright.calls.feedback import feedback
from restwright.calls.files import with_files
from restwright.calls.mismatch import Mismatch
from restwright.calls.mismatches import pointer_to
from restwright.calls.oauth_drivers import AsyncSend
from restwright.calls.own import carried_out, narrowed
from restwright.calls.policy import CONFIRM, Policy
from restwright.calls.reach import check_call, with_key, within_reach
from restwright.calls.request import build_request, in_media_type, unsendable
from restwright.calls.result import Result, result_of, unanswered
from restwright.calls.security import Connection, authorize, named_origin
from restwright.calls.servers import server_of
from restwright.calls.sides import hidden
from restwright.calls.unwritable import Unwritable
from restwright.errors import (
    InvalidArguments,
    MissingServer,
    NoResponse,
    RefusedRequest,
    ResponseTooLarge,
)
from restwright.net.message import Request, Response
from restwright.tools.tool import Tool
from restwright.typing import JsonObject, Send


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
    """
    tool = in_media_type(tool, media_type)
    given = _given(tool, arguments)
    return _request(tool, given.arguments, connection)


def _given(tool: Tool, arguments: JsonObject) -> Repaired:
    """The arguments as JSON, repaired, and with a key of their own where one is asked for."""
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
) -> Result:
    """
    Make one call. Mismatches, refusals and missing responses come back as values.

    Args:
        files: Folder to store a response in that is no text; None to store nothing.
        policy: What may be called at once, what `approve` is asked about, and what is refused.
        media_type: Of the body, as `prepare()` takes it.

    Raises:
        MissingServer, MissingCredential, NoToken, UnsupportedMediaType: What only the user can
            mend.
    """
    if tool.own is not None and tool.own.answers is not None:
        return carried_out(tool, arguments, policy=policy)
    tool = in_media_type(tool, media_type)
    begun = _begun(tool, arguments, connection, approve, policy=policy)
    if isinstance(begun, Result):
        return begun
    try:
        response = begun.delivery.run(send)
    except _UNANSWERED as error:
        return _failed(begun, error)
    return _ended(begun, response, files)


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
) -> Result:
    """
    Do the same as `call` from an event loop.

    Args:
        send: An `AsyncTransport`, or what is like it.
        approve: Is called in the thread of the loop.
    """
    if tool.own is not None and tool.own.answers is not None:
        return carried_out(tool, arguments, policy=policy)
    tool = in_media_type(tool, media_type)
    begun = _begun(tool, arguments, connection, approve, policy=policy)
    if isinstance(begun, Result):
        return begun
    try:
        response = await begun.delivery.run_async(send)
    except _UNANSWERED as error:
        return _failed(begun, error)
    return _ended(begun, response, files)


_UNANSWERED = (RefusedRequest, NoResponse, ResponseTooLarge)


@dataclass(frozen=True, slots=True)
class _Begun:
    """A call that is checked and approved."""

    tool: Tool
    repairs: tuple[Repair, ...]
    delivery: Delivery


def _begun(
    tool: Tool,
    arguments: JsonObject,
    connection: Connection,
    approve: Approve,
    *,
    policy: Policy,
) -> _Begun | Result:
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
    if decision == "refuse" or (decision == "ask" and not approve(tool, request)):
        why = "is not allowed by the policy" if decision == "refuse" else "was not allowed"
        return Result(kind="refused", text=f"{tool.name} {why}", request=request)
    return _Begun(tool, repairs, Delivery(request, tool, connection, approval))


def _failed(begun: _Begun, error: RefusedRequest | NoResponse | ResponseTooLarge) -> Result:
    kind = "refused" if isinstance(error, RefusedRequest) else "no_response"
    is_unknown = isinstance(error, NoResponse) and error.sent and is_write(begun.tool)
    doubt = "; it was sent, and whether it took effect is unknown: look before repeating it"
    why = f"{error.message}{doubt if is_unknown else ''}"
    return replace(unanswered(kind, begun.delivery.request, why), error=error)


def _ended(begun: _Begun, response: Response, files: Path | None) -> Result:
    # The request as it was sent: it has the secrets that may come back.
    result = result_of(begun.delivery.request, response, tool=begun.tool, files=files)
    if not begun.repairs and not begun.delivery.is_token_dropped:
        return result
    dropped = "the access token was refused and is forgotten; the next call asks for another"
    warnings = (*result.warnings, *([dropped] if begun.delivery.is_token_dropped else []))
    return replace(result, repairs=begun.repairs, warnings=warnings)
