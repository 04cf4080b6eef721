"""The slash commands of SlashGPT, and its autotests."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.support.manifests.fixtures import (
    CALENDAR,
    CALENDAR_FUNCTIONS,
    CURRENCY,
    DISPATCHER,
    EVENT,
    folder,
    resource,
)
from tests.support.manifests.stub import calling, saying

from restwright.jsontypes import JsonObject
from restwright.manifests.slashgpt.commands import (
    SLASHGPT_COMMANDS,
    CommandResult,
    Stage,
    run_slashgpt_command,
)
from restwright.manifests.slashgpt.session import SessionOptions
from restwright.manifests.slashgpt.stage import open_slash_stage
from restwright.testing import RecordingTransport, Reply, ScriptedModel, reply


def on(tmp_path: Path, *replies: Reply, agent: str = "currency", **more: object) -> Stage:
    place = folder(tmp_path, dispatcher=DISPATCHER, currency=CURRENCY, cal=CALENDAR)
    resource(tmp_path, "functions/calendar.json", CALENDAR_FUNCTIONS)
    resource(tmp_path, "event.ics", EVENT)
    terms = SessionOptions(model=ScriptedModel(replies), **more)  # type: ignore[arg-type]
    return open_slash_stage(place, terms, agent=agent)


def done(at: Stage, line: str) -> CommandResult:
    found = run_slashgpt_command(at, line)
    assert found is not None
    return found


def test_every_command_says_something_and_is_in_the_help(tmp_path: Path) -> None:
    at = on(tmp_path)
    said = done(at, "/help").text
    for name in SLASHGPT_COMMANDS:
        assert f"/{name}: " in said
        assert done(at, f"/{name}").text


def test_what_has_no_slash_is_said_to_the_agent(tmp_path: Path) -> None:
    at = on(tmp_path)
    assert run_slashgpt_command(at, "xsample of a text") is None
    assert run_slashgpt_command(at, "//comment") is None


def test_samples_are_listed_and_said(tmp_path: Path) -> None:
    at = on(tmp_path)
    assert done(at, "/samples").text == "/sample: How many yen is a dollar?"
    assert done(at, "/sample").message == "How many yen is a dollar?"
    assert done(at, "/sample cal").message == "Meet Tim"
    assert not done(at, "/sample9").is_ok
    assert not done(at, "/sample nobody").is_ok


def test_an_agent_is_entered_by_its_name_and_greets(tmp_path: Path) -> None:
    at = on(tmp_path)
    assert done(at, "/cal").text == "Calendar: Which event?"
    assert at.session.current == "cal"
    wrong = done(at, "/curency")
    assert (wrong.is_ok, "/currency" in wrong.text) == (False, True)


def test_what_was_said_can_be_carried_over(tmp_path: Path) -> None:
    at = on(tmp_path, saying("hi"))
    at.session.ask("hello")
    done(at, "/cal -chain")
    assert [each.text for each in at.session.history] == ["hello", "hi"]


def test_the_history_is_shown_and_popped(tmp_path: Path) -> None:
    at = on(tmp_path, saying("hi"), saying("so"))
    at.session.ask("hello")
    at.session.ask("and?")
    assert done(at, "/history").text.splitlines()[:2] == ["user: hello", "assistant: hi"]
    assert done(at, "/history pop").text == "2 messages are forgotten"
    assert len(at.session.history) == 2
    done(at, "/new")
    assert done(at, "/history").text == "nothing was said yet"


def test_a_chat_is_kept_shown_and_taken_up_again(tmp_path: Path) -> None:
    call = calling("convert", {"from": "a"})
    at = on(tmp_path, call, saying("hi"))
    at.session.ask("hello")
    before = at.session.history
    done(at, "/new")
    assert done(at, "/import").text == "1: currency"
    assert "user: hello" in done(at, "/import 1 show").text
    assert json.loads(json.dumps(at.saved)) == at.saved
    done(at, "/cal")
    assert done(at, "/import 1").text == "Currency goes on"
    assert at.session.history == before
    assert not done(at, "/import 7").is_ok


def test_prompt_functions_and_manifest_are_shown(tmp_path: Path) -> None:
    at = on(tmp_path)
    assert done(at, "/prompt").text.startswith("You convert currency values.")
    assert done(at, "/functions").text.startswith("convert: Convert one currency to another")
    assert '"title": "Currency"' in done(at, "/manifest").text
    assert '"title": "Calendar"' in done(at, "/help cal").text


def test_the_model_is_chosen_by_its_name(tmp_path: Path) -> None:
    other = ScriptedModel([saying("there")], name="other")
    at = on(tmp_path, saying("here"), model_for=lambda _: other)
    at.session.ask("x")
    assert done(at, "/llm").text.startswith("the model is scripted")
    assert "not served any more" in done(at, "/llm gpt3").text
    assert done(at, "/llm other").text == "the model is other"
    assert at.session.ask("y").text == "there"
    assert len(at.session.history) == 4


def test_manifests_are_read_again(tmp_path: Path) -> None:
    at = on(tmp_path)
    file = tmp_path / "manifests" / "main" / "currency.json"
    file.write_text(json.dumps(CURRENCY | {"title": "New"}), "utf-8")
    assert done(at, "/reload").text == "read again: New"
    file.write_text("{", "utf-8")
    assert done(at, "/reload").text.startswith("read again: ")
    assert at.session.current == "cal"


def test_another_set_is_switched_to(tmp_path: Path) -> None:
    at = on(tmp_path)
    other = tmp_path / "manifests" / "other"
    other.mkdir()
    (other / "b.yml").write_text("title: B\nprompt: be\n", "utf-8")
    sets = {name: {"manifests_dir": f"manifests/{name}"} for name in ("main", "other")}
    (tmp_path / "manifests" / "manifests.json").write_text(json.dumps(sets), "utf-8")
    done(at, "/reload")
    assert done(at, "/switch").text.splitlines() == ["main: main", "other: other"]
    assert done(at, "/switch other").text == "B"
    assert list(at.session.speakers) == ["b"]
    assert not done(at, "/switch none").is_ok


def test_the_end_is_said(tmp_path: Path) -> None:
    assert done(on(tmp_path), "/bye").is_end


def autotest(tmp_path: Path, messages: list[JsonObject], *replies: Reply) -> CommandResult:
    send = RecordingTransport(lambda _: reply(200, {"result": 146}))
    at = on(tmp_path, *replies, agent="dispatcher", send=send)
    (tmp_path / "test").mkdir()
    (tmp_path / "test" / "default.json").write_text(json.dumps({"messages": messages}), "utf-8")
    return done(at, "/autotest")


def test_an_autotest_looks_at_where_a_sample_of_another_agent_went(tmp_path: Path) -> None:
    line: JsonObject = {"agent": "dispatcher", "message": "/sample currency"}
    there = calling("categorize", {"question": "yen?", "category": "currency"})
    elsewhere = calling("categorize", {"question": "yen?", "category": "cal"})
    replies = (there, saying("146"), elsewhere, saying("no"))
    found = autotest(tmp_path, [line, line], *replies)
    assert not found.is_ok
    assert found.text.splitlines() == [
        "dispatcher: /sample currency: ok",
        "dispatcher: /sample currency: FAILED (it went to cal, not to currency)",
        "1 of 2 as expected",
    ]


@pytest.mark.parametrize(
    ("expect", "is_ok"),
    [
        ({"calls": [{"tool": "convert", "arguments": {"from": "USD"}}], "contains": "146"}, True),
        ({"calls": [{"tool": "convert", "arguments": {"from": "EUR"}}]}, False),
        ({"contains": "147"}, False),
        ({"agent": "cal"}, False),
    ],
)
def test_an_autotest_may_say_what_it_expects(
    tmp_path: Path, expect: JsonObject, is_ok: bool
) -> None:
    line: JsonObject = {"agent": "currency", "messages": ["/sample"], "expect": expect}
    call = calling("convert", {"from": "USD", "to": "JPY", "amount": "1"})
    assert autotest(tmp_path, [line], call, saying("146")).is_ok is is_ok


def test_an_autotest_names_what_is_not_there(tmp_path: Path) -> None:
    lines: list[JsonObject] = [
        {"agent": "nobody", "message": "x"},
        {"agent": "currency", "message": "/sample7"},
        {"agent": "currency", "message": "/audio"},
    ]
    found = autotest(tmp_path, lines)
    assert "there is no such agent" in found.text
    assert "there is no sample sample7" in found.text
    assert found.text.endswith("1 of 3 as expected")
    assert not done(on(tmp_path / "x"), "/autotest ../../etc").is_ok
