"""What runs wait for elsewhere, answered by the person at a client of MCP, and by no model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.mcp.test_agent_tools import DELETING, model_calling, serving_agent
from tests.support.mcp.over_http import FORMS, over_http
from tests.support.mcp.serving import Person, call, says, talk, texts

import restwright as rw
from restwright.agents.journal.sqlite import SQLiteJournal
from restwright.agents.journal.store import Journal
from restwright.calls.auth.connection import Connection
from restwright.mcp.access import SharedToken
from restwright.mcp.http import HTTPAccess
from restwright.net.secret import Secret

NAME = "answer_open_questions"


def wait_elsewhere(api: Any, folder: Path, journal: Journal) -> str:
    """A run of another process that waits to be allowed a write; gives its session."""
    tools = rw.catalog(rw.load(api.write(folder), alias="nodes"))
    agent = rw.Agent(
        tools,
        model=model_calling(DELETING)(None),
        kind="calling",
        connections={"nodes": Connection(server=api.url, auth=None)},
        waits=True,
    )
    return agent.ask("Delete node 7.", journal=journal).session


def test_it_is_a_tool_beside_agents_that_are_kept(api, tmp_path, era):
    with SQLiteJournal(tmp_path / "s.sqlite3") as journal:
        served = serving_agent(api, tmp_path, model_calling(), journal=journal)
        listed = talk(served, era, lambda each: each.list_tools()).tools
        assert NAME in {tool.name for tool in listed}
    served = serving_agent(api, tmp_path, model_calling())
    assert NAME not in {
        tool.name for tool in talk(served, era, lambda each: each.list_tools()).tools
    }


def test_a_person_is_shown_what_would_be_sent_and_allows_that(api, tmp_path, era):
    with SQLiteJournal(tmp_path / "s.sqlite3") as journal:
        session = wait_elsewhere(api, tmp_path, journal)
        (question,) = journal.questions()
        person = Person()
        served = serving_agent(api, tmp_path, model_calling(), journal=journal)
        (told,) = texts(call(served, era, NAME, {}, person))
        assert [f"DELETE {api.url}/nodes/7" in asked for asked in person.asked] == [True]
        assert f"{session}): answered: allowed" in told
        kept = journal.question(question.id)
        assert kept is not None
        assert (kept.answer, kept.by) == (True, "the user of a client")
        assert api.seen == []
        served = serving_agent(api, tmp_path, model_calling(), journal=journal)
        assert texts(call(served, era, NAME, {}, person)) == ["No run waits for anybody."]


def test_without_a_yes_it_is_refused_and_without_a_form_it_stays_open(api, tmp_path, era):
    with SQLiteJournal(tmp_path / "s.sqlite3") as journal:
        wait_elsewhere(api, tmp_path, journal)
        served = serving_agent(api, tmp_path, model_calling(), journal=journal)
        (told,) = texts(call(served, era, NAME, {}, None))
        assert "restwright sessions answer" in told
        (question,) = journal.questions()
        served = serving_agent(api, tmp_path, model_calling(), journal=journal)
        (told,) = texts(call(served, era, NAME, {}, Person(says(yes=False))))
        assert "answered: refused" in told
        kept = journal.question(question.id)
        assert kept is not None
        assert kept.answer is False


def test_a_model_answers_nothing(api, tmp_path, era):
    with SQLiteJournal(tmp_path / "s.sqlite3") as journal:
        wait_elsewhere(api, tmp_path, journal)
        (question,) = journal.questions()
        for given in ({"answer": True}, {question.id: "yes"}):
            served = serving_agent(api, tmp_path, model_calling(), journal=journal)
            assert call(served, era, NAME, given, Person()).is_error
        assert journal.questions() == (question,)


def test_nobody_of_several_users_sees_what_runs_wait_for(api, tmp_path):
    with SQLiteJournal(tmp_path / "s.sqlite3") as journal:
        wait_elsewhere(api, tmp_path, journal)
        served = serving_agent(api, tmp_path, model_calling(), journal=journal)
        with over_http(served, HTTPAccess(verifier=SharedToken(Secret("t")))) as running:
            given = {"name": NAME, "arguments": {}}
            headers = {"authorization": "Bearer t"}
            told = running.ask("tools/call", given, headers, FORMS)
            assert "has several users" in told.text
            assert "/nodes/7" not in told.text
        assert len(journal.questions()) == 1
