"""One call from arguments to result. What goes wrong on the way is a `Result` too."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from restwright.calls.arguments import check
from restwright.calls.coercion import repaired
from restwright.calls.consent import Approval, Approve
from restwright.calls.feedback import feedback
from restwright.calls.mismatch import Mismatch
from restwright.calls.policy import CONFIRM, Policy
from restwright.calls.reach import with_key, within_reach
from restwright.calls.request import build_request
from restwright.calls.result import Result, result_of, unanswered
from restwright.calls.security import Connection, authorize, is_unasked, named_origin
from restwright.calls.servers import server_of
from restwright.errors import InvalidArguments, NoResponse, RefusedRequest, ResponseTooLarge
from restwright.net.message import Request, Response
from restwright.tools.tool import Tool
from restwright.typing import JsonObject, Send


def prepare(
    tool: Tool, arguments: JsonObject, connection: Connection, *, media_type: str | None = None
) -> Request:
    """
    Repair and check the arguments, and build the request that would be sent, credentials included.

    A token that an authorization server would have to be asked for stays `***`.

    Args:
        media_type: Of the body, as `build_request()` takes it.

    Raises:
        InvalidArguments: They do not fit the tool.
        MissingServer: There is no server to send to.
        MissingCredential: A credential that the operation requires is not there.
        RefusedRequest: The credentials are not for the request's origin.
        UnsupportedMediaType: The body cannot be written.
    """
    arguments = with_key(tool, arguments)
    arguments = repaired(tool, arguments).arguments
    mismatches = check(tool, arguments)
    if mismatches:
        raise InvalidArguments(tool.name, mismatches)
    server = server_of(tool, connection.server, variables=connection.server_variables)
    request = build_request(tool, arguments, server=server, media_type=media_type)
    request = within_reach(request, tool, connection)
    named = named_origin(connection, tool.source)
    return authorize(request, connection, named=named, tool=tool)


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
        media_type: Of the body, as `build_request()` takes it.

    Raises:
        MissingServer, MissingCredential, NoToken, UnsupportedMediaType: What only the user can
            mend.
    """
    given = repaired(tool, arguments)
    try:
        request = prepare(tool, given.arguments, connection, media_type=media_type)
    except InvalidArguments as error:
        mismatches = [each for each in error.mismatches if isinstance(each, Mismatch)]
        text = feedback(tool.name, mismatches)
        return Result(kind="mismatch", text=text, repairable_by="model", repairs=given.repairs)
    except RefusedRequest as error:
        return Result(kind="refused", text=str(error))
    approval = Approval(request)
    decision = policy.decision(tool)
    if decision == "refuse" or (decision == "ask" and not approve(tool, request)):
        why = "is not allowed by the policy" if decision == "refuse" else "was not allowed"
        return Result(kind="refused", text=f"{tool.name} {why}", request=request)
    sent = _sent(tool, request, connection, send, approval)
    if isinstance(sent, Result):
        return sent
    # The request as it was sent: it has the secrets that may come back.
    return replace(result_of(*sent, tool=tool, files=files), repairs=given.repairs)


def _sent(
    tool: Tool, request: Request, connection: Connection, send: Send, approval: Approval
) -> tuple[Request, Response] | Result:
    try:
        if is_unasked(request):
            named = named_origin(connection, tool.source)
            request = authorize(request, connection, named=named, tool=tool, send=send)
        approval.spend(request)
        return request, send(request)
    except RefusedRequest as error:
        return unanswered("refused", request, str(error))
    except NoResponse as error:
        is_unknown = error.sent and not tool.is_read
        doubt = "; it was sent, and whether it took effect is unknown: look before repeating it"
        return unanswered("no_response", request, f"{error}{doubt if is_unknown else ''}")
    except ResponseTooLarge as error:
        return unanswered("no_response", request, str(error))
