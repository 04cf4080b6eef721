"""`sessions` where runs are turns of a chat."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from restwright.agents.agent import Agent
from restwright.agents.conversation import Conversation
from restwright.agents.events import Event
from restwright.agents.journal.sqlite import SQLiteJournal
from restwright.agents.steps import Conclusion, Say, Steps
from restwright.openapi.api import load
from restwright.testing import ScriptedModel, document
from restwright.tools.catalog.catalog import catalog

LONG = "Which of them " * 20


def loop(agent: Agent, question: str) -> Steps[Conclusion]:
    del agent
    yield Say(Event("note", question))
    if question == "stop":
        raise KeyboardInterrupt
    return Conclusion(text="yes")


@pytest.fixture
def kept(home: Path) -> list[str]:
    """The sessions of a chat of three turns, and that of an `ask` before it."""
    del home
    agent = Agent(catalog(load(document({}), alias="a")), model=ScriptedModel([]), kind=loop)
    with SQLiteJournal() as journal:
        alone = agent.ask("alone", journal=journal).session
        conversation = Conversation(agent, journal)
        for question in (LONG, "undone", "stop"):
            with suppress(KeyboardInterrupt):
                conversation.ask(question)
        sessions = [each.session for each in conversation.turns]
        journal.mark_turn_undone(sessions[1])
    return [*sessions, alone]


Kept = list[str]


def lines(ended: Any) -> list[list[str]]:
    assert ended.code == 0
    return [each.split("\t") for each in ended.out.splitlines()]


def test_a_chat_is_one_line_with_its_first_question_and_how_its_last_turn_ended(
    restwright, kept: Kept
) -> None:
    ended = restwright("sessions", "list")
    chat, alone = lines(ended)
    assert [chat[0], *chat[2:]] == [kept[0], "-", f"{LONG[:100]}...", "2"]
    assert [alone[0], *alone[2:]] == [kept[3], "answered", "alone", "1"]
    assert "2 conversations, 4 sessions in " in ended.err


def test_the_turns_of_a_chat_are_shown_by_the_id_of_any_of_them(restwright, kept: Kept) -> None:
    first, undone, stopped, alone = kept
    shown = restwright("sessions", "show", first)
    assert [[*each[:2], *each[3:]] for each in lines(shown)] == [
        ["1", first, "answered", LONG.strip()],
        ["2", undone, "undone", "undone"],
        ["3", stopped, "-", "stop"],
    ]
    assert restwright("sessions", "show", stopped).out == shown.out
    assert lines(restwright("sessions", "show", alone))[0][:2] == ["1", alone]
    assert restwright("sessions", "show", "nothing").code == 1


def test_as_json_every_session_is_there_and_says_where_it_belongs(restwright, kept: Kept) -> None:
    first, undone, stopped, alone = kept
    listed = restwright("sessions", "list", "--json").json
    places = {each["id"]: (each["conversation"], each["turn"]) for each in listed["sessions"]}
    assert places == {first: (first, 1), undone: (first, 2), stopped: (first, 3), alone: (alone, 1)}
    assert [each["id"] for each in listed["sessions"]] == [stopped, undone, first, alone]
    keys = {"id", "started", "stopped", "events", "question", "agent", "model", "apis"}
    assert all(keys <= {*each} for each in listed["sessions"])
    assert [each["turns"] for each in listed["conversations"]] == [[first, stopped], [alone]]
    shown = restwright("sessions", "show", first, "--json").json
    assert (shown["conversation"], [each["is_undone"] for each in shown["turns"]]) == (
        first,
        [False, True, False],
    )


@pytest.mark.parametrize(
    ("argv", "turns"),
    [
        (lambda kept: (kept[0],), [1, 2, 3]),
        (lambda kept: (kept[0], "--turn", "1"), [1]),
        (lambda kept: (kept[0], "--turn", "3"), [3]),
        (lambda kept: (kept[2],), [3]),
    ],
    ids=["all", "the first", "by number", "by id"],
)
def test_a_chat_or_a_turn_of_it_is_exported_and_deleted(
    restwright, kept: Kept, argv: Callable[[Kept], tuple[str, ...]], turns: list[int]
) -> None:
    named = argv(kept)
    exported = [
        json.loads(each) for each in restwright("sessions", "export", *named).out.splitlines()
    ]
    assert [each["turn"] for each in exported if "session" in each] == turns
    assert len(exported) == 2 * len(turns)
    whole = restwright("sessions", "export", *named, "--json").json
    assert (whole["turn"], len(whole["events"])) == (turns[0], 1)
    assert len(whole.get("turns", [whole])) == len(turns)

    said = restwright("sessions", "delete", *named).out
    assert said == f"{len(turns)} session{'s' * (len(turns) > 1)} deleted\n"
    left = restwright("sessions", "list", "--json").json["sessions"]
    assert {each["id"] for each in left} == {*kept} - {kept[each - 1] for each in turns}


def test_a_chat_whose_first_turn_was_deleted_is_found_by_its_id(restwright, kept: Kept) -> None:
    restwright("sessions", "delete", kept[0], "--turn", "1")
    assert lines(restwright("sessions", "list"))[0][0] == kept[0]
    assert [each[0] for each in lines(restwright("sessions", "show", kept[0]))] == ["2", "3"]
    assert restwright("sessions", "delete", kept[0]).out == "2 sessions deleted\n"


def test_what_is_not_there_is_an_error_or_deletes_nothing(restwright, kept: Kept) -> None:
    ended = restwright("sessions", "export", kept[0], "--turn", "9")
    assert (ended.code, ended.out) == (1, "")
    assert "it has no turn 9" in ended.err
    assert restwright("sessions", "delete", "nothing").out == "0 sessions deleted\n"
    assert restwright("sessions", "delete", kept[0], kept[3], "--turn", "1").code == 2
    assert restwright("sessions", "delete", kept[0], kept[2]).out == "3 sessions deleted\n"
