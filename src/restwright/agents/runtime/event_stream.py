"""
A run as a stream of events: each is handed over before the run goes on.

So who leaves the stream at a call has it not sent, and who goes on after a question without an
answer has said no.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine
from typing import Any, NamedTuple

from restwright.agents.events import Event
from restwright.agents.runtime.stream_events import (
    AskingEvent,
    answer_event,
    approval_event,
    question_event,
    typed_event,
    words_event,
)
from restwright.agents.runtime.streaming import TextDelta
from restwright.agents.steps import Answer, NoAnswer, Question, UserAnswer
from restwright.calls.approval.policy import Policy
from restwright.net.messages import Request
from restwright.tools.tool import Tool


class _Told(NamedTuple):
    """An event, and what its run waits for."""

    event: Event
    is_taken: asyncio.Future[None]


class EventStream:
    """
    Hands the events of one run over to who iterates, in the order in which they happen.

    Args:
        policy: Of the agent, by which approvals are worded.
        left_out: Kinds of events that are told otherwise.
    """

    def __init__(self, policy: Policy, *, left_out: frozenset[str]) -> None:
        self._policy, self._left_out = policy, left_out
        self._queue: asyncio.Queue[_Told | None] = asyncio.Queue()

    async def tell(self, event: Event) -> None:
        """Hand an event over; a `Listener`."""
        if event.kind not in self._left_out:
            await self._put(typed_event(event))

    async def tell_words(self, piece: TextDelta) -> None:
        """Hand a piece of the answer over; a `DeltaListener`."""
        await self._put(words_event(piece))

    async def approve(self, tool: Tool, request: Request) -> bool:
        """Ask who iterates; an `Approve`."""
        event = approval_event(tool, request, self._policy)
        await self._put(event)
        return event.is_allowed

    async def ask(self, question: Question) -> UserAnswer | NoAnswer:
        """Ask who iterates; a `Human`."""
        event = question_event(question)
        await self._put(event)
        return event.reply()

    async def _put(self, event: Event) -> None:
        is_taken = asyncio.get_running_loop().create_future()
        self._queue.put_nowait(_Told(event, is_taken))
        await is_taken

    async def events(self, run: Callable[[], Coroutine[Any, Any, Answer]]) -> AsyncGenerator[Event]:
        """
        Begin a run, and give its events; at last the answer.

        Who leaves, or is cancelled, ends the run with the requests that are under way.

        Raises:
            What the run raises.
        """
        task = asyncio.create_task(run())
        task.add_done_callback(lambda _: self._queue.put_nowait(None))
        told: _Told | None = None
        try:
            while (told := await self._queue.get()) is not None:
                yield told.event
                _take(told)
            yield answer_event(task.result())
        finally:
            if told is not None and isinstance(told.event, AskingEvent):
                told.event.close()
            task.cancel()
            await asyncio.wait([task])
            # What a run raises that was left is of no interest to anybody.
            _ = task.cancelled() or task.exception()


def _take(told: _Told) -> None:
    """Let the run go on; it may have been cancelled meanwhile."""
    if isinstance(told.event, AskingEvent):
        told.event.close()
    if not told.is_taken.done():
        told.is_taken.set_result(None)
