"""`chat`, `run` and `test` with agents of manifests: ours and SlashGPT's."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.support.manifests.desk import DESK, HELLO
from tests.support.manifests.fixtures import (
    CALENDAR,
    CALENDAR_FUNCTIONS,
    DISPATCHER,
    EVENT,
    resource,
)
from tests.support.manifests.fixtures import folder as slash_folder
from tests.support.manifests.stub import calling, saying

from restwright.testing import Reply, ScriptedModel

Scripted = Callable[..., ScriptedModel]
MODULE = "def double(number: int):\n    return 2 * number\n"
DOUBLE = {
    "name": "double",
    "description": "Double a number.",
    "parameters": {"type": "object", "properties": {"number": {"type": "integer"}}},
}
RUNS_CODE = pytest.mark.skipif(sys.platform == "win32", reason="code is refused on Windows")


@pytest.fixture
def scripted(restwright) -> Scripted:
    """Put a model with a script in the place of the one that is named."""

    def put(*script: Reply) -> ScriptedModel:
        model = ScriptedModel(script)

        def chosen(name: str | None, _: str | None) -> ScriptedModel:
            model.name = name or "scripted"
            return model

        restwright.find_model(chosen)
        return model

    return put


def slashgpt(tmp_path: Path) -> Path:
    currency = json.loads(json.dumps(CURRENCY))
    place = slash_folder(tmp_path, dispatcher=DISPATCHER, currency=currency, cal=CALENDAR)
    resource(tmp_path, "functions/calendar.json", CALENDAR_FUNCTIONS)
    resource(tmp_path, "event.ics", EVENT)
    return place


CURRENCY = {
    "title": "Currency",
    "prompt": ["You convert currency values."],
    "sample": "How many yen is a dollar?",
}


def test_a_folder_of_slashgpt_is_a_chat_with_its_commands(restwright, scripted, tmp_path) -> None:
    model = scripted("About 150.")
    place = slashgpt(tmp_path)
    lines = "/currency\n/samples\n/sample\n/history\n/cost\n/bye\nnever said\n"
    ended = restwright("chat", str(place), stdin=lines)
    assert ended.code == 0
    said = ended.out.splitlines()
    assert said[:4] == [
        "Currency",
        "/sample: How many yen is a dollar?",
        "> How many yen is a dollar?",
        "About 150.",
    ]
    assert said[4] == "user: How many yen is a dollar?"
    assert said[-2].split("\t")[:2] == ["all", "1"]
    assert said[-1] == "cost: not known of scripted"
    assert model.left == ()


def test_a_message_of_a_program_may_begin_with_a_path(restwright, scripted, tmp_path) -> None:
    model = scripted("It is a path.")
    ended = restwright("chat", str(slashgpt(tmp_path) / "currency.json"), stdin="/a/b fails\n")
    assert (ended.out, model.asked[0].messages[-1].text) == ("It is a path.\n", "/a/b fails")


def test_an_unknown_command_is_told_and_the_exit_code_says_so(
    restwright, scripted, tmp_path
) -> None:
    scripted()
    ended = restwright("chat", str(slashgpt(tmp_path)), stdin="/currencie\n")
    assert (ended.code, "did you mean /currency" in ended.out) == (1, True)


def test_our_manifest_is_a_chat_with_the_same_commands(restwright, scripted, desk) -> None:
    model = scripted(*HELLO)
    lines = "/functions\n/prompt\n/samples\n/samplehello\n/sample hello\n/tools\n/trace\n"
    ended = restwright("chat", str(desk), stdin=lines)
    assert "greet: Greet somebody." in ended.out
    assert "Be brief." in ended.out
    assert "/sample hello: Greet Ana." in ended.out
    assert "Hello Ana." in ended.out
    assert "desk__hand_over" not in ended.out
    assert "agents__hand_over_to_billing" in ended.out
    assert model.left == ()


def test_our_agents_hand_over_and_the_other_one_listens(restwright, scripted, desk) -> None:
    model = scripted(
        calling("hand_over_to_billing", {"message": "My bill?"}),
        ("answer", "It is paid."),
        ("answer", "Yes."),
    )
    ended = restwright("chat", str(desk), "--json", stdin="My bill?\nReally?\n")
    assert [each["answer"] for each in ended.json["turns"]] == ["It is paid.", "Yes."]
    last = model.asked[-1].messages
    assert last[0].text.startswith("Bills.")
    assert [each.text for each in last[1:-1]] == ["My bill?", "It is paid."]
    assert last[-1].text == "Really?"


def test_a_limit_that_is_given_wins_also_where_it_is_the_usual_one(
    restwright, scripted, desk
) -> None:
    desk.write_text(f"limits: {{model_calls: 1}}\n{DESK}", "utf-8")
    scripted(*HELLO)
    assert restwright("chat", str(desk), stdin="Greet Ana.\n").code == 3
    scripted(*HELLO)
    ended = restwright("chat", str(desk), "--max-model-calls", "60", stdin="Greet Ana.\n")
    assert (ended.code, ended.out) == (0, "Hello Ana.\n")


def test_what_is_for_documents_is_refused_beside_a_manifest(restwright, desk) -> None:
    assert restwright("chat", str(desk), "-a", "things.yaml").code == 2
    assert restwright("chat", str(desk), "--agent", "plan").code == 2
    assert restwright("chat").code == 2
    assert restwright("chat", "--allow-code", "-a", "things.yaml").code == 2
    assert restwright("chat", str(desk), "--notebooks", str(desk.parent)).code == 2


def test_autotests_of_slashgpt_are_run(restwright, scripted, tmp_path) -> None:
    place = slashgpt(tmp_path)
    lines = [
        {"agent": "currency", "message": "/sample"},
        {"agent": "currency", "message": "Again?", "expect": {"contains": "yen"}},
    ]
    (tmp_path / "test").mkdir()
    (tmp_path / "test" / "default.json").write_text(json.dumps({"messages": lines}), "utf-8")
    scripted("150.", "150.")
    ended = restwright("test", str(place))
    assert ended.code == 1
    assert ended.out.splitlines() == [
        "currency: /sample: ok",
        "currency: Again?: FAILED (the answer does not hold 'yen')",
    ]
    scripted("150 yen.", "150 yen.")
    assert restwright("test", str(place), "--json").json["passed"] == 2


def test_samples_are_run_where_there_are_no_autotests(restwright, scripted, tmp_path) -> None:
    place = slashgpt(tmp_path)
    scripted("150.")
    ended = restwright("test", str(place / "currency.json"))
    assert (ended.code, ended.out) == (0, "currency: How many yen is a dollar?: ok\n")
    assert restwright("test", str(place / "currency.json"), "--only", "none").code == 2


@RUNS_CODE
@pytest.mark.parametrize("is_allowed", [False, True])
def test_code_runs_where_it_is_allowed(restwright, scripted, tmp_path, is_allowed: bool) -> None:
    place = slash_folder(
        tmp_path, c={"title": "C", "module": "./resources/d.py", "functions": [DOUBLE]}
    )
    resource(tmp_path, "d.py", MODULE)
    model = scripted(calling("double", {"number": 4}), saying("There."))
    flags = ("--allow-code",) if is_allowed else ()
    ended = restwright("run", str(place / "c.json"), "Twice 4?", *flags)
    assert (ended.code, ended.out) == (0 if is_allowed else 3, "There.\n")
    assert ("\n8\n" in model.asked[-1].messages[-1].text) == is_allowed
    assert ("--allow-code turns it on" in str(model.asked[-1].messages)) != is_allowed


@RUNS_CODE
@pytest.mark.parametrize("is_allowed", [False, True])
def test_a_converted_manifest_runs_with_its_files(
    restwright, scripted, tmp_path, is_allowed: bool
) -> None:
    functions = [DOUBLE, {"name": "say", "description": "Say.", "parameters": {"type": "object"}}]
    given = {
        "title": "C",
        "prompt": ["Count."],
        "sample": "Twice 4?",
        "module": "./resources/d.py",
        "functions": functions,
        "actions": {"say": {"type": "message_template", "message": "It is said."}},
    }
    place = slash_folder(tmp_path, c=given)
    resource(tmp_path, "d.py", MODULE)
    out = tmp_path / "new" / "c.yaml"
    out.parent.mkdir()
    assert restwright("convert", "slashgpt", str(place / "c.json"), "-o", str(out)).code == 0
    made = [{"tool": "double", "arguments": {"number": 4}}, {"tool": "say", "arguments": {}}]
    model = scripted({"calls": made, "answer": ""}, saying("There."))
    flags = ("--allow-code",) if is_allowed else ()
    ended = restwright("run", str(out), "Twice 4?", "--no-journal", "--json", *flags)
    assert ended.json["answer"].startswith("There.")
    assert ended.code == (0 if is_allowed else 3)
    read = str(model.asked[-1].messages)
    assert "It is said." in read
    assert ("--allow-code" in str(ended.json)) != is_allowed
