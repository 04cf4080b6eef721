"""The tools of a server: in a catalog, checked, approved by policy, called; in both eras."""

from __future__ import annotations

import os

import pytest

import restwright as rw
from restwright.calls.questions import answer_questions
from restwright.errors import ServerUnavailable
from restwright.mcp_client.settings import ServerLimits
from restwright.policy import ALLOW, READ_ONLY


def test_its_tools_are_a_namespace(start, era):
    made = start(era=era).catalog
    assert [*made] == [
        *("notes__read_note", "notes__write_note", "notes__drop_note", "notes__grow_tree"),
        *("notes__show_environment", "notes__ask", "notes__ask_password", "notes__ask_model"),
    ]
    assert made["notes__read_note"].description == "Read\n\nIt is read_note."
    assert [found.name for found in made.search("write a note", k=1)] == ["notes__write_note"]


def test_a_call_is_checked_sent_and_answered(start, era, calls):
    tool = start(era=era).catalog["notes__grow_tree"]
    wrong = rw.call(tool, {"tree": {"child": {"size": "big"}}}, policy=ALLOW)
    assert wrong.kind == "mismatch"
    assert "/tree/child/size: expected an integer" in wrong.text
    assert not calls.exists()
    given = rw.call(tool, {"tree": {"child": {"size": 2}}}, policy=ALLOW)
    assert (given.kind, given.value, given.effect) == (
        "ok",
        'grow_tree {"tree": {"child": {"size": 2}}}',
        "done",
    )
    assert given.has_server_text


def test_an_error_of_the_tool_is_told_to_the_model(start, era):
    failed = rw.call(start(era=era).catalog["notes__drop_note"], {}, policy=ALLOW)
    assert failed.kind == "no_response"
    assert failed.text.startswith("there is no such note")
    assert failed.effect == "unknown"


def test_a_claim_to_read_is_planned_with_and_asked_about(start):
    made = start().catalog
    read, write, drop = (made[f"notes__{name}_note"] for name in ("read", "write", "drop"))
    policy = rw.Policy()
    assert [policy.class_of(tool) for tool in (read, write, drop)] == [
        *("read", "write", "destructive")
    ]
    assert [policy.decision(tool) for tool in (read, write, drop)] == ["ask"] * 3
    assert READ_ONLY.decision(read) == "refuse"
    assert rw.call(read, {}).kind == "refused"
    asked = []
    rw.call(read, {"name": "a"}, approve=lambda tool, request: not asked.append(request))
    assert [(request.url, request.body) for request in asked] == [
        ("function:notes__read_note", b'{"name":"a"}')
    ]


def test_the_user_may_believe_a_claim(start):
    trusted = start(trust_hints=True).catalog
    assert [rw.Policy().decision(tool) for tool in trusted.tools][:3] == ["allow", "ask", "ask"]
    named = rw.Policy(tools={"notes__read_*": "read"})
    assert named.decision(start().catalog["notes__read_note"]) == "allow"


def test_after_another_api_was_read_a_claim_is_asked_about(start):
    tool = start().catalog["notes__read_note"]
    assert ALLOW.after_reading(tool, ["shop"]).decision(tool) == "ask"


def test_a_process_has_a_named_environment(start, monkeypatch):
    monkeypatch.setenv("NOT_FOR_SERVERS", "hunter2")
    monkeypatch.setenv("NOTES_TOKEN", "t0ps3cret")
    tool = start(env={"TOKEN": "env:NOTES_TOKEN", "PLAIN": "yes"}).catalog[
        "notes__show_environment"
    ]
    given = rw.call(tool, {}, policy=ALLOW).value
    assert given["PLAIN"] == "yes"
    assert given["TOKEN"] == "***"
    assert given["PATH"] == os.environ["PATH"]
    assert "NOT_FOR_SERVERS" not in given


def test_a_question_is_put_to_the_user(start, era):
    asked = []

    def answer(question):
        asked.append(question)
        return {"size": 7}

    with answer_questions(answer):
        given = rw.call(start(era=era).catalog["notes__ask"], {}, policy=ALLOW)
    assert given.value == {"action": "accept", "content": {"size": 7}}
    assert [question.tool for question in asked] == ["notes__ask"]
    assert asked[0].text == "The server notes asks (what you say goes to it): Which size?"


@pytest.mark.parametrize(
    ("said", "action"), [(None, "cancel"), ({"size": "big"}, "decline"), (True, "decline")]
)
def test_what_is_no_answer_is_none(start, era, said, action):
    with answer_questions(lambda question: said):
        given = rw.call(start(era=era).catalog["notes__ask"], {}, policy=ALLOW)
    assert given.value["action"] == action


def test_nobody_is_asked_for_a_password(start, era):
    def answer(question):
        raise AssertionError(question)

    with answer_questions(answer):
        given = rw.call(start(era=era).catalog["notes__ask_password"], {}, policy=ALLOW)
    assert given.value == {"action": "decline"}


def test_nobody_writes_for_a_server(start):
    modern = rw.call(start(era="modern").catalog["notes__ask_model"], {}, policy=ALLOW)
    assert "asks for sampling, which is not allowed" in modern.text
    legacy = rw.call(start(era="legacy").catalog["notes__ask_model"], {}, policy=ALLOW)
    assert legacy.value == "refused"


def test_one_bad_tool_costs_that_tool(start, era):
    server = start("bad", era)
    assert [*server.catalog] == [
        *("notes__good", "notes__twice", "notes__far", "notes__poison"),
    ]
    errors = [problem.pointer for problem in server.problems if problem.severity == "error"]
    assert errors == [
        *("/tools/text", "/tools/list", "/tools/twice", "/tools/3"),
        *(f"/tools/{'x' * 128}", "/tools/[31mred"),
    ]
    warned = [problem for problem in server.problems if problem.severity == "warning"]
    assert [problem.pointer for problem in warned] == ["/tools/poison"]
    assert server.catalog["notes__poison"].description == "Read it ."


def test_what_is_no_message_costs_nothing(start, era):
    given = rw.call(start("noisy", era).catalog["notes__write_note"], {}, policy=ALLOW)
    assert given.value == "[a content of the unknown type video is left out]"


def test_a_list_without_end_ends(start):
    server = start("endless", limits={"pages": 5})
    assert [tool.name for tool in server.tools] == ["t1", "t2", "t3", "t4", "t5"]
    assert "its list has more than 5 pages" in [problem.what for problem in server.problems]


def test_a_line_without_end_ends_the_connection(start):
    tool = start("huge", limits={"line_bytes": 1_000_000}).catalog["notes__write_note"]
    assert "ended before it answered" in rw.call(tool, {}, policy=ALLOW).text


def test_a_call_that_is_not_answered_ends(start):
    tool = start("silent", limits={"call_s": 0.5}).catalog["notes__write_note"]
    silent = rw.call(tool, {}, policy=ALLOW)
    assert (silent.kind, silent.effect) == ("no_response", "unknown")
    assert "no result came within" in silent.text


def test_after_a_crash_a_read_is_repeated_and_a_write_is_not(start, calls):
    made = start("crash once").catalog
    assert rw.call(made["notes__read_note"], {}, policy=ALLOW).value == "read_note {}"
    assert calls.read_text().count("read_note") == 2
    lost = rw.call(made["notes__write_note"], {}, policy=ALLOW)
    assert (lost.kind, lost.effect) == ("no_response", "unknown")
    assert calls.read_text().count("write_note") == 1
    assert rw.call(made["notes__write_note"], {}, policy=ALLOW).ok


def test_a_process_is_started_again_so_often(start, calls):
    tool = start("crash", limits={"restarts": 1}).catalog["notes__write_note"]
    texts = [rw.call(tool, {}, policy=ALLOW).text for _ in range(3)]
    assert "it ended too often" in texts[2]
    assert calls.read_text().count("write_note") == 2


def test_a_tool_that_is_another_now_is_not_called(start, calls):
    server = start("rug")
    tool = server.catalog["notes__read_note"]
    assert tool.description == "Version 0."
    assert rw.call(tool, {}, policy=ALLOW).ok
    server._opened.connection.close()
    changed = rw.call(tool, {}, policy=ALLOW)
    assert "is not what it was when it was listed" in changed.text
    assert calls.read_text().splitlines() == ["list", "read_note {}", "list"]


def test_after_a_word_of_change_the_list_is_read_again(start):
    tool = start("changing").catalog["notes__write_note"]
    assert rw.call(tool, {}, policy=ALLOW).ok
    assert rw.call(tool, {}, policy=ALLOW).ok


@pytest.mark.parametrize(
    ("kind", "why"), [("version", "1999-01-01"), ("loud", "it said: no licence")]
)
def test_a_server_that_cannot_be_used_says_why(start, kind, why):
    with pytest.raises(ServerUnavailable, match=why):
        start(kind)


def test_a_program_that_is_not_there(tmp_path):
    with pytest.raises(ServerUnavailable, match="No such file"):
        rw.mcp([str(tmp_path / "none")], name="none")


def test_a_closed_server_is_not_called(start):
    server = start()
    tool = server.catalog["notes__read_note"]
    server.close()
    assert "it is closed" in rw.call(tool, {}, policy=ALLOW).text


def test_the_package_of_this_name_is_the_function(start):
    import restwright.mcp

    assert restwright.mcp is rw.mcp or callable(rw.mcp)
    with pytest.raises(rw.RestwrightError, match="is no name of a server"):
        restwright.mcp("true", name="No Name")


def test_limits_have_names():
    assert ServerLimits().pages == 100
