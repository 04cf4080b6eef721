"""`ask` with a journal: `--resume`, `--human`, limits; and `sessions`."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from restwright.agents.agent import KINDS, Agent
from restwright.agents.journal.sqlite import SQLiteJournal
from restwright.agents.journal.store import SessionHeader
from restwright.agents.steps import (
    Call,
    Complete,
    Completion,
    Conclusion,
    Message,
    NoAnswer,
    Question,
    Steps,
    UserAnswer,
)
from restwright.calls.response.result import Result
from restwright.testing import ScriptedModel


def loop(agent: Agent, question: str) -> Steps[Conclusion]:
    """A call, a question to the user, and a word of the model."""
    del agent
    result = yield Call(tool="things__list_things", arguments={})
    assert isinstance(result, Result)
    said = yield Question("Which colour?", name="colour", schema={"enum": ["teal", "red"]})
    if isinstance(said, NoAnswer):
        return Conclusion(text="", stopped="question", reason=said.why)
    assert isinstance(said, UserAnswer)
    yield Complete(role="answer", messages=(Message("user", question),))
    return Conclusion(text=f"{question} {said.value}, {len(result.value)}")


@pytest.fixture
def asked(
    restwright, things: str, server, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., object]:
    """Run `ask` with a loop and a model of ours."""

    restwright.find_model(lambda *_: ScriptedModel(["done"]))
    monkeypatch.setattr("restwright.agents.agent.KINDS", {**KINDS, "react": loop})

    def run(*argv: str, stdin: str = ""):
        api = ("-a", f"things={things}", "--server", server.url)
        return restwright("ask", *argv, *api, "--agent", "react", stdin=stdin)

    return run


@pytest.fixture
def human(tmp_path: Path) -> str:
    path = tmp_path / "human.json"
    path.write_text('{"colour": "teal"}', "utf-8")
    return str(path)


def test_without_a_terminal_a_question_stops_the_run_and_a_file_answers_it_later(
    asked, restwright, human, server
) -> None:
    ended = asked("Things?", "--json")
    assert (ended.code, ended.json["stopped"]) == (3, "question")
    assert ended.json["reason"] == "nobody is there to answer: Which colour?"
    session = ended.json["session"]
    again = asked("--resume", session, "--human", human)
    assert (again.code, again.out) == (0, "Things? teal, 1\n")
    assert len(server.requests) == 1
    listed = restwright("sessions", "list", "--json").json["sessions"]
    assert [(each["id"], each["stopped"], each["question"]) for each in listed] == [
        (session, "answered", "Things?")
    ]


def test_a_stopped_run_says_how_to_go_on(asked) -> None:
    ended = asked("Things?")
    line = ended.err.splitlines()[-1]
    assert line.startswith("session  ")
    assert line.endswith(f"to go on with --resume {line.split()[1].rstrip(',')}")


def test_the_person_at_the_terminal_answers(asked, restwright) -> None:
    restwright.surroundings = replace(restwright.surroundings, is_terminal=lambda: True)
    ended = asked("Things?", stdin="blue\nteal\n")
    assert (ended.code, ended.out) == (0, "Things? teal, 1\n")
    assert "Which colour?\nanswer (teal | red): That does not fit.\n" in ended.err


def test_an_empty_line_answers_nothing(asked, restwright) -> None:
    restwright.surroundings = replace(restwright.surroundings, is_terminal=lambda: True)
    ended = asked("Things?", "--json", stdin="\n")
    assert ended.json["reason"] == "the user gave no answer to: Which colour?"


def test_nothing_is_kept_where_that_is_not_wanted(asked, restwright, human) -> None:
    ended = asked("Things?", "--no-journal", "--human", human, "--json")
    assert "session" not in ended.json
    listed = restwright("sessions", "list", "--json").json
    assert listed == {"sessions": [], "conversations": []}


def test_what_is_used_is_said_by_role_and_by_api(asked, human) -> None:
    usage = asked("Things?", "--human", human, "--json").json["usage"]
    assert list(usage["roles"]) == ["answer"]
    assert (usage["apis"], usage["cost"]) == ({"things": 1}, None)
    assert "role     answer: 1 model call, " in asked("Things?", "--human", human, "-v").err


def test_a_session_is_exported_and_deleted(asked, restwright) -> None:
    session = asked("Things?", "--json").json["session"]
    head, *events = map(json.loads, restwright("sessions", "export", session).out.splitlines())
    assert (head["session"], head["stopped"]) == (session, "question")
    steps = [each["data"]["step"] for each in events if each["event"] == "step"]
    assert steps == ["call", "question"]
    assert restwright("sessions", "export", session, "--json").json["events"] == events
    assert restwright("sessions", "list").out.split("\t")[3:] == ["Things?", "1\n"]
    assert restwright("sessions", "delete", session).out == "1 session deleted\n"
    ended = restwright("sessions", "export", session)
    assert (ended.code, ended.out) == (1, "")
    assert "there is no session of that id" in ended.err
    assert restwright("sessions", "delete", "--every", "--json").json == {"sessions": 0}


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        ((), "a QUESTION is needed, or --resume"),
        (("?", "--resume", "x"), "--resume goes on with its own question"),
        (("--resume", "x", "--no-journal"), "exclude each other"),
        (("?", "--human", "absent.json"), "No such file"),
    ],
    ids=["nothing asked", "two questions", "no journal", "no file"],
)
def test_what_makes_no_sense_is_a_usage_error(asked, argv, said) -> None:
    ended = asked(*argv)
    assert (ended.code, ended.out) == (2, "")
    assert said in ended.err


def test_sessions_to_delete_are_named(restwright) -> None:
    assert restwright("sessions", "delete").code == 2
    assert restwright("sessions", "delete", "x", "--every").code == 2


@pytest.mark.parametrize("text", ["[1]", "{"])
def test_a_file_of_answers_is_a_json_object(asked, tmp_path, text) -> None:
    path = tmp_path / "bad.json"
    path.write_text(text, "utf-8")
    assert asked("?", "--human", str(path)).code == 2


def test_an_interrupted_run_says_how_to_go_on(asked, restwright, human) -> None:
    class Interrupted(ScriptedModel):
        def complete(self, request: Complete, *, deadline_s: float) -> Completion:
            raise KeyboardInterrupt

    restwright.find_model(lambda *_: Interrupted([]))
    ended = asked("Things?", "--human", human)
    assert ended.code == 130
    (session,) = restwright("sessions", "list", "--json").json["sessions"]
    assert f"--resume {session['id']}" in ended.err
    assert session["stopped"] is None


def test_a_damaged_session_is_listed_exported_and_deleted_as_that(restwright) -> None:
    opening = SessionHeader(question="Whole?", agent="rest", model="m", apis={})
    with SQLiteJournal() as journal:
        whole, hit = journal.start(opening), journal.start(opening)
        whole.release()
        hit.release()
        journal.change("update sessions set question = '\"ha' where id = ?", (hit.id,))
    listed = restwright("sessions", "list")
    assert listed.code == 0
    assert "Whole?" in listed.out
    (line,) = (each for each in listed.out.splitlines() if hit.id in each)
    assert "damaged" in line
    records = restwright("sessions", "list", "--json").json["sessions"]
    assert {each["id"]: each.get("is_damaged") for each in records} == {
        hit.id: True,
        whole.id: None,
    }
    assert '"ha' in json.loads(restwright("sessions", "export", hit.id).out)["question"]
    assert "1 session deleted" in restwright("sessions", "delete", hit.id).out
