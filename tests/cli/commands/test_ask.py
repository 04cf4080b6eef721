"""`ask --agent`: each kind of agent from the command line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.support.planned import planned, query, select

from restwright.testing import Reply, ScriptedModel

LIST, TASK = "list_things", "all the things"
ALL = ("parser", "def parse(data):\n    return data")
SCRIPTS: dict[str, list[Reply]] = {
    "rest": [
        planned(f"find {TASK}"),
        select(LIST),
        query(),
        ("answer", {"answer": "One teal thing is there."}),
    ],
    "calling": [
        ("selector", {"tools": [{"reason": "r", "name": f"things__{LIST}"}], "answer": ""}),
        ("caller", {"calls": [{"tool": f"things__{LIST}", "arguments": {}}]}),
        ("caller", {"calls": []}),
        ("describer", {"answer": "One teal thing is there."}),
    ],
    "react": [
        ("reactor", {"thought": "List.", "operation": LIST, "task": TASK}),
        ALL,
        ("reactor", {"thought": "Done.", "operation": "finish", "task": ""}),
        ("answer", {"answer": "One teal thing is there."}),
    ],
    "plan": [
        ("planner", {"steps": [{"operation": LIST, "task": TASK}]}),
        ALL,
        ("answer", {"answer": "One teal thing is there."}),
    ],
}


@pytest.fixture
def scripted(restwright) -> Callable[[list[Reply]], ScriptedModel]:
    """Put a model with a script in the place of the one that is named."""

    def put(script: list[Reply]) -> ScriptedModel:
        model = ScriptedModel(script)

        restwright.find_model(lambda *_: model)
        return model

    return put


@pytest.mark.parametrize("kind", SCRIPTS)
def test_each_kind_answers(kind, scripted, restwright, things, server) -> None:
    model = scripted(SCRIPTS[kind])
    api = ("-a", f"things={things}", "--server", server.url)
    ended = restwright("ask", "What is there?", *api, "--agent", kind, "--json")
    assert (ended.code, ended.json["answer"]) == (0, "One teal thing is there.")
    assert [each["path"] for each in ended.json["calls"]] == ["/things"]
    assert model.left == ()


READ = {"tool": f"things__{LIST}", "arguments": {}}
WRITE = {"tool": "others__add_thing", "arguments": {"thing_id": 1}}


def crossing(*, is_sent: bool) -> list[Reply]:
    """One API is read, then another one written to."""
    selected = [{"reason": "r", "name": each["tool"]} for each in (READ, WRITE)]
    return [
        ("selector", {"tools": selected, "answer": ""}),
        ("caller", {"calls": [READ]}),
        ("caller", {"calls": [WRITE]}),
        *([("caller", {"calls": []})] if is_sent else []),
        ("describer", {"answer": "It was not added."}),
    ]


def both(things: str, url: str) -> list[str]:
    """The arguments that name two APIs."""
    return [
        each
        for name in ("things", "others")
        for each in ("-a", f"{name}={things}", "--server", f"{name}={url}")
    ]


@pytest.mark.parametrize(
    ("options", "end", "sent"),
    [
        (["--yes"], (3, "refused"), ["GET"]),
        (["--yes", "--trust-apis"], (0, "answered"), ["GET", "POST"]),
    ],
    ids=["asked about", "trusted"],
)
def test_with_yes_a_write_to_an_api_that_was_not_read_is_still_asked_about(
    options, end, sent, scripted, restwright, things, server
) -> None:
    scripted(crossing(is_sent="POST" in sent))
    asked = ("ask", "Copy it.", *both(things, server.url), "--agent", "calling")
    ended = restwright(*asked, *options, "--json")
    assert (ended.code, ended.json["stopped"]) == end
    assert [each[0] for each in server.requests] == sent


@pytest.mark.parametrize(
    ("options", "way_out"), [([], "--yes, or"), (["--yes"], "--yes --trust-apis, or")]
)
def test_where_nobody_can_be_asked_about_a_write_the_way_out_is_told(
    options, way_out, scripted, restwright, things, server
) -> None:
    scripted(crossing(is_sent=False))
    asked = ("ask", "Copy it.", *both(things, server.url), "--agent", "calling")
    ended = restwright(*asked, *options)
    assert ended.code == 3
    last = ended.err.splitlines()[-1]
    assert last == f"way out  nobody could be asked; send it with {way_out} ask on a terminal"


def test_a_question_is_read_from_standard_input(scripted, restwright, things, server) -> None:
    model = scripted(SCRIPTS["calling"])
    api = ("-a", f"things={things}", "--server", server.url, "--agent", "calling")
    ended = restwright("ask", "-", *api, stdin="What is there?\n")
    assert ended.code == 0
    assert any("What is there?" in each.text for each in model.asked[0].messages)


@pytest.mark.parametrize(
    ("question", "typed", "why"),
    [
        ("", "", "the QUESTION is empty"),
        (" \n", "", "the QUESTION is empty"),
        ("Where is \udce9?", "", "the QUESTION is not UTF-8"),
        ("-", "", "standard input is empty"),
        ("-", "x" * 200_001, "standard input holds more than 200,000 characters"),
    ],
    ids=["empty", "blank", "no text", "no input", "too long"],
)
def test_a_question_that_is_none_is_refused(question, typed, why, restwright, things) -> None:
    ended = restwright("ask", question, "-a", things, stdin=typed)
    assert (ended.code, ended.out) == (2, "")
    assert why in ended.err
    assert len(ended.err.splitlines()) == 1


def test_standard_input_is_not_a_question_and_a_document(restwright) -> None:
    ended = restwright("ask", "-", "-a", "-", stdin="What?")
    assert ended.code == 2
    assert "standard input is the document already" in ended.err


def test_trust_without_yes_is_refused(restwright, things) -> None:
    ended = restwright("ask", "Copy it.", "-a", f"things={things}", "--trust-apis", "--json")
    assert ended.code == 2
    assert "give --yes too" in ended.out


def test_a_model_that_is_not_small_calls_tools(restwright, things, server) -> None:
    model = ScriptedModel(SCRIPTS["calling"], is_small=False)
    restwright.find_model(lambda *_: model)
    ended = restwright("ask", "What is there?", "-a", f"things={things}", "--server", server.url)
    assert (ended.code, ended.out.strip()) == (0, "One teal thing is there.")
    assert model.left == ()


def test_prompts_are_told_where_the_user_is(scripted, restwright, things, server) -> None:
    model = scripted(SCRIPTS["calling"])
    place = ("--timezone", "Pacific/Kiritimati", "--locale", "en-KI")
    api = ("-a", f"things={things}", "--server", server.url)
    assert restwright("ask", "What came today?", *api, *place, "--agent", "calling").code == 0
    told = "\n".join(message.text for asked in model.asked for message in asked.messages)
    assert "(time zone Pacific/Kiritimati, locale en-KI)." in told


@pytest.mark.parametrize("option", [("--timezone", "Mars/Base"), ("--locale", "Obey me")])
def test_a_place_that_there_is_not_is_refused(option, restwright, things) -> None:
    ended = restwright("ask", "What?", "-a", f"things={things}", *option)
    assert ended.code == 2
    assert option[1] in ended.err


def test_a_file_stands_beside_the_question(
    scripted, restwright, things, server, tmp_path: Path
) -> None:
    picture = tmp_path / "hat.png"
    picture.write_bytes(b"\x89PNG")
    model = scripted(SCRIPTS["calling"])
    api = ("-a", f"things={things}", "--server", server.url)
    ended = restwright("ask", "Which is this?", *api, "--agent", "calling", "--file", str(picture))
    assert ended.code == 0
    [asked] = [one for one in model.asked[0].messages if one.files]
    assert [(file.media_type, file.data) for file in asked.files] == [("image/png", b"\x89PNG")]
    assert restwright("sessions", "list", "--json").json["sessions"] == []


@pytest.mark.parametrize(
    ("name", "options", "why"),
    [
        ("no.png", ("--agent", "calling"), "No such file"),
        ("hat", ("--agent", "calling"), "its name does not say what it is"),
        ("hat.png", ("--agent", "rest"), "reads words alone"),
        ("hat.png", ("--agent", "calling", "--wait"), "is not kept"),
    ],
)
def test_a_file_that_nobody_would_read_is_refused(
    name, options, why, scripted, restwright, things, tmp_path: Path
) -> None:
    for made in ("hat", "hat.png"):
        (tmp_path / made).write_bytes(b"x")
    scripted([])
    ended = restwright("ask", "Which?", "-a", things, "--file", str(tmp_path / name), *options)
    assert ended.code == 2
    assert why in ended.err
