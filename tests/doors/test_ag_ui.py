"""AG-UI: what its official client makes of a run, and what an answer to an interrupt can do."""

from __future__ import annotations

import json
import shutil
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from tests.support.doors.serving import (
    KEY,
    SAID,
    WORDS,
    Running,
    Wire,
    agent_of,
    door,
    film,
    loop_of,
    note,
    remove,
    serving,
)

import restwright as rw
from restwright.agents.events import Event
from restwright.agents.journal.sqlite import SQLiteJournal
from restwright.agents.journal.store import Journal
from restwright.agents.steps import Question, Say
from restwright.doors.access import TokenAccess
from restwright.doors.refusals import refuse_request
from restwright.doors.runs import RunTable
from restwright.testing import ScriptedModel

FOLDER = Path(__file__).parents[2] / ".adapters" / "ag-ui"
SCRIPT = Path(__file__).parents[1] / "support" / "doors" / "ag_ui_client.mjs"
PLAN = Say(Event("plan", "find the film"))
YES, NO = {"approved": True}, {"approved": False}


class Thread:
    """One conversation of a program that speaks AG-UI."""

    def __init__(self, running: Running, name: str = "thread-1", key: str = KEY) -> None:
        self.url, self.name, self.key = running.url, name, key
        self.messages: list[Any] = []
        self.count = 0

    def send(self, **more: Any) -> list[dict[str, Any]]:
        self.count += 1
        body = {"threadId": self.name, "runId": f"run-{self.count}", "messages": self.messages}
        headers = {"authorization": f"Bearer {self.key}"}
        given = httpx2.post(f"{self.url}/ag-ui", json=body | more, headers=headers, timeout=30)
        assert given.status_code == 200, given.text
        lines = [line for line in given.text.split("\n\n") if line.startswith("data: ")]
        return [json.loads(line.removeprefix("data: ")) for line in lines]

    def ask(self, text: str) -> list[dict[str, Any]]:
        self.messages.append({"id": f"m{self.count}", "role": "user", "content": text})
        events = self.send()
        self.messages.append(
            {"id": f"a{self.count}", "role": "assistant", "content": words(events)}
        )
        return events

    def answer(
        self, interrupt: str, payload: Any, status: str = "resolved"
    ) -> list[dict[str, Any]]:
        return self.send(resume=[{"interruptId": interrupt, "status": status, "payload": payload}])


def kinds(events: list[dict[str, Any]]) -> list[str]:
    return [event["type"] for event in events]


def words(events: list[dict[str, Any]]) -> str:
    return "".join(event["delta"] for event in events if event["type"] == "TEXT_MESSAGE_CONTENT")


def interrupt(events: list[dict[str, Any]]) -> dict[str, Any]:
    outcome = events[-1]["outcome"]
    assert outcome["type"] == "interrupt"
    (asked,) = outcome["interrupts"]
    return asked


def code(events: list[dict[str, Any]]) -> str:
    assert events[-1]["type"] == "RUN_ERROR"
    return events[-1]["code"]


@pytest.fixture
def wire() -> Wire:
    return Wire()


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    with SQLiteJournal(tmp_path / "sessions.sqlite3") as kept:
        yield kept


def test_a_run_is_steps_calls_results_and_words(wire: Wire) -> None:
    with serving(door(agent_of(PLAN, film(), WORDS, wire=wire))) as running:
        events = Thread(running).ask("Which film is 7?")
    told = [kind for kind in kinds(events) if kind != "TEXT_MESSAGE_CONTENT"]
    assert told == [
        "RUN_STARTED",
        "STEP_STARTED",
        "ACTIVITY_SNAPSHOT",
        "TOOL_CALL_START",
        "TOOL_CALL_ARGS",
        "TOOL_CALL_END",
        "TOOL_CALL_RESULT",
        "TEXT_MESSAGE_START",
        "TEXT_MESSAGE_END",
        "STEP_FINISHED",
        "RUN_FINISHED",
    ]
    assert kinds(events).count("TEXT_MESSAGE_CONTENT") > 2
    assert words(events) == SAID
    assert events[0]["protocolVersion"] == "1.0"
    assert events[-1]["outcome"] == {"type": "success"}
    assert events[-1]["usage"][0]["totalTokens"] == 6
    calls = [event for event in events if "toolCallId" in event]
    assert len({event["toolCallId"] for event in calls}) == 1
    assert json.loads(calls[1]["delta"])["url"] == "https://api.example.test/films/7"


def test_a_write_is_an_interrupt_and_what_was_shown_is_sent(wire: Wire) -> None:
    with serving(door(agent_of(note("buy milk"), WORDS, wire=wire))) as running:
        thread = Thread(running)
        asked = interrupt(thread.ask("Note: buy milk."))
        assert wire.methods() == []
        assert asked["reason"] == "confirmation"
        assert '"text": "buy milk"' in asked["message"]
        assert asked["metadata"]["request"]["method"] == "POST"
        assert asked["expiresAt"].endswith("Z")
        events = thread.answer(asked["id"], YES)
        assert "TOOL_CALL_RESULT" in kinds(events)
        assert words(events) == SAID
        assert code(thread.answer(asked["id"], YES)) == "interrupt_expired"
    assert [json.loads(request.body) for request in wire.send.sent] == [{"text": "buy milk"}]


@pytest.mark.parametrize(
    ("payload", "status"),
    [(NO, "resolved"), (YES, "cancelled"), ({"approved": "true"}, "resolved"), (None, "resolved")],
)
def test_only_a_yes_is_one(wire: Wire, payload: Any, status: str) -> None:
    with serving(door(agent_of(remove(), WORDS, wire=wire))) as running:
        thread = Thread(running)
        asked = interrupt(thread.ask("Delete film 7."))
        assert words(thread.answer(asked["id"], payload, status)) == SAID
    assert wire.methods() == []


def test_an_answer_to_another_interrupt_or_of_another_thread_sends_nothing(wire: Wire) -> None:
    with serving(door(agent_of(remove(), WORDS, wire=wire))) as running:
        thread, other = Thread(running), Thread(running, "thread-2")
        asked = interrupt(thread.ask("Delete film 7."))
        assert code(thread.answer("another", YES)) == "interrupt_expired"
        assert code(other.answer(asked["id"], YES)) == "interrupt_expired"
        assert wire.methods() == []
        assert words(thread.answer(asked["id"], YES)) == SAID


def test_an_answer_of_another_user_sends_nothing(wire: Wire) -> None:
    async def verify(token: str) -> str | None:
        return token

    def guarded(app: Any) -> Any:
        return TokenAccess(app, verify, lambda _: refuse_request(401, "a token is needed"))

    with serving(door(agent_of(remove(), WORDS, wire=wire)), wrap=guarded, is_open=True) as running:
        ann, bob = Thread(running, key="ann"), Thread(running, key="bob")
        asked = interrupt(ann.ask("Delete film 7."))
        assert code(bob.answer(asked["id"], YES)) == "interrupt_expired"
    assert wire.methods() == []


def test_a_new_message_takes_the_place_of_an_answer(wire: Wire) -> None:
    with serving(door(agent_of(remove(), WORDS, wire=wire))) as running:
        thread = Thread(running)
        first = interrupt(thread.ask("Delete film 7."))
        second = interrupt(thread.ask("No, film 8."))
        assert code(thread.answer(first["id"], YES)) == "interrupt_expired"
        assert wire.methods() == []
        assert words(thread.answer(second["id"], YES)) == SAID


def test_after_a_restart_the_journal_goes_on_and_asks_again(wire: Wire, journal: Journal) -> None:
    agent = agent_of(film(), remove(), WORDS, wire=wire)
    with serving(door(agent), journal=journal) as running:
        thread = Thread(running)
        asked = interrupt(thread.ask("Read and delete film 7."))
    with serving(door(agent), journal=journal) as running:
        thread.url = running.url
        again = interrupt(thread.answer(asked["id"], YES))
        assert again["id"] != asked["id"]
        assert again["metadata"]["hash"] == asked["metadata"]["hash"]
        # What was read is not read again, and the old answer sent nothing.
        assert wire.methods() == ["GET"]
        assert words(thread.answer(again["id"], YES)) == SAID
        assert code(thread.answer(again["id"], YES)) == "interrupt_expired"
    assert wire.methods() == ["GET", "DELETE"]


def test_the_journal_knows_the_thread(journal: Journal) -> None:
    with serving(door(agent_of(WORDS)), journal=journal) as running:
        thread = Thread(running)
        thread.ask("First.")
        thread.ask("Second.")
        Thread(running, "thread-2").ask("Elsewhere.")
    found = rw.journal.list_conversations(journal)
    assert sorted(each.turns for each in found) == [1, 2]


def test_no_two_calls_of_a_thread_have_the_same_id(wire: Wire) -> None:
    with serving(door(agent_of(film(), film(8), WORDS, wire=wire))) as running:
        thread = Thread(running)
        events = thread.ask("Which film is 7?") + thread.ask("And again?")
    begun = [event["toolCallId"] for event in events if event["type"] == "TOOL_CALL_START"]
    ended = [event["toolCallId"] for event in events if event["type"] == "TOOL_CALL_RESULT"]
    assert begun == ended
    assert len({*begun}) == 4


def test_fifty_threads_at_once_lose_nothing(wire: Wire, journal: Journal) -> None:
    told: list[str] = []

    def ask(running: Running, number: int) -> None:
        events = Thread(running, f"thread-{number}").ask(f"Film {number}?")
        told.append(f"{words(events)}|{kinds(events).count('TOOL_CALL_RESULT')}")

    agent = agent_of(film(), WORDS, wire=wire)
    with serving(door(agent), journal=journal) as running:
        threads = [threading.Thread(target=ask, args=(running, number)) for number in range(50)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert told == [f"{SAID}|1"] * 50
    assert len(journal.sessions()) == 50


def test_a_thread_that_began_elsewhere_is_read_from_its_messages(journal: Journal) -> None:
    model = ScriptedModel([("selector", {"tools": [], "answer": SAID})], is_small=False)
    with serving(door(agent_of(kind="calling", model=model)), journal=journal) as running:
        thread = Thread(running)
        thread.messages = [
            {"id": "1", "role": "user", "content": "I like Tarkovsky."},
            {"id": "2", "role": "assistant", "content": "Noted."},
        ]
        assert words(thread.ask("Which film is his?")) == SAID
    assert "I like Tarkovsky." in "\n".join(message.text for message in model.asked[0].messages)
    assert journal.sessions() == ()


def test_another_wording_is_another_message() -> None:
    model = ScriptedModel(["The first.", "The last."])
    with serving(door(agent_of(WORDS, WORDS, model=model))) as running:
        events = Thread(running).ask("?")
    begun = [event["messageId"] for event in events if event["type"] == "TEXT_MESSAGE_START"]
    last = [event for event in events if event.get("messageId") == begun[-1]]
    assert len(begun) == 2
    assert words(last) == "The last."


def test_a_question_is_an_interrupt_with_a_form() -> None:
    asked = Question("Which colour?", schema={"enum": ["red", "blue"]})
    with serving(door(agent_of(asked, WORDS))) as running:
        thread = Thread(running)
        shown = interrupt(thread.ask("Paint it."))
        assert shown["reason"] == "input_required"
        assert shown["responseSchema"]["properties"]["answer"] == {"enum": ["red", "blue"]}
        assert code(thread.answer(shown["id"], {"answer": "green"})) == "error"
        assert words(thread.answer(shown["id"], {"answer": "blue"})) == SAID


def test_what_waits_too_long_is_gone(wire: Wire) -> None:
    agent = agent_of(remove(), WORDS, wire=wire)
    with serving(door(agent), runs=RunTable(lifetime_s=0.05)) as running:
        thread = Thread(running)
        asked = interrupt(thread.ask("Delete film 7."))
        while running.runs.waiting:
            pass
        assert code(thread.answer(asked["id"], YES)) == "interrupt_expired"
    assert wire.methods() == []


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"threadId": "t", "runId": "r", "messages": []},
        {"threadId": "t", "runId": "r", "messages": [{"role": "assistant", "content": "x"}]},
        {"threadId": "t" * 300, "runId": "r", "messages": [{"role": "user", "content": "x"}]},
        {"threadId": "t", "runId": "r", "messages": [{"role": "user", "content": "x"}] * 1_001},
        {"threadId": "t", "runId": "r", "messages": [], "resume": [{}, {}]},
        [],
    ],
)
def test_what_is_no_request_is_refused(body: Any) -> None:
    with serving(door(agent_of(WORDS))) as running:
        headers = {"authorization": f"Bearer {KEY}"}
        assert httpx2.post(f"{running.url}/ag-ui", json=body, headers=headers).status_code == 400
        assert httpx2.post(f"{running.url}/ag-ui/x", json=body, headers=headers).status_code == 404


def test_tools_of_the_client_are_said_to_be_unused() -> None:
    with serving(door(agent_of(WORDS))) as running:
        thread = Thread(running)
        thread.messages = [{"id": "1", "role": "user", "content": "?"}]
        events = thread.send(tools=[{"name": "f"}])
    assert events[1]["content"]["text"] == "not used: tools"


# The official client


@pytest.fixture(scope="module")
def client() -> Path:
    """The folder of the official client, which `make test-doors` has npm fetch."""
    if shutil.which("node") is None or not (FOLDER / "node_modules" / "@ag-ui").is_dir():
        pytest.skip("without the official client of AG-UI: `make test-doors` fetches it from npm")
    return FOLDER


def told_by(client: Path, running: Running, *turns: Any) -> dict[str, Any]:
    node = shutil.which("node") or "node"
    command = [node, str(SCRIPT), str(client), f"{running.url}/ag-ui", KEY, json.dumps(turns)]
    ended = subprocess.run(command, check=False, capture_output=True, text=True, timeout=120)  # noqa: S603
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout)


def test_the_official_client_understands_a_run(client: Path, wire: Wire) -> None:
    with serving(door(agent_of(PLAN, film(), WORDS, wire=wire))) as running:
        told = told_by(client, running, "Which film is 7?")
    (turn,) = told["turns"]
    assert (turn["errors"], turn.get("thrown"), turn["interrupts"]) == ([], None, [])
    roles = [message["role"] for message in told["messages"]]
    assert roles == ["user", "activity", "assistant", "tool", "assistant"]
    assert told["messages"][-1]["content"] == SAID


def test_the_official_client_confirms_a_write(client: Path, wire: Wire, journal: Journal) -> None:
    agent = agent_of(film(), remove(), WORDS, wire=wire, kind=loop_of(film(), remove(), WORDS))
    yes = {"status": "resolved", "payload": YES}
    with serving(door(agent), journal=journal) as running:
        told = told_by(client, running, "Delete film 7.", yes, "Thanks.", yes)
    first, second, third, _ = told["turns"]
    assert [each.get("thrown") for each in told["turns"][:3]] == [None] * 3
    assert first["interrupts"][0]["metadata"]["tool"] == "tv__remove_film"
    assert first["expired"] == [False]
    assert second["interrupts"] == []
    assert third["interrupts"][0]["reason"] == "confirmation"
    assert wire.methods() == ["GET", "DELETE", "GET", "DELETE"]
