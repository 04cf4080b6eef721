"""Runs of a manifest whose agent hands over, interrupted on the way and taken up again."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.support.telemetry import recording

from restwright.agents.journal.handoffs import start_handoff
from restwright.agents.journal.sqlite import MAX_SESSIONS, SQLiteJournal
from restwright.agents.journal.store import Journal, SessionHeader
from restwright.agents.steps import Answer, Complete, Completion, Question, UserAnswer
from restwright.cli.inputs.run_options import ApprovalOptions
from restwright.cli.render.output import Output
from restwright.cli.runs.manifests import Agents, Asking, ManifestOptions
from restwright.errors import UnusableSession
from restwright.manifests.own.loader import load_manifest
from restwright.testing import Reply, ScriptedModel

HAND_OVER, ADD = "agents__hand_over_to_adder", "things__add_thing"
MESSAGE = "Add thing 1."
FIRST: list[Reply] = [
    ("selector", {"tools": [{"reason": "r", "name": HAND_OVER}], "answer": ""}),
    ("caller", {"calls": [{"tool": HAND_OVER, "arguments": {"message": MESSAGE}}]}),
]
SECOND: list[Reply] = [
    ("selector", {"tools": [{"reason": "r", "name": ADD}], "answer": ""}),
    ("caller", {"calls": [{"tool": ADD, "arguments": {"thing_id": 1}}]}),
    ("caller", {"calls": []}),
    ("describer", {"answer": "Added."}),
]
API = "apis: [{{document: things.yaml, alias: things, server: {server}{more}}}]\n"
Run = Callable[..., Any]


@pytest.fixture
def manifest(things: str, server: Any, tmp_path: Path) -> Path:
    """An agent that only reads, and hands over to one that may write."""
    del things
    path = tmp_path / "agent.yaml"
    reads = API.format(server=server.url, more=", read_only: true")
    path.write_text(f"agent: calling\n{reads}agents: {{adder: adder.yaml}}\n", "utf-8")
    adder = f"agent: calling\n{API.format(server=server.url, more='')}"
    (tmp_path / "adder.yaml").write_text(adder, "utf-8")
    return path


@pytest.fixture
def run(restwright, manifest: Path) -> Run:
    """Run the manifest with a model of these replies."""

    def ran(*argv: str, script: list[Reply], command: tuple[str, ...] = ()) -> Any:
        restwright.find_model(lambda *_: ScriptedModel(script))
        return restwright(*(command or ("run", str(manifest), "--yes")), *argv)

    return ran


@pytest.fixture
def stopped(run: Run) -> tuple[str, str]:
    """Both sessions of a run that a limit stopped when the second agent had written."""
    ended = run("Add one.", "--max-model-calls", "2", "--json", script=FIRST + SECOND)
    assert (ended.code, ended.json["stopped"]) == (3, "limit")
    with SQLiteJournal() as journal:
        ((second, first),) = journal.handoffs().items()
    assert ended.json["session"] == second
    return first, second


def test_agents_that_hand_over_are_traced_as_one_workflow(run, server) -> None:
    del server
    with recording() as recorded:
        assert run("Add one.", script=FIRST + SECOND).out == "Added.\n"
    (whole,) = recorded.named("invoke_workflow")
    assert [each.parent for each in recorded.named("invoke_agent")] == [whole.name] * 2


def writes(server: Any) -> int:
    return sum(method == "POST" for method, *_ in server.requests)


@pytest.mark.parametrize("which", [0, 1], ids=["the first session", "the one that is offered"])
def test_a_run_goes_on_where_the_second_agent_was_stopped(run, server, stopped, which) -> None:
    went_on = run("--resume", stopped[which], script=SECOND[2:])
    assert (went_on.code, went_on.out) == (0, "Added.\n")
    again = run("--resume", stopped[1 - which], script=[])
    assert (again.code, again.out) == (0, "Added.\n")
    assert writes(server) == 1
    with SQLiteJournal() as journal:
        assert len(journal.sessions()) == 2


def test_a_second_agent_that_took_no_step_is_the_one_that_goes_on(run, server, stopped) -> None:
    server.requests.clear()
    with SQLiteJournal() as journal:
        for each in ("events", "holders"):
            journal.change(f"delete from {each} where session = ?", (stopped[1],))  # noqa: S608
    assert run("--resume", stopped[0], script=SECOND).out == "Added.\n"
    assert writes(server) == 1
    with SQLiteJournal() as journal:
        assert dict(journal.handoffs()) == {stopped[1]: stopped[0]}


def test_a_second_agent_that_was_not_begun_is_begun(run, server, stopped) -> None:
    server.requests.clear()
    with SQLiteJournal() as journal:
        journal.change("delete from sessions where id = ?", (stopped[1],))
        assert journal.handoffs() == {}
    ended = run("--resume", stopped[0], "--json", script=SECOND)
    assert (ended.json["answer"], writes(server)) == ("Added.", 1)
    with SQLiteJournal() as journal:
        assert dict(journal.handoffs()) == {ended.json["session"]: stopped[0]}


class Decided:
    """A model that hands over where it can, and else adds one thing, however often it is asked."""

    name = "decided"

    def complete(self, request: Complete, *, deadline_s: float) -> Completion:
        del deadline_s
        said = "\n".join(each.text for each in request.messages)
        is_done = "teal" in said or "took effect" in said
        first, again, *_ = FIRST if HAND_OVER in said else SECOND
        end = {"calls": []} if request.role == "caller" else {"answer": "Added."}
        reply = {"selector": first[1], "caller": again[1]}.get(request.role, end)
        return Completion(text=json.dumps(end if is_done else reply))


class Dying(SQLiteJournal):
    """Is interrupted at its moment `last`, of which each change has one before and one after it."""

    def __init__(self, path: Path, last: int = 0) -> None:
        self.count, self.last = 0, 0
        super().__init__(path)
        self.last = last

    def _moment(self) -> None:
        self.count += 1
        if self.count == self.last:
            raise KeyboardInterrupt

    def change(self, *arguments: Any) -> int:
        self._moment()
        touched = super().change(*arguments)
        self._moment()
        return touched

    def change_together(self, *changes: Any) -> None:
        self._moment()
        super().change_all(*changes)
        self._moment()


@dataclass(frozen=True, slots=True)
class Asked:
    """Asks the agents of a manifest; whether a write took effect is what the server says."""

    agents: Agents
    server: Any

    def __call__(self, journal: Journal, resume: str | None = None) -> Answer:
        def human(_: Question) -> UserAnswer:
            return UserAnswer("yes" if writes(self.server) else "no")

        more = {"human": human, "approve": lambda *_: True}
        with self.agents.options.reach.transport.open_transport() as send:
            asking = Asking(self.agents, Decided(), send, more)
            return asking.ask("" if resume else "Add one.", journal, resume)


def test_at_whatever_moment_it_is_interrupted_the_second_agent_writes_once(
    manifest: Path, server: Any, tmp_path: Path
) -> None:
    options = ManifestOptions(approval=ApprovalOptions(yes=True))
    agents = Agents(load_manifest(manifest), options, Output())
    asked = Asked(agents, server)
    with Dying(tmp_path / "whole.sqlite3") as whole:
        assert asked(whole).text == "Added."
        moments = whole.count
    assert moments > 20
    for last in range(1, moments + 1):
        server.requests.clear()
        with Dying(tmp_path / f"{last}.sqlite3", last) as journal:
            with pytest.raises(KeyboardInterrupt):
                asked(journal)
            resume = journal.last_id if journal.sessions() else None
            answer = asked(journal, resume or None)
            assert (last, answer.text, writes(server)) == (last, "Added.", 1)
            assert len(journal.handoffs()) == 1


def test_only_one_process_begins_what_is_handed_over_to(tmp_path: Path) -> None:
    opening = SessionHeader(question="?", agent="", model="m", apis={})
    with SQLiteJournal(tmp_path / "sessions.sqlite3") as journal:
        first = journal.start(opening)
        with pytest.raises(UnusableSession, match="another process is at it"):
            start_handoff(journal, first.id, opening)
        first.release()
        second = start_handoff(journal, first.id, opening)
        assert start_handoff(journal, first.id, opening) == second
        with pytest.raises(OSError, match="UNIQUE"):
            journal.start(opening, before=first.id)
        assert len(journal.sessions()) == 2


def test_the_oldest_run_is_not_pruned_while_it_hands_over_and_then_as_a_whole(
    tmp_path: Path,
) -> None:
    opening = SessionHeader(question="?", agent="", model="m", apis={})
    with SQLiteJournal(tmp_path / "sessions.sqlite3") as journal:
        first = journal.start(opening)
        first.release()
        journal.change("update sessions set started = 0", ())
        journal.change(
            "with recursive n (i) as (select 1 union all select i + 1 from n where i < ?)"
            " insert into sessions (id, started, question, agent, model, apis)"
            " select 'n' || i, i, '\"\"', '', 'm', '{}' from n",
            (MAX_SESSIONS,),
        )
        second = start_handoff(journal, first.id, opening)
        assert {first.id, second} <= {each.id for each in journal.sessions()}
        journal.change("update sessions set stopped = 'answered' where id = ?", (first.id,))
        journal.start(opening).release()
        assert {first.id, second} <= {each.id for each in journal.sessions()}
        journal.change("update sessions set stopped = 'answered' where id = ?", (second,))
        journal.start(opening).release()
        assert {first.id, second}.isdisjoint(each.id for each in journal.sessions())


def test_a_journal_of_before_is_opened(tmp_path: Path) -> None:
    path = tmp_path / "sessions.sqlite3"
    opening = SessionHeader(question="?", agent="", model="m", apis={})
    with SQLiteJournal(path) as journal:
        before = journal.start(opening)
        before.release()
        journal.change("drop table handovers", ())
    with SQLiteJournal(path) as journal:
        assert journal.handoffs() == {}
        second = start_handoff(journal, before.id, opening)
        assert dict(journal.handoffs()) == {second: before.id}


def test_one_run_is_one_line_and_its_sessions_say_who_handed_over(restwright, stopped) -> None:
    first, second = stopped
    (line,) = restwright("sessions", "list").out.splitlines()
    name, _, *rest = line.split("\t")
    assert (name, rest) == (first, ["limit", "Add one.", "1"])
    shown = restwright("sessions", "show", second, "--json").json
    links = [(each["id"], each["handed_over_by"], each["turn"]) for each in shown["turns"]]
    assert links == [(first, None, 1), (second, first, 1)]
    lines = restwright("sessions", "export", first).out.splitlines()
    heads = [each for each in map(json.loads, lines) if "session" in each]
    assert [each["question"] for each in heads] == ["Add one.", MESSAGE]
    alone = restwright("sessions", "export", second, "--json").json
    assert (alone["session"], alone["handed_over_by"]) == (second, first)


@pytest.mark.parametrize("which", [0, 1], ids=["the first", "the second"])
def test_a_run_is_deleted_as_a_whole(restwright, stopped, which) -> None:
    assert restwright("sessions", "delete", stopped[which]).out == "2 sessions deleted\n"
    with SQLiteJournal() as journal:
        assert (journal.sessions(), journal.handoffs()) == ((), {})


@pytest.mark.parametrize("which", [0, 1], ids=["the first", "the second"])
def test_ask_does_not_go_on_with_a_run_of_a_manifest(run, things, server, stopped, which) -> None:
    name = stopped[which]
    command = ("ask", "-a", f"things={things}", "--server", server.url)
    ended = run("--resume", name, script=[], command=command)
    assert (ended.code, ended.out) == (1, "")
    assert ended.err == (
        f"error: cannot use the session {name}: it was made by a manifest or by a loop of its own;"
        f" go on with it by `restwright run MANIFEST --resume {name}`;"
        " see `restwright sessions list`\n"
    )
    assert run("--resume", name, script=SECOND[2:]).code == 0


def test_chat_does_not_go_on_with_what_an_agent_handed_over_to(run, things, stopped) -> None:
    first, second = stopped
    command = ("chat", "-a", f"things={things}")
    ended = run("--resume", second, script=[], command=command)
    assert (ended.code, ended.out) == (1, "")
    assert f"it was handed over by {first}; go on with it by `restwright run MANIFEST" in ended.err


def test_chat_does_not_go_on_with_an_interrupted_run_of_a_manifest(
    run, things, server, tmp_path
) -> None:
    ended = run("x", "--max-model-calls", "2", "--json", script=[*SECOND], command=_adder(tmp_path))
    name = ended.json["session"]
    with SQLiteJournal() as journal:
        journal.change("update sessions set stopped = '' where id = ?", (name,))
    command = ("chat", "-a", f"things={things}", "--server", server.url)
    refused = run("--resume", name, script=[], command=command)
    assert refused.code == 1
    assert "go on with it by `restwright run MANIFEST --resume" in refused.err
    assert run("--resume", name, script=SECOND[2:], command=_adder(tmp_path)).code == 0
    assert writes(server) == 1


def test_run_does_not_go_on_with_a_session_of_ask(run, things, server, tmp_path) -> None:
    command = ("ask", "-a", f"things={things}", "--server", server.url, "--agent", "calling")
    ended = run("x", "--max-model-calls", "1", "--json", script=[*SECOND], command=command)
    name = ended.json["session"]
    refused = run("--resume", name, script=[], command=_adder(tmp_path))
    assert (refused.code, refused.out) == (1, "")
    assert (
        f"cannot use the session {name}: it was made by the agent 'calling' without a manifest;"
        f" go on with it by `restwright ask` or `chat` with --resume {name}"
    ) in refused.err


def _adder(folder: Path) -> tuple[str, ...]:
    return "run", str(folder / "adder.yaml"), "--yes"
