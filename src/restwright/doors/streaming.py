"""What a client is told while something goes on, and the end of that when the client goes away."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Coroutine
from dataclasses import dataclass
from typing import Any, TypeVar

from starlette.requests import ClientDisconnect, Request
from starlette.types import Receive, Scope, Send

from restwright.errors import RestwrightError
from restwright.jsontypes import Json, JsonObject, is_object

HEARTBEAT_S = 15.0
"""Seconds without a word, after which a comment keeps proxies from closing a connection."""
MAX_BODY_BYTES = 4 * 1024 * 1024
_HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
]

T = TypeVar("T")


class UnreadableBody(Exception):
    """What a client sent is no JSON object, or is too long; the message says so."""


async def read_object(request: Request) -> JsonObject:
    """
    Read the body of a request.

    Raises:
        UnreadableBody: It is no JSON object, or has more than 4 MiB.
    """
    parts: list[bytes] = []
    length = 0
    async for part in request.stream():
        length += len(part)
        if length > MAX_BODY_BYTES:
            raise UnreadableBody(f"a request may have {MAX_BODY_BYTES:,} bytes")
        parts.append(part)
    try:
        value: Json = json.loads(b"".join(parts))
    except (ValueError, RecursionError) as error:
        raise UnreadableBody("the body is no JSON") from error
    if not is_object(value):
        raise UnreadableBody("the body is no JSON object")
    return value


def format_data(value: Json) -> bytes:
    """One event of a stream, as Server-Sent Events have it."""
    return f"data: {json.dumps(value, ensure_ascii=False)}\n\n".encode()


def explain_failure(error: Exception) -> str:
    """Say what ended a run; of what is not ours the kind alone, since its words may be secret."""
    if isinstance(error, RestwrightError):
        return f"{error.message}. {error.hint}".strip(". ")
    return f"The run failed: {type(error).__name__}"


@dataclass(frozen=True, slots=True)
class EventStreamResponse:
    """
    An ASGI application that sends pieces as they come, and leaves them when its client does.

    Args:
        pieces: Closed in the end, whatever the end.
    """

    pieces: AsyncGenerator[bytes]
    heartbeat_s: float = HEARTBEAT_S

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send them."""
        del scope
        gone = asyncio.create_task(_wait_until_gone(receive))
        try:
            await send({"type": "http.response.start", "status": 200, "headers": _HEADERS})
            while (piece := await self._next_piece(gone, send)) is not None:
                await _send_body(send, piece, more=True)
            if not gone.done():
                await _send_body(send, b"", more=False)
        finally:
            gone.cancel()
            await self.pieces.aclose()

    async def _next_piece(self, gone: asyncio.Task[None], send: Send) -> bytes | None:
        """The next piece; None at the end, or where nobody waits for it."""
        coming = asyncio.ensure_future(anext(self.pieces, None))
        try:
            while True:
                await asyncio.wait(
                    [coming, gone],
                    timeout=self.heartbeat_s,
                    return_when=asyncio.FIRST_COMPLETED,
                )
                if gone.done():
                    return None
                if coming.done():
                    return coming.result()
                await _send_body(send, b":\n\n", more=True)
        finally:
            await _cancel(coming)


async def run_unless_gone(request: Request, work: Coroutine[Any, Any, T]) -> T:
    """
    Do something for a client, and leave it when the client goes away.

    Raises:
        ClientDisconnect: It went away.
    """
    gone = asyncio.create_task(_wait_until_gone(request.receive))
    task = asyncio.create_task(work)
    try:
        await asyncio.wait([task, gone], return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise ClientDisconnect
        return task.result()
    finally:
        gone.cancel()
        await _cancel(task)


async def _cancel(task: asyncio.Future[Any]) -> None:
    """Cancel what is not done, and wait until it is: its generator may be closed only then."""
    if not task.done():
        task.cancel()
        await asyncio.wait([task])


async def _send_body(send: Send, body: bytes, *, more: bool) -> None:
    await send({"type": "http.response.body", "body": body, "more_body": more})


async def _wait_until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
