"""One call from arguments to result. What goes wrong on the way is a `Result` too."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from pathlib import Path

from restwright.calls.approval.approval import Approval, Approve, refuse_all
from restwright.calls.approval.destination import (
    add_idempotency_key,
    check_call_arguments,
    check_destination,
)
from restwright.calls.approval.policy import CONFIRM, Policy
from restwright.calls.arguments.check import check_value
from restwright.calls.arguments.feedback import feedback
from restwright.calls.arguments.repair import Repair, RepairedArguments, repair_arguments
from restwright.calls.auth.connection import Connection, authorize_request, user_origin
from restwright.calls.auth.oauth.driver import AsyncSend
from restwright.calls.human_paths import hide_human_values
from restwright.calls.local import FunctionCall, build_function_request, narrow_tool
from restwright.calls.mismatch import Mismatch, mismatch_for_non_object, pointer_from_path
from restwright.calls.outcome import (
    PreparedCall,
    decline_call,
    fail_call,
    finish_call,
    note_call_interruptions,
)
from restwright.calls.preconditions import (
    require_async_send,
    require_call,
    require_connection,
    require_send,
)
from restwright.calls.request.build import build_request, find_unsendable, tool_for_media_type
from restwright.calls.request.encode import Unwritable
from restwright.calls.request.files import embed_files
from restwright.calls.request.servers import resolve_server_url
from restwright.calls.response.result import Result
from restwright.calls.send import BeforeSendHook, RequestDelivery, ignore_request
from restwright.calls.stepwise import (
    StepwiseCall,
    begin_steps,
    choose_connection,
    pause,
    pause_async,
    refuse_single_word,
)
from restwright.errors import InvalidArguments, MissingServer, RefusedRequest
from restwright.jsontypes import JsonObject, is_object
from restwright.net.callbacks import (
    await_callback_result,
    call_callback_async,
    enable_async_callbacks,
)
from restwright.net.http.cancellation import CancelToken
from restwright.net.messages import Request, Send
from restwright.stepping import drive, drive_async
from restwright.tools.tool import Tool, ToolStep, require_tool


def prepare(
    tool: Tool,
    arguments: JsonObject,
    connection: Connection | None = None,
    *,
    media_type: str | None = None,
) -> Request:
    """
    Repair and check the arguments, and build the request that would be sent, credentials included.

    Bytes among the arguments become what is sent of them; no path is read. A token that an
    authorization server would have to be asked for stays `***`.

    Args:
        connection: How the API is reached; as its document says where None.
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
    connection = Connection() if connection is None else connection
    require_connection(connection)
    tool = tool_for_media_type(tool, media_type)
    given = _repair_arguments(tool, arguments)
    return _build_authorized_request(tool, given.arguments, connection)


def _repair_arguments(tool: Tool, arguments: JsonObject) -> RepairedArguments:
    """The arguments as JSON, repaired, and with a key of their own where one is asked for."""
    if not is_object(arguments):
        raise InvalidArguments(tool.name, [mismatch_for_non_object(arguments)])
    try:
        arguments = embed_files(tool, arguments)
    except Unwritable as error:
        mismatch = Mismatch(pointer_from_path(error.path), str(error), "a larger one")
        raise InvalidArguments(tool.name, [mismatch]) from None
    given = repair_arguments(tool, arguments)
    keyed = add_idempotency_key(tool, given.arguments)
    return given if keyed is given.arguments else replace(given, arguments=keyed)


def _build_authorized_request(tool: Tool, arguments: JsonObject, connection: Connection) -> Request:
    if check_value(tool.checks, arguments):
        mismatches = check_call_arguments(tool, arguments, connection)
        if mismatches:
            raise InvalidArguments(tool.name, mismatches)
    if tool.handler is not None and tool.handler.build_request is not None:
        return _add_connection_secrets(tool.handler.build_request(arguments), connection)
    if tool.handler is not None and (tool.handler.run_locally or tool.handler.make_steps):
        return _add_connection_secrets(build_function_request(tool, arguments), connection)
    request = _add_connection_secrets(_build_with_server(tool, arguments, connection), connection)
    request = check_destination(request, tool, connection)
    if connection.propagates_trace:
        request = replace(request, propagates_trace=True)
    named = user_origin(connection, tool.source)
    return authorize_request(request, connection, named=named, tool=tool)


def _add_connection_secrets(request: Request, connection: Connection) -> Request:
    if not connection.secrets:
        return request
    return replace(request, secrets=(*request.secrets, *connection.secrets))


def _build_with_server(tool: Tool, arguments: JsonObject, connection: Connection) -> Request:
    """What no request can carry is found as it is built: `check()` would do that once before."""
    try:
        server = resolve_server_url(tool, connection.server, variables=connection.server_variables)
        return build_request(tool, arguments, server=server)
    except InvalidArguments as error:
        found = [mismatch for mismatch in error.mismatches if isinstance(mismatch, Mismatch)]
        raise InvalidArguments(tool.name, hide_human_values(tool.separated, found)) from None
    except (MissingServer, RefusedRequest):
        # What is wrong with the arguments is said first.
        if found := find_unsendable(tool, arguments):
            raise InvalidArguments(tool.name, hide_human_values(tool.separated, found)) from None
        raise


def call(
    tool: Tool,
    arguments: JsonObject,
    *,
    connection: Connection | None = None,
    send: Send | None = None,
    approve: Approve = refuse_all,
    files: Path | None = None,
    policy: Policy = CONFIRM,
    media_type: str | None = None,
    before_send: BeforeSendHook = ignore_request,
    before_call: BeforeSendHook = ignore_request,
) -> Result:
    """
    Make one call. Mismatches, refusals and missing responses come back as values.

    Nothing is raised once the request went out; `Result.effect` says whether a write took effect.
    A tool that a function carries out is called in the same way: `approve` and `before_send` are
    given a request to `function:NAME`, and nothing is sent. One that is made of calls of others is
    carried out by these: each is checked, decided by `policy`, approved and sent on its own.

    Args:
        connection: How the API is reached; as its document says where None.
        send: Carries the request; where None, a `Transport` for this one call.
        files: Folder to store a response in that is no text; None to store nothing.
        approve: Asked about a write; nothing but `True` is a yes, and nobody says it where none is
            given.
        policy: What may be called at once, what `approve` is asked about, and what is refused.
        media_type: Of the body, as `prepare()` takes it.
        before_send: Told of each request right before it goes out, those for tokens too; what it
            raises goes on, and nothing is sent.
        before_call: Told after it of each request of the call itself, whatever credentials it has.

    Raises:
        MissingServer, MissingCredential, MissingExtra, UnsupportedMediaType: What has to be set up
            before the call; nothing was sent to the API.
        WrongType: An argument other than `arguments` is of another type than is wanted.
        TypeError: `approve` or `send` is asynchronous; that is for `call_async`.
    """
    connection = Connection() if connection is None else connection
    require_call(tool, connection=connection, approve=approve, policy=policy, files=files)
    if send is not None:
        require_send(send)
    tool = tool_for_media_type(tool, media_type)
    begun = _prepare_call(tool, arguments, connection, policy, (before_send, before_call))
    if isinstance(begun, Result):
        return begun
    if isinstance(begun, StepwiseCall):
        hooks = (before_send, before_call)
        return _call_stepwise(begun, connection, send, approve, files, hooks)
    if (
        begun.needs_approval
        and await_callback_result(approve(begun.tool, begun.request), "approve") is not True
    ):
        return decline_call(begun)
    with note_call_interruptions(begun):
        if isinstance(begun, FunctionCall):
            return begun.run()
        try:
            with _sending(send) as carry:
                response = begun.delivery.run(carry)
        except Exception as error:  # noqa: BLE001 - raised again where nothing was sent
            return fail_call(begun, error, files)
        return finish_call(begun, response, files)


async def call_async(
    tool: Tool,
    arguments: JsonObject,
    *,
    connection: Connection | None = None,
    send: AsyncSend | None = None,
    approve: Approve = refuse_all,
    files: Path | None = None,
    policy: Policy = CONFIRM,
    media_type: str | None = None,
    before_send: BeforeSendHook = ignore_request,
    before_call: BeforeSendHook = ignore_request,
) -> Result:
    """
    Do the same as `call` from an event loop.

    Who cancels it gets the `CancelledError`; it has a note where a write was sent whose outcome is
    not known.

    Args:
        send: An `AsyncTransport`, or what is like it; where None, one for this one call.
        approve: Is awaited where it is asynchronous, else called in a thread.
    """
    connection = Connection() if connection is None else connection
    require_call(tool, connection=connection, approve=approve, policy=policy, files=files)
    if send is not None:
        require_async_send(send)
    tool = tool_for_media_type(tool, media_type)
    begun = _prepare_call(tool, arguments, connection, policy, (before_send, before_call))
    if isinstance(begun, Result):
        return begun
    if isinstance(begun, StepwiseCall):
        hooks = (before_send, before_call)
        return await _call_stepwise_async(begun, connection, send, approve, files, hooks)
    if (
        begun.needs_approval
        and await call_callback_async(approve, begun.tool, begun.request) is not True
    ):
        return decline_call(begun)
    with note_call_interruptions(begun):
        if isinstance(begun, FunctionCall):
            return await _run_function_async(begun)
        try:
            async with _sending_async(send) as carry:
                response = await begun.delivery.run_async(carry)
        except Exception as error:  # noqa: BLE001 - raised again where nothing was sent
            return fail_call(begun, error, files)
        return finish_call(begun, response, files)


async def _run_function_async(begun: FunctionCall) -> Result:
    """Run a function in a thread, and what it awaits in this loop; who is cancelled ends that."""
    from anyio.to_thread import run_sync

    token = CancelToken()
    try:
        with enable_async_callbacks(), token.cancelable():
            return await run_sync(begun.run, abandon_on_cancel=True)
    finally:
        token.cancel()


def _call_stepwise(
    begun: StepwiseCall,
    connection: Connection,
    send: Send | None,
    approve: Approve,
    files: Path | None,
    hooks: tuple[BeforeSendHook, BeforeSendHook],
) -> Result:
    """Make the calls that one is made of, each as any other call."""

    def take_step(step: ToolStep) -> Result:
        pause(step.wait_s)
        return call(
            step.tool,
            step.arguments,
            connection=choose_connection(connection, begun.tool, step.tool),
            send=send,
            approve=approve,
            files=files,
            policy=begun.policy,
            before_send=hooks[0],
            before_call=hooks[1] if begun.is_write(step) else ignore_request,
        )

    refused = refuse_single_word(begun, approve)
    return drive(begun.run(), take_step) if refused is None else refused


async def _call_stepwise_async(
    begun: StepwiseCall,
    connection: Connection,
    send: AsyncSend | None,
    approve: Approve,
    files: Path | None,
    hooks: tuple[BeforeSendHook, BeforeSendHook],
) -> Result:
    async def take_step(step: ToolStep) -> Result:
        await pause_async(step.wait_s)
        return await call_async(
            step.tool,
            step.arguments,
            connection=choose_connection(connection, begun.tool, step.tool),
            send=send,
            approve=approve,
            files=files,
            policy=begun.policy,
            before_send=hooks[0],
            before_call=hooks[1] if begun.is_write(step) else ignore_request,
        )

    refused = refuse_single_word(begun, approve)
    return await drive_async(begun.run(), take_step) if refused is None else refused


@contextmanager
def _sending(send: Send | None) -> Generator[Send]:
    """What carries the requests of one call."""
    if send is not None:
        yield send
        return
    from restwright.net.http.transport import Transport

    with Transport() as own:
        yield own


@asynccontextmanager
async def _sending_async(send: AsyncSend | None) -> AsyncGenerator[AsyncSend]:
    if send is not None:
        yield send
        return
    from restwright.net.http.async_transport import AsyncTransport

    async with AsyncTransport() as own:
        yield own


def _prepare_call(
    tool: Tool,
    arguments: JsonObject,
    connection: Connection,
    policy: Policy,
    hooks: tuple[BeforeSendHook, BeforeSendHook],
) -> PreparedCall | FunctionCall | StepwiseCall | Result:
    repairs: tuple[Repair, ...] = ()
    try:
        given = _repair_arguments(tool, arguments)
        repairs = given.repairs
        tool = narrow_tool(tool, given.arguments)
        request = _build_authorized_request(tool, given.arguments, connection)
    except InvalidArguments as error:
        mismatches = [mismatch for mismatch in error.mismatches if isinstance(mismatch, Mismatch)]
        text = feedback(tool.name, mismatches)
        return Result(kind="mismatch", text=text, repairable_by="model", repairs=repairs)
    except RefusedRequest as error:
        return Result(kind="refused", text=error.message, error=error)
    approval = Approval(request)
    decision = policy.decision(tool)
    if decision == "refuse":
        text = f"{tool.name} is not allowed by the policy"
        return Result(kind="refused", text=text, request=request)
    if tool.handler is not None and tool.handler.make_steps is not None:
        return begin_steps(tool, given, request, policy)
    is_asked, is_write = decision == "ask", policy.class_of(tool) != "read"
    if tool.handler is not None and tool.handler.run_locally is not None:
        return FunctionCall(
            tool=tool,
            arguments=given.arguments,
            request=request,
            approval=approval,
            repairs=repairs,
            needs_approval=is_asked,
            is_write=is_write,
            run_function=tool.handler.run_locally,
            hooks=hooks,
        )
    delivery = RequestDelivery(request, tool, connection, approval, *hooks)
    return PreparedCall(tool, repairs, delivery, needs_approval=is_asked, is_write=is_write)
