"""
The runs of a server: each goes on by itself, and keeps what happened under numbers.

Who watches a run begins at a number and is given all that came after it, then what comes. So a page
that is closed ends nothing, one that is loaded again shows everything, and one that lost its
connection goes on where it was. A run ends by itself or when it is stopped.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import aclosing, suppress
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from restwright.agents.events import Event
from restwright.agents.runtime.budget import Price, no_price
from restwright.agents.runtime.stream_events import (
    AnswerEvent,
    ApprovalEvent,
    AskingEvent,
    QuestionEvent,
)
from restwright.agents.steps import Answer, StepListener
from restwright.errors import (
    LimitReached,
    NoSuchPart,
    RefusedRequest,
    RestwrightError,
    UsageError,
)
from restwright.jsontypes import Json, JsonObject
from restwright.web.chat.pace import Pace
from restwright.web.chat.records import RecordKind, RecordMaker, RunImage, RunRecord

RunState: TypeAlias = Literal["running", "ended", "stopped", "failed"]
Begin: TypeAlias = Callable[[StepListener], AsyncGenerator[Event]]
"""Makes the stream of a run, which is to tell its steps to this listener."""

MAX_RUNNING = 200
"""Runs that go on at the same time."""
MAX_ENDED = 200
"""Runs that are kept after their end; the oldest are forgotten, which the journal still has."""
MAX_TOTAL_CHARS = 128 * 1024 * 1024
"""Of the records of all runs that ended."""
MAX_RUN_CHARS = 8 * 1024 * 1024
"""Of the records of a run; those beyond keep their lines without what stands behind them."""
MAX_IMAGES = 20
WAIT_FOR_USER_S = 600.0
"""As long as a run waits for an answer of the user; then it is stopped, and can be taken up."""
_LINE_CHARS = 500
_RECORD_CHARS = 300
"""About what a record takes up beside its text."""
_SPENT = "it was answered before, or the run went on without an answer"


@dataclass(slots=True, kw_only=True)
class Run:
    """
    A run that goes on, or has ended.

    Args:
        id: By which pages name it; nobody can guess it.
        owner: Of whom it is; empty where there is one user.
        question: What was asked.
        chat: The chat that it is a turn of.
        price: Of the replies of its model.
        wait_s: Seconds that it waits for an answer of the user.
        on_end: Called when it has ended, before anybody is told.
        on_forgotten: Called when the server lets go of it, so that nothing else keeps it.
    """

    id: str
    question: str
    owner: str = ""
    chat: str = ""
    price: Price = no_price
    wait_s: float = WAIT_FOR_USER_S
    on_end: Callable[[], None] | None = None
    on_forgotten: Callable[[], None] | None = None
    state: RunState = "running"
    answer: Answer | None = None
    size: int = 0
    images: list[RunImage] = field(default_factory=list[RunImage])
    _records: list[RunRecord] = field(default_factory=list[RunRecord])
    _last: int = 0
    _asked: AskingEvent | None = None
    _has_changed: asyncio.Event = field(default_factory=asyncio.Event)
    _task: asyncio.Task[None] | None = None
    _why_stopped: str = ""
    _started: float = field(default_factory=time.monotonic)

    @property
    def has_ended(self) -> bool:
        """Whether nothing more comes."""
        return self.state != "running"

    @property
    def last(self) -> int:
        """The number of the latest record."""
        return self._last

    @property
    def pending(self) -> AskingEvent | None:
        """The approval or the question that it waits for."""
        return self._asked

    def records(self, after: int = 0) -> tuple[RunRecord, ...]:
        """
        Return what happened after the record of a number.

        Words are there until the answer is, which takes their place.
        """
        return tuple(self._after(after))

    def _after(self, number: int) -> Iterator[RunRecord]:
        start = len(self._records)
        while start and self._records[start - 1].number > number:
            start -= 1
        return iter(self._records[start:])

    async def wait(self, after: int, *, timeout_s: float) -> tuple[RunRecord, ...]:
        """Return what happened after a number as soon as anything has; nothing after a while."""
        has_changed = self._has_changed
        if self._last <= after and not self.has_ended:
            with suppress(TimeoutError):
                await asyncio.wait_for(has_changed.wait(), timeout_s)
        return self.records(after)

    def stop(self, why: str = "stopped") -> None:
        """End it with its requests; what it did until then is kept."""
        self._why_stopped = self._why_stopped or why
        if self._task is not None:
            self._task.cancel()

    def decide(self, asked: str, hash_: str, *, is_allowed: bool) -> None:
        """
        Answer an approval that it waits for.

        Args:
            asked: Its id.
            hash_: Of the request that was shown; the answer is for that alone.

        Raises:
            RefusedRequest: It waits for no such approval, or for one of another request.
        """
        event = self._asked
        if not isinstance(event, ApprovalEvent) or not _is_same(event.id, asked):
            raise RefusedRequest(self.question, _SPENT)
        if not _is_same(event.hash, hash_):
            raise RefusedRequest(str(event.request["url"]), "another request was shown")
        event.allow() if is_allowed else event.refuse()
        self._close_question("allowed" if is_allowed else "refused", {"is_allowed": is_allowed})

    def reply(self, asked: str, value: Json) -> None:
        """
        Answer a question that it waits for; None for no answer.

        Raises:
            UsageError: It waits for no such question, or the answer is not what is asked for.
        """
        event = self._asked
        if not isinstance(event, QuestionEvent) or not _is_same(event.id, asked):
            raise UsageError(_SPENT, "question", "look at what the run asks now")
        event.refuse() if value is None else event.answer(value)
        self._close_question("not answered" if value is None else "answered", {})

    def _close_question(self, word: str, data: JsonObject) -> None:
        """Have it answered once, and every page that shows it know that."""
        if self._asked is not None:
            self._add("decision", word, {"id": self._asked.id, "tool": self._asked.tool, **data})
            self._asked = None

    async def follow(self, begin: Begin) -> None:
        """Take what a stream gives until it ends, and keep it."""
        maker = RecordMaker(self._add, self._add_image, self.price)
        self._task = asyncio.current_task()
        if self._why_stopped:
            self._end("stopped", self._why_stopped)
            return
        try:
            async with aclosing(begin(maker.record_step)) as events:
                async for event in events:
                    await self._take(event, maker)
            ended = self.answer
            self._end("ended", ended.stopped if ended is not None else "")
        except asyncio.CancelledError:
            self._end("stopped", self._why_stopped or "stopped")
        except RestwrightError as error:
            self._end("failed", error.message)
        except Exception as error:  # noqa: BLE001 - a page is told, and no secret of its text
            self._end("failed", f"{type(error).__name__} ended the run")

    async def _take(self, event: Event, maker: RecordMaker) -> None:
        if isinstance(event, AnswerEvent):
            self.answer = event.answer
            self._drop_words()
        maker.record_event(event)
        if isinstance(event, AskingEvent):
            self._asked = event
            if not await event.wait(self.wait_s):
                self._why_stopped = "nobody answered"
                raise asyncio.CancelledError

    def _end(self, state: RunState, text: str) -> None:
        self._close_question("nobody answered", {})
        self.state = state
        usage = self.answer.usage if self.answer is not None else None
        session = self.answer.session if self.answer is not None else ""
        data: JsonObject = {"state": state, "session": session}
        if usage is not None:
            data |= {"input_tokens": usage.input_tokens, "output_tokens": usage.output_tokens}
            data |= {"cost": usage.cost, "seconds": usage.elapsed_s}
        if self.on_end is not None:
            self.on_end()
        self._add("end", text, data)

    def _drop_words(self) -> None:
        self.size -= sum(record.size for record in self._records if record.kind == "words")
        self._records = [record for record in self._records if record.kind != "words"]

    def _add(self, kind: RecordKind, text: str, data: JsonObject) -> None:
        size = len(text) + len(repr(data)) + _RECORD_CHARS
        if kind == "words" and self.size + size > MAX_RUN_CHARS:
            return  # The answer has them all.
        if self.size + size > MAX_RUN_CHARS and kind not in {"answer", "approval", "question"}:
            text, data = text[:_LINE_CHARS], {"is_left_out": True, **_names(data)}
            size = len(text) + _RECORD_CHARS
        self._last += 1
        self.size += size
        at_s = round(time.monotonic() - self._started, 3)
        self._records.append(RunRecord(self._last, kind, text, data, at_s, size))
        self._has_changed.set()
        self._has_changed = asyncio.Event()

    def _add_image(self, image: RunImage) -> int | None:
        size = len(image.data)
        if len(self.images) >= MAX_IMAGES or self.size + size > MAX_RUN_CHARS:
            return None
        self.size += size
        self.images.append(image)
        return len(self.images)


@dataclass(slots=True)
class Runs:
    """
    All runs of a server.

    Args:
        max_running: That go on at the same time.
        max_ended: That are kept after their end.
        max_chars: Of their records together.
        is_full: Whether no other run can begin in the whole server, of which these are a part.
        pace: Of the pages that watch them.
    """

    max_running: int = MAX_RUNNING
    max_ended: int = MAX_ENDED
    max_chars: int = MAX_TOTAL_CHARS
    is_full: Callable[[], bool] = field(default=lambda: False, repr=False)
    pace: Pace = field(default_factory=Pace)
    _runs: dict[str, Run] = field(default_factory=dict[str, Run])
    _tasks: set[asyncio.Task[None]] = field(default_factory=set[asyncio.Task[None]])

    @property
    def running(self) -> int:
        """How many go on now."""
        return sum(not run.has_ended for run in [*self._runs.values()])

    def start(
        self,
        begin: Begin,
        question: str,
        *,
        owner: str = "",
        chat: str = "",
        price: Price = no_price,
        wait_s: float = WAIT_FOR_USER_S,
    ) -> Run:
        """
        Begin a run, which goes on whoever watches.

        Raises:
            LimitReached: As many go on as may.
        """
        if self.running >= self.max_running or self.is_full():
            raise LimitReached("runs at the same time", self.max_running)
        run = Run(
            id=secrets.token_urlsafe(12),
            question=question,
            owner=owner,
            chat=chat,
            price=price,
            wait_s=wait_s,
        )
        self._runs[run.id] = run
        task = asyncio.create_task(run.follow(begin))
        self._tasks.add(task)
        task.add_done_callback(self._forget)
        return run

    def find(self, name: str, owner: str = "") -> Run:
        """
        Return a run of a user.

        Raises:
            NoSuchPart: There is none of that name, or it is somebody else's.
        """
        run = self._runs.get(name)
        if run is None or run.owner != owner:
            raise NoSuchPart(name, "is no run that this server knows", ())
        return run

    def of_chat(self, chat: str, owner: str = "") -> tuple[Run, ...]:
        """Return the runs of a chat that are kept, oldest first."""
        return tuple(run for run in self._runs.values() if run.chat == chat and run.owner == owner)

    async def close(self) -> None:
        """Stop all runs, and wait until they have ended."""
        for run in self._runs.values():
            run.stop()
        if self._tasks:
            await asyncio.wait(self._tasks)

    def _forget(self, task: asyncio.Task[None]) -> None:
        """Let go of the oldest runs that have ended, where there are too many."""
        self._tasks.discard(task)
        ended = [run for run in self._runs.values() if run.has_ended]
        total = sum(run.size for run in ended)
        while ended and (len(ended) > self.max_ended or total > self.max_chars):
            oldest = ended.pop(0)
            total -= oldest.size
            del self._runs[oldest.id]
            if oldest.on_forgotten is not None:
                oldest.on_forgotten()


def _is_same(one: str, other: str) -> bool:
    return secrets.compare_digest(one.encode(), other.encode())


def _names(data: JsonObject) -> JsonObject:
    """What tells which call or role a record is of."""
    kept = ("tool", "id", "role", "outcome", "status", "input_tokens", "output_tokens", "reply")
    return {name: data[name] for name in kept if name in data}
