"""The calls of one turn of a model: which go together, and which are held back."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from restwright.agents.runtime.human_input import build_question
from restwright.jsontypes import JsonObject
from restwright.toolboxes.ready import ReadyCall
from restwright.toolboxes.reply import Reply
from restwright.tools.toolset import ToolCall
from restwright.tools.wires import Wire

MAX_AT_ONCE = 8
"""Reads of one turn under way at the same time."""


class Turn:
    """The calls of one turn of a model: what can be made at the same time, and what came of it."""

    def __init__(
        self, wire: Wire, begin: Callable[[Wire, ToolCall], ReadyCall | Reply], said: object
    ) -> None:
        self._wire = wire
        self._begun = [begin(wire, asked) for asked in wire.calls_in(said)]
        self._replies: list[Reply] = []
        self.has_called = False

    def batches(self) -> Sequence[Sequence[ReadyCall]]:
        """What is to be called, in order: reads beside each other together, each write alone."""
        batches: list[list[ReadyCall]] = []
        for item in self._begun:
            if isinstance(item, Reply):
                continue
            is_free = not item.is_write and build_question(item.tool) is None
            if is_free and batches and self._is_free(batches[-1]):
                batches[-1].append(item)
            else:
                batches.append([item])
        return batches

    def add(self, replies: Sequence[Reply]) -> None:
        """Keep what came of a batch."""
        self._replies.extend(replies)
        self.has_called = self.has_called or any(
            reply.result is not None and reply.result.was_sent for reply in replies
        )

    def holds(self, ready: ReadyCall) -> bool:
        """Whether a write is not made: one before it failed, or waits where it would not."""
        if not ready.is_write:
            return False
        place = self._begun.index(ready)
        before = [item for item in self._begun[:place] if isinstance(item, Reply)]
        failed = [reply for reply in (*before, *self._replies) if not reply.ok]
        asks = ready.policy.decision(ready.tool) == "ask"
        return any(not (reply.pending and asks) for reply in failed)

    def finish(self) -> list[JsonObject]:
        """What goes back, in the order of the calls."""
        made = iter(self._replies)
        replies = [item if isinstance(item, Reply) else next(made) for item in self._begun]
        return self._wire.wrap(replies)

    @staticmethod
    def _is_free(batch: Sequence[ReadyCall]) -> bool:
        return all(not item.is_write and build_question(item.tool) is None for item in batch)


async def gather_replies(tasks: Sequence[Callable[[], Awaitable[Reply]]]) -> list[Reply]:
    """
    Make several calls at the same time. Who is cancelled ends all of them.

    Raises:
        Exception: The first that one of them raised, after all have ended.
    """
    import anyio

    replies: dict[int, Reply] = {}
    errors: list[Exception] = []
    places = anyio.Semaphore(MAX_AT_ONCE)

    async def make(number: int) -> None:
        async with places:
            try:
                replies[number] = await tasks[number]()
            except Exception as error:  # noqa: BLE001 - raised below, by itself
                errors.append(error)

    async with anyio.create_task_group() as group:
        for number in range(len(tasks)):
            group.start_soon(make, number)
    if errors:
        raise errors[0]
    return [replies[number] for number in range(len(tasks))]
