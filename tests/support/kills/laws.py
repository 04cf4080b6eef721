"""What must hold of runs whose workers were killed, however they ended."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.kills.counting_server import Write
from tests.support.kills.runs import EFFECTS, is_refused, resume_run
from tests.support.kills.sealing import TOOLS

from restwright.agents.journal.conversations import list_calls, restore_turn
from restwright.agents.journal.store import Journal
from restwright.calls.approval.policy import ALLOW
from restwright.jsontypes import Json, JsonObject
from restwright.testing import never

_RECEIPT = re.compile(r'"receipt": (\d+)')
ENDS = {"answered", "refused", "question", "limit", "error"}


@dataclass
class Never:
    """A model that must not be asked."""

    name: str = "sealer"
    calls_tools: bool = True
    is_small: bool = True
    complete = staticmethod(never)


@dataclass
class Report:
    """What came of all runs together."""

    ends: Counter[str] = field(default_factory=Counter[str])
    writes: int = 0
    again: int = 0
    """Writes with a key that were sent more than once."""
    unknown: int = 0
    """Writes without one of which a run ends by telling that nobody knows."""
    never_sent: int = 0
    """Of these, those that the server never saw."""


@dataclass(frozen=True)
class Evidence:
    """
    What a journal, a server and the workers each tell of the same runs.

    Args:
        runs: `{session: cellar}`.
        seen: By session, what its runs saw, oldest first.
    """

    journal: Journal
    url: str
    runs: dict[str, int]
    writes: dict[int, list[Write]]
    seen: dict[str, list[JsonObject]]

    def check(self) -> Report:
        """
        Hold every run to the laws.

        Raises:
            AssertionError: One is broken, and by which runs.
        """
        report, broken = Report(), list[str]()
        waiting = {question.session for question in self.journal.questions()}
        for session, cellar in self.runs.items():
            try:
                stopped = self._check_run(session, cellar, session in waiting, report)
                report.ends[stopped] += 1
            except AssertionError as error:
                told = f"{self.writes.get(cellar)}\n{self.seen.get(session)}"
                story = "\n".join(json.dumps(row)[:300] for row in self.journal.export(session))
                broken.append(f"{session}: {error}\n{told}\n{story}")
        assert not broken, "\n\n".join([f"{len(broken)} broke laws", *broken[:3]])
        assert {*self.writes} <= {*self.runs.values()}
        return report

    def _check_run(self, session: str, cellar: int, is_waiting: bool, report: Report) -> str:
        head, *events = self.journal.export(session)
        stopped = head["stopped"]
        assert stopped in ENDS or is_waiting, f"neither ended nor waiting: {stopped!r}"
        check_numbers(self.journal, session)
        check_events(events)
        self._check_writes(session, cellar, events, report)
        last = [told for told in self.seen.get(session, ()) if is_end(told)]
        if stopped and last:
            told = last[-1]
            assert (told["stopped"], told["text"]) == (stopped, head["answer"])
            kept = [
                [call.tool, call.arguments, result.ok]
                for call, result in list_calls(self.journal, session)
                if result.was_attempted
            ]
            assert _sorted(told["calls"]) == _sorted(kept), (
                f"the run saw {told['calls']}, not {kept}"
            )
        if stopped == "answered":
            again = resume_run(self.journal, session, self.url, model=Never(), send=never)
            assert (again.stopped, again.text) == ("answered", head["answer"]), again.reason
            assert [*self.journal.export(session)] == [head, *events], "it is kept otherwise"
        return stopped or "waiting"

    def _check_writes(
        self, session: str, cellar: int, events: list[JsonObject], report: Report
    ) -> None:
        arrived: defaultdict[str, list[Write]] = defaultdict(list)
        for write in self.writes.get(cellar, ()):
            arrived[_effect(write.path)].append(write)
        report.writes += sum(map(len, arrived.values()))
        sent = Counter(
            _effect_of(event["data"]["arguments"], steps[event["place"]])
            for steps in [_tools(events)]
            for event in events
            if event["event"] == "sent"
        )
        turn = restore_turn(self.journal, session, TOOLS, policy=ALLOW)
        told = {_effect_of(write.arguments, write.tool): write.effect for write in turn.writes}
        for effect, writes in arrived.items():
            assert len({write.key for write in writes}) == 1, f"{effect} went out by several keys"
            assert writes[0].key or len(writes) == 1, f"{effect} was written twice without a key"
            assert len(writes) <= sent[effect], f"{effect} went out before that was kept"
            assert told.get(effect) in {"done", "unknown"}, f"{effect} is told as {told}"
            report.again += len(writes) > 1
        for effect, how in told.items():
            assert how == "unknown" or arrived[effect], f"{effect} is told, and was not done"
            report.unknown += how == "unknown"
            report.never_sent += how == "unknown" and not arrived[effect]
        receipts = {write.receipt for writes in arrived.values() for write in writes}
        assert {*_receipts(events)} <= receipts, "responses of others are kept"
        head = self.journal.find(session)
        if head.stopped == "answered":
            assert {*arrived} == {*EFFECTS}, "something is left undone"
            assert {*told.values()} == {"done"}, told
        elif head.stopped and "unknown" not in told.values():
            assert head.stopped == "refused", f"it ended by {head.stopped}, and nothing is unknown"
            assert is_refused(cellar), "it ended as refused, and nobody refused anything"
        ends = [one for one in self.seen.get(session, ()) if is_end(one)]
        if "unknown" in told.values() and ends:
            said = f"{ends[-1]['reason']}\n{ends[-1]['text']}"
            assert "is unknown" in said, f"what is unknown is not told: {said}"


def check_numbers(journal: Journal, session: str) -> None:
    """
    Hold what is kept of a run to its numbers; what it forgot on purpose keeps its own.

    Raises:
        AssertionError: Something is lost, doubled or damaged.
    """
    entries = [*journal.entries(session)]
    assert [entry.number for entry in entries] == [*range(1, len(entries) + 1)]
    assert not any(entry.is_damaged for entry in entries)


def check_events(events: list[JsonObject]) -> None:
    """
    Hold the events of a run to the order of its steps.

    Raises:
        AssertionError: Something is.
    """
    names: defaultdict[str, list[str]] = defaultdict(list)
    for event in events:
        names[event["place"]].append(event["event"])
    tops = sorted({int(place.partition(".")[0]) for place in names})
    assert tops == [*range(1, len(tops) + 1)], f"steps are missing among {tops}"
    for top in tops:
        parts = sorted(
            int(place.partition(".")[2]) for place in names if place.startswith(f"{top}.")
        )
        assert parts == [*range(len(parts))], f"parts of {top} are missing"
    for place, kept in names.items():
        assert kept[0] == "step", place
        assert kept.count("step") == 1, place
        assert "outcome" not in kept or kept[-1] == "outcome", (place, kept)


def is_end(told: JsonObject) -> bool:
    """Whether a run ended so, and neither waits nor was stopped by something in its way."""
    return not told["error"] and not told["reason"].startswith("it waits for")


def read_seen(told: Path) -> dict[str, list[JsonObject]]:
    """What workers told of the runs that they ended."""
    seen: defaultdict[str, list[JsonObject]] = defaultdict(list)
    for line in told.read_text("utf-8").splitlines() if told.exists() else ():
        one = json.loads(line)
        seen[one["session"]].append(one)
    return seen


def by_cellar(writes: Iterable[Write]) -> dict[int, list[Write]]:
    """Writes by the cellar, which is that of one run."""
    found: defaultdict[int, list[Write]] = defaultdict(list)
    for write in writes:
        found[int(write.path.split("/")[2])].append(write)
    return found


def _effect(path: str) -> str:
    return path.partition("/casks/")[2]


def _tools(events: list[JsonObject]) -> dict[str, str]:
    return {
        event["place"]: event["data"]["tool"]
        for event in events
        if event["event"] == "step" and event["data"]["step"] == "call"
    }


def _effect_of(arguments: JsonObject, tool: str) -> str:
    verb = tool.removeprefix("cellar__").removesuffix("_cask")
    return f"{arguments['cask_id']}/{verb}"


def _receipts(events: list[JsonObject]) -> Iterable[int]:
    """Those of the responses that are kept."""
    kept = (event["data"] for event in events if event["event"] == "outcome")
    bodies = (data["response"]["body"]["text"] for data in kept if data.get("response"))
    return (int(found[1]) for text in bodies if (found := _RECEIPT.search(text)))


def _sorted(calls: Iterable[Json]) -> list[str]:
    """Calls without their idempotency keys, which a run knows that asked for consent to them."""
    bare = (
        [tool, {name: value for name, value in arguments.items() if name != "Idempotency_Key"}, ok]
        for tool, arguments, ok in calls
    )
    return sorted(json.dumps(call, sort_keys=True) for call in bare)
