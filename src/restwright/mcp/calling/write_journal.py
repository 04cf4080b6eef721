"""
Writes that were sent for clients, each kept before it goes out, so that none goes unreported.

A write whose outcome nobody was told, since its client, this server or the machine ended meanwhile,
is told to the same user with the next call, by this process or by the next one.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace

from restwright.agents.journal.codec import json_from_outcome, json_from_step
from restwright.agents.journal.rows import SessionHeader, SessionSummary, StepRecord, apply_entry
from restwright.agents.journal.store import Journal, JournalSession
from restwright.agents.steps import Call
from restwright.calls.approval.destination import add_idempotency_key
from restwright.calls.response.result import Result
from restwright.errors import UnusableSession
from restwright.jsontypes import JsonObject
from restwright.net.messages import Request
from restwright.tools.tool import Tool

AGENT = "mcp serve"
"""By which sessions of servers are known in the journal."""
_UNKNOWN = "it was sent, and whether it took effect is unknown: look before repeating it"


@dataclass(slots=True)
class ServedWrite:
    """
    A write that may be about to be sent; nothing is kept of one that is not.

    Args:
        place: In its session; empty until it is sent.
    """

    writes: WriteJournal
    tool: Tool
    arguments: JsonObject = field(repr=False)
    user: str
    place: str = ""

    def keep(self, request: Request) -> None:
        """Keep it, right before its request goes out; a repeated one is kept once."""
        del request
        if not self.place:
            self.place = self.writes.append(self.tool, self.arguments, self.user)

    def end(self, result: Result) -> Result:
        """The result, once it is kept what came of it."""
        if not self.place:
            return result
        try:
            self.writes.session.append(self.place, "outcome", json_from_outcome(result))
        except (OSError, UnusableSession) as error:
            note = f"what came of it is not kept: {error}"
            return replace(result, warnings=(*result.warnings, note))
        return result


@dataclass(frozen=True, slots=True)
class _Doubt:
    """A write that nobody was told the outcome of."""

    session: JournalSession
    place: str
    tool: str
    user: str


@dataclass(slots=True)
class WriteJournal:
    """
    The writes of one server process, as one session of a journal. To be closed.

    Args:
        name: Of what is served.
        apis: `{namespace: SHA-256 of its document}`.
    """

    journal: Journal
    name: str
    apis: Mapping[str, str]
    _session: JournalSession | None = None
    _count: int = 0
    _doubts: list[_Doubt] = field(default_factory=list[_Doubt])

    def __post_init__(self) -> None:
        for summary in self.journal.sessions():
            is_own = summary.header.agent == AGENT and not summary.is_damaged
            if is_own and not summary.stopped:
                # Another server that runs may be at it.
                with suppress(UnusableSession):
                    self._take_up(summary)

    def _take_up(self, summary: SessionSummary) -> None:
        session = self.journal.resume(summary.id)
        found = [*_find_doubts(session)]
        self._doubts += found
        if not found:
            self._end(session)

    @property
    def session(self) -> JournalSession:
        """Of this process; begun with its first write."""
        if self._session is None:
            header = SessionHeader(question=self.name, agent=AGENT, model="", apis=self.apis)
            self._session = self.journal.start(header)
        return self._session

    def append(self, tool: Tool, arguments: JsonObject, user: str) -> str:
        """Keep a write that is about to be sent; returns its place."""
        self._count += 1
        place = str(self._count)
        step = json_from_step(Call(tool=tool.name, arguments=arguments))
        self.session.append(place, "step", {**step, "user": user})
        is_keyed = add_idempotency_key(tool, {}) != {}
        self.session.append(place, "sent", {"arguments": arguments, "is_keyed": is_keyed})
        return place

    @contextmanager
    def open(self, tool: Tool, arguments: JsonObject, user: str) -> Generator[ServedWrite]:
        """A write for the time of its call; who gives that up is told of it with the next one."""
        write = ServedWrite(self, tool, arguments, user)
        try:
            yield write
        except BaseException:
            if write.place:
                self._doubts.append(_Doubt(self.session, write.place, tool.name, user))
            raise

    def describe_doubts(self) -> tuple[str, ...]:
        """What is not known of earlier servers, for whoever runs this one."""
        return tuple(
            f"{doubt.tool} of an earlier server: {_UNKNOWN};"
            f" restwright sessions export {doubt.session.id}"
            for doubt in self._doubts
        )

    def tell_doubts(self, user: str) -> tuple[str, ...]:
        """What a user is still to be told; from now on they were."""
        told = [doubt for doubt in self._doubts if doubt.user == user]
        self._doubts = [doubt for doubt in self._doubts if doubt.user != user]
        for doubt in told:
            unknown = Result(kind="no_response", text=_UNKNOWN, effect="unknown")
            doubt.session.append(doubt.place, "outcome", json_from_outcome(unknown))
            is_last = all(other.session is not doubt.session for other in self._doubts)
            if is_last and doubt.session is not self._session:
                self._end(doubt.session)
        return tuple(f"an earlier call of {doubt.tool}: {_UNKNOWN}" for doubt in told)

    def close(self) -> None:
        """End the session; one with a write that is still to be told of goes on in the next."""
        held = {id(doubt.session): doubt.session for doubt in self._doubts}
        for session in held.values():
            session.release()
        if self._session is not None and id(self._session) not in held:
            self._end(self._session)

    def _end(self, session: JournalSession) -> None:
        # One that another process has taken up, or somebody has deleted, is over for this one.
        with suppress(UnusableSession):
            session.end("ended", "")
        session.release()


def _find_doubts(session: JournalSession) -> Iterator[_Doubt]:
    records: dict[str, StepRecord] = {}
    for entry in session.journal.events(session.id):
        apply_entry(records, entry.place, entry.event, entry.data)
    for place, record in records.items():
        if record.sent is not None and not record.is_done:
            step = record.step
            yield _Doubt(session, place, str(step["tool"]), str(step.get("user", "")))
