"""What a caller gives for a call: refused before anything is sent where it is of another type."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from restwright.calls.policy import Policy
from restwright.calls.security import Connection
from restwright.errors import WrongType, require, require_callable
from restwright.net.awaiting import refuse_async
from restwright.tools.tool import require_tool

_SEND = "a `Transport`, or what sends a request as one does"
_SEND_ASYNC = "an `AsyncTransport`, or what sends a request as one does"


def require_call(
    tool: object, *, connection: object, approve: object, policy: object, files: object
) -> None:
    """
    Refuse what a call cannot be made with.

    Raises:
        WrongType: As all of these do.
    """
    require_tool(tool)
    require_connection(connection)
    require_callable(approve, what="`approve`", wanted="a function of a tool and its request")
    wanted = "a `Policy`, as `Policy(default='read-only')`"
    require(policy, Policy, what="`policy`", wanted=wanted)
    require(files, (Path, type(None)), what="`files`", wanted="the `Path` of a folder or None")


def require_connection(connection: object) -> None:
    """Refuse what is no connection."""
    wanted = "a `Connection`, as `Connection(server=URL)`"
    require(connection, Connection, what="`connection`", wanted=wanted)


def require_send(send: Callable[..., object]) -> None:
    """Refuse what does not send at once: a coroutine would be mistaken for a response."""
    require_callable(send, what="`send`", wanted=_SEND)
    refuse_async(send=send)


def require_async_send(send: object) -> None:
    """Refuse what nothing can be awaited of, before it sends something."""
    from restwright.net.transport import Transport

    require_callable(send, what="`send`", wanted=_SEND_ASYNC)
    if isinstance(send, Transport):
        raise WrongType("`send`", f"{_SEND_ASYNC} (`call` takes this one)", "Transport")
