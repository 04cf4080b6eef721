"""Whatever happens to a journal: no write twice unasked, and none lost from the report."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Generator
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
)
from tests.support.programs.journaled_run import TOOLS

from restwright.agents.agent import Agent
from restwright.agents.events import Event
from restwright.agents.journal.conversations import load_conversations, restore_turn
from restwright.agents.journal.sqlite import SQLiteJournal
from restwright.agents.runtime.budget import Limits
from restwright.agents.runtime.human_input import no_human
from restwright.agents.steps import (
    Answer,
    Call,
    Complete,
    Completion,
    Conclusion,
    Gather,
    Message,
    Question,
    Say,
    Steps,
    UserAnswer,
)
from restwright.calls.approval.policy import ALLOW, Policy
from restwright.calls.response.result import Result
from restwright.errors import LimitReached, UnusableSession
from restwright.jsontypes import JsonObject
from restwright.net.messages import Request, Response
from restwright.testing import reply

DAMAGED: list[JsonObject] = [
    row
    for row in json.loads(
        (Path(__file__).parents[2] / "adversarial" / "journal.json").read_text("utf-8")
    )
    if row["table"] == "events"
]
READ = Call(tool="shop__items", arguments={})
LETTERS = "rmgspkwG"
"""Read, model, gather reads, say; write without a key, with one; gather of both kinds."""


Holding = tuple["subprocess.Popen[str]", Path]


class Killed(BaseException):
    """Stands for the death of a process; nothing catches it."""


@dataclass
class Moments:
    """Counts what happens, and at one moment does something, such as to die."""

    at: int = 0
    act: Callable[[], None] = lambda: None
    count: int = 0

    def __call__(self) -> None:
        self.count += 1
        if self.count == self.at:
            self.act()


class Dying(SQLiteJournal):
    """A journal whose process may die right before or right after a row is written."""

    def __init__(self, path: Path, moments: Moments) -> None:
        self.moments: Moments | None = None
        super().__init__(path)
        self.moments = moments

    def change(self, query: str, values: tuple[Any, ...]) -> int:
        if self.moments is None:
            return super().change(query, values)
        self.moments()
        changed = super().change(query, values)
        self.moments()
        return changed


@dataclass
class World:
    """What a server did: `{name of the write: how often it took effect}`."""

    effects: Counter[str] = field(default_factory=Counter[str])
    _keys: set[str] = field(default_factory=set[str])

    def sent(self, request: Request) -> Response:
        if request.method != "POST":
            return reply(200, [1, 2])
        key = request.header("Idempotency-Key")
        if not key or key not in self._keys:
            self.effects[request.url.rpartition("name=")[2]] += 1
        self._keys |= {key} if key else set()
        return reply(200, {"ok": True})


@dataclass
class Echo:
    """A model whose reply is its prompt."""

    moments: Moments
    name: str = "echo"

    def complete(self, request: Complete, *, deadline_s: float) -> Completion:
        del deadline_s
        self.moments()
        return Completion(text=request.messages[-1].text)


def step_of(letter: str, name: str) -> Any:
    plain = Call(tool="shop__plain", arguments={"name": name})
    keyed = Call(tool="shop__keyed", arguments={"name": f"{name}k"})
    return {
        "r": READ,
        "m": Complete(role="namer", messages=(Message("user", name),)),
        "g": Gather((READ, READ)),
        "s": Say(Event("plan", name)),
        "k": keyed,
        "w": plain,
        "p": plain,
        "G": Gather((plain, READ, keyed)),
    }[letter]


def loop(agent: Agent, question: str) -> Steps[Conclusion]:
    """Do what the letters of the question say; go on after a limit once, as our loops do."""
    del agent
    letters, _, run = question.partition(" ")
    for number, letter in enumerate(letters):
        try:
            outcome = yield step_of(letter, f"{run}-{number}")
        except LimitReached as limit:
            yield Say(Event("note", "stopped early"))
            return Conclusion(text="", stopped="limit", reason=limit.message)
        for each in outcome if isinstance(outcome, tuple) else (outcome,):
            if isinstance(each, Result) and not each.ok:
                return Conclusion(text="", stopped="error", reason=each.text)
    return Conclusion(text="done")


def writes_of(question: str) -> set[str]:
    letters, _, run = question.partition(" ")
    plain = {f"{run}-{i}" for i, each in enumerate(letters) if each in "wpG"}
    return plain | {f"{run}-{i}k" for i, each in enumerate(letters) if each in "kG"}


class Runs(RuleBasedStateMachine):
    """Runs that are killed, taken up, taken over and damaged, in one journal."""

    sessions = Bundle("sessions")

    @initialize()
    def begin(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name) / "sessions.sqlite3"
        self.world = World()
        self.damaged: set[str] = set()
        self.questions: dict[str, str] = {}
        self.journal = SQLiteJournal(self.path)

    def teardown(self) -> None:
        if hasattr(self, "journal"):
            self.journal.close()
            self.folder.cleanup()

    def ask(
        self,
        moments: Moments,
        question: str = "",
        *,
        resume: str | None = None,
        human: Callable[[Question], Any] = no_human,
        policy: Policy = ALLOW,
        calls: int = 25,
    ) -> Answer | None:
        """Go on with a run in a process of its own, so to speak; None where that was killed."""

        def send(request: Request) -> Response:
            moments()
            response = self.world.sent(request)
            moments()
            return response

        with Dying(self.path, moments) as journal:
            agent = Agent(
                TOOLS,
                model=Echo(moments),
                send=send,
                policy=policy,
                kind=loop,
                human=human,
                limits=Limits(calls=calls),
            )
            try:
                return agent.ask(question, journal=journal, resume=resume)
            except Killed:
                return None
            finally:
                for each in journal.sessions():
                    self.questions.setdefault(each.id, question)

    def doubtful(self, session: str) -> str:
        """The write without a key that was sent last."""
        sent = [each for each in self.journal.events(session) if each.event == "sent"]
        plain = [each.data["arguments"]["name"] for each in sent if not each.data["is_keyed"]]
        return plain[-1] if plain else ""

    @rule(
        target=sessions,
        letters=st.text(LETTERS, min_size=1, max_size=5),
        at=st.integers(0, 40),
        policy=st.sampled_from([ALLOW, ALLOW, Policy(default="read-only")]),
        calls=st.sampled_from([1, 2, 25]),
    )
    def run(self, letters: str, at: int, policy: Policy, calls: int) -> str:
        before, question = {*self.questions}, f"{letters} {len(self.questions)}"
        self.ask(Moments(at, kill), question, policy=policy, calls=calls)
        return next(iter({*self.questions} - before), "")

    @rule(session=sessions, at=st.integers(0, 40), is_told=st.booleans())
    def go_on(self, session: str, at: int, *, is_told: bool) -> None:
        """The user, if asked, has looked whether the write took effect."""
        if not session:
            return
        if session in self.damaged:
            with pytest.raises(UnusableSession, match="damaged"):
                self.ask(Moments(), resume=session)
            return
        told = "yes" if self.world.effects[self.doubtful(session)] else "no"
        human = (lambda _: UserAnswer(told)) if is_told else no_human
        answer = self.ask(Moments(at, kill), resume=session, human=human)
        if answer is None:
            return
        made = {each.arguments["name"] for each in answer.calls if "name" in each.arguments}
        assert self.effects_of(session) <= made
        if answer.stopped == "answered":
            assert self.effects_of(session) == writes_of(self.questions[session])

    @rule(session=sessions, at=st.integers(1, 40))
    def take_over(self, session: str, at: int) -> None:
        """At some moment the lock file is deleted, and another process goes on with the run."""
        if not session or session in self.damaged:
            return
        path = self.journal.lock_file(session)

        def other() -> None:
            path.unlink(missing_ok=True)
            self.ask(Moments(), resume=session)

        # Who had it before can keep nothing more, and so sends no further write.
        with suppress(UnusableSession):
            self.ask(Moments(at, other), resume=session)

    @rule(session=sessions)
    def is_at_work(self, session: str) -> None:
        """Two processes never are at one run at the same time."""
        if not session or session in self.damaged:
            return
        held = self.journal.resume(session)
        with pytest.raises(UnusableSession, match="another process is at it"):
            self.ask(Moments(), resume=session)
        held.release()

    @rule(session=sessions, row=st.sampled_from(DAMAGED), data=st.data())
    def damage(self, session: str, row: JsonObject, data: st.DataObject) -> None:
        numbers = [each.number for each in self.journal.events(session)] if session else []
        if not numbers or session in self.damaged:
            return
        number = data.draw(st.sampled_from(numbers))
        value: object = bytes.fromhex(row["hex"]) if "hex" in row else row.get("value")
        value = "[" * row["nested"] if "nested" in row else value
        # Another run may have been given the same place: the base holds a place once.
        change = f"update or ignore events set {row['column']} = ? where session = ? and number = ?"  # noqa: S608
        with closing(sqlite3.connect(self.path)) as base, base:
            before = base.execute("select * from events where session = ?", (session,)).fetchall()
            base.execute(change, (value, session, number))
            after = base.execute("select * from events where session = ?", (session,)).fetchall()
        if before != after:
            self.damaged.add(session)

    @rule()
    def open_again(self) -> None:
        self.journal.close()
        self.journal = SQLiteJournal(self.path)

    def effects_of(self, session: str) -> set[str]:
        known = writes_of(self.questions[session])
        return {name for name in known if self.world.effects[name]}

    @invariant()
    def no_write_has_two_effects(self) -> None:
        assert not hasattr(self, "world") or all(n == 1 for n in self.world.effects.values())

    @invariant()
    def every_write_is_in_the_report(self) -> None:
        if not hasattr(self, "journal"):
            return
        assert {each.id for each in self.journal.sessions()} == {*self.questions}
        assert {each.id for each in load_conversations(self.journal)} == {*self.questions}
        for session in self.questions:
            if session in self.damaged:
                told = json.dumps([*self.journal.export(session)])
                assert all(
                    f'"{name}' in told.replace("\\", "") for name in self.effects_of(session)
                )
            else:
                writes = restore_turn(self.journal, session, TOOLS, policy=ALLOW).writes
                named = {each.arguments["name"] for each in writes}
                assert self.effects_of(session) <= named


def kill() -> None:
    raise Killed


Runs.TestCase.settings = settings(max_examples=25, stateful_step_count=12, deadline=None)
test_no_write_is_made_twice_unasked_and_none_is_lost_from_the_report = Runs.TestCase


HOLD = """
import sys
from pathlib import Path
from restwright.agents.journal.sqlite import SQLiteJournal
from restwright.agents.journal.rows import SessionHeader
from restwright.errors import UnusableSession

with SQLiteJournal(Path(sys.argv[1])) as journal:
    session = journal.start(SessionHeader(question="?", agent="", model="m", apis={}))
    session.append("1", "step", {"step": "call"})
    print(session.id, flush=True)
    sys.stdin.readline()
    try:
        session.append("1", "sent", {"arguments": {}, "is_keyed": False})
    except UnusableSession as error:
        print(error, flush=True)
    sys.stdin.readline()
"""


@pytest.fixture
def holding(tmp_path: Path) -> Generator[tuple[subprocess.Popen[str], Path]]:
    """Another process that is at a session, and the journal of both."""
    path = tmp_path / "sessions.sqlite3"
    command = [sys.executable, "-c", HOLD, path]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as process:  # noqa: S603
        yield process, path
        process.kill()


def told(process: subprocess.Popen[str], line: str = "") -> str:
    """What the other process says next, after it was given a line."""
    assert process.stdin is not None
    assert process.stdout is not None
    if line:
        process.stdin.write(line)
        process.stdin.flush()
    return process.stdout.readline().strip()


@pytest.mark.process
def test_a_session_of_another_process_is_free_once_that_is_killed(holding: Holding) -> None:
    process, path = holding
    session = told(process)
    with SQLiteJournal(path) as journal:
        with pytest.raises(UnusableSession, match="another process is at it"):
            journal.resume(session)
        with pytest.raises(UnusableSession, match="another process is at it"):
            journal.delete([session])
        process.kill()
        process.wait()
        journal.resume(session).release()


@pytest.mark.process
def test_another_process_whose_lock_file_was_deleted_can_send_nothing_more(
    holding: Holding,
) -> None:
    process, path = holding
    session = told(process)
    with SQLiteJournal(path) as journal:
        journal.lock_file(session).unlink()
        journal.resume(session).release()
        assert "another process has taken it up since" in told(process, "go on\n")
        assert [each.event for each in journal.events(session)] == ["step"]
