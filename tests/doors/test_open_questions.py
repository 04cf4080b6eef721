"""What runs elsewhere wait for, answered in a chat of another program by the next message."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.responses import Response
from starlette.types import ASGIApp
from tests.doors.test_ag_ui import YES, Thread, interrupt, words
from tests.doors.test_chat_completions import Chat
from tests.support.doors.serving import WORDS, Wire, agent_of, door, note, remove, serving

from restwright.agents.journal.sqlite import SQLiteJournal
from restwright.agents.journal.store import Journal
from restwright.agents.steps import Question
from restwright.doors.access import TokenAccess
from restwright.doors.open_questions import COMMAND


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    with SQLiteJournal(tmp_path / "sessions.sqlite3") as opened:
        yield opened


async def verify(token: str) -> str | None:
    return "bob" if token else None


def wait_elsewhere(journal: Journal, *steps: object, wire: Wire | None = None) -> str:
    """A run of another process that waits for a person; gives its session."""
    agent = agent_of(*steps, wire=wire, waits=True)  # type: ignore[arg-type]
    return agent.ask("Change something.", journal=journal).session


def test_the_next_message_allows_what_was_shown_and_the_run_goes_on(journal: Journal) -> None:
    wire = Wire()
    session = wait_elsewhere(journal, remove(), WORDS, wire=wire)
    (question,) = journal.questions()
    with serving(door(agent_of(WORDS)), journal=journal, person="ada") as running:
        chat = Chat(running.url)
        shown = chat.ask(COMMAND)
        assert "DELETE https://api.example.test/films/7" in shown
        assert question.request_hash[:12] in shown
        assert session in chat.ask("yes")
    kept = journal.question(question.id)
    assert kept is not None
    assert (kept.answer, kept.by) == (True, "ada")
    assert wire.methods() == []
    agent_of(remove(), WORDS, wire=wire).ask(journal=journal, resume=session)
    assert wire.methods() == ["DELETE"]


def test_any_other_message_leaves_it_open(journal: Journal) -> None:
    wait_elsewhere(journal, remove(), WORDS)
    with serving(door(agent_of(WORDS)), journal=journal, person="ada") as running:
        chat = Chat(running.url)
        chat.ask(COMMAND)
        chat.ask("Never mind.")
        # The yes of another chat is none on it either.
        Chat(running.url).ask("yes")
    assert len(journal.questions()) == 1


def test_several_are_asked_one_after_another(journal: Journal) -> None:
    wait_elsewhere(journal, remove(), WORDS)
    wait_elsewhere(journal, Question("Which colour?", schema={"enum": ["red", "blue"]}), WORDS)
    wait_elsewhere(journal, note("x"), WORDS)
    with serving(door(agent_of(WORDS)), journal=journal, person="ada") as running:
        chat = Chat(running.url)
        chat.ask(COMMAND)
        assert "Which colour?" in chat.ask("no")
        assert "POST" in chat.ask("blue")
        assert chat.ask("yes").count("answered") == 3
        assert chat.ask(COMMAND) == "No run waits for anybody."
    answers = [question.answer for question in journal.questions(is_all=True)]
    assert answers == [False, "blue", True]


def test_ag_ui_has_them_as_interrupts(journal: Journal) -> None:
    wait_elsewhere(journal, remove(), WORDS)
    (question,) = journal.questions()
    with serving(door(agent_of(WORDS)), journal=journal, person="ada") as running:
        thread = Thread(running)
        asked = interrupt(thread.ask(COMMAND))
        assert asked["metadata"]["hash"] == question.request_hash
        assert "answered" in words(thread.answer(asked["id"], YES))
    assert journal.questions() == ()


def test_a_server_with_several_users_shows_nothing_of_them(journal: Journal) -> None:
    wait_elsewhere(journal, remove(), WORDS)

    def of_bob(app: ASGIApp) -> ASGIApp:
        return TokenAccess(app, verify, lambda _: Response(status_code=401))

    with serving(door(agent_of(WORDS)), journal=journal, person="ada", wrap=of_bob) as running:
        assert "several users" in Chat(running.url).ask(COMMAND)
    assert len(journal.questions()) == 1


def test_where_nobody_answers_it_is_a_message_like_others(journal: Journal) -> None:
    wait_elsewhere(journal, remove(), WORDS)
    with serving(door(agent_of(WORDS)), journal=journal) as running:
        assert "DELETE" not in Chat(running.url).ask(COMMAND)
