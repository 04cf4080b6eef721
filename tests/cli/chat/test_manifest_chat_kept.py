"""A chat with agents of manifests is kept, taken up, undone, saved and asked again."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.support.manifests.desk import HELLO
from tests.support.manifests.fixtures import folder as slash_folder
from tests.support.manifests.stub import calling

from restwright.cli.chat.manifest_commands import COMMANDS
from restwright.testing import Reply, ScriptedModel

SHOP = """\
title: Shop
prompt: Be brief.
agent: calling
apis: [{document: things.yaml, alias: things, server: "URL"}]
policy: POLICY
"""
HANDED_OVER: list[Reply] = [
    calling("hand_over_to_billing", {"message": "My bill?"}),
    ("answer", "It is paid."),
]
WRITTEN: list[Reply] = [
    ("selector", {"tools": [{"reason": "r", "name": "things__add_thing"}], "answer": ""}),
    ("caller", {"calls": [{"tool": "things__add_thing", "arguments": {"thing_id": 1}}]}),
    ("caller", {"calls": []}),
    ("describer", {"answer": "It is added."}),
]


@pytest.fixture
def chat(restwright) -> Callable[..., Any]:
    """Run `chat` with lines, and with a model that has a script."""

    def run(path: Path, *lines: str, script: list[Reply], argv: tuple[str, ...] = ()) -> Any:
        run.model = ScriptedModel(script)
        restwright.find_model(lambda *_: run.model)
        return restwright("chat", str(path), *argv, stdin="".join(f"{line}\n" for line in lines))

    return run


def test_it_is_taken_up_with_who_listened_and_what_was_said(chat, desk) -> None:
    first = chat(desk, "My bill?", script=HANDED_OVER, argv=("--json",)).json
    ended = chat(desk, "Really?", "/cost", script=["Yes."], argv=("--resume", first["session"]))
    assert (ended.code, ended.out.splitlines()[0]) == (0, "Yes.")
    assert f"session  {first['session']}, 1 turn so far\n> My bill?\nIt is paid.\n" in ended.err
    # The other agent listens, with what it was told; no model was asked for what was done before.
    (asked,) = chat.model.asked
    assert asked.messages[0].text.startswith("Bills.")
    assert "It is paid." in str(asked.messages)
    assert "all\t3" in ended.out
    listed = chat(desk, "/resume", script=[]).out.split("\t")
    assert (listed[0], listed[2]) == (first["session"], "2")


def test_who_speaks_after_a_switch_is_said(chat, desk) -> None:
    assert "agent    Billing goes on\n" in chat(desk, "My bill?", script=HANDED_OVER).err


def test_an_agent_that_was_chosen_by_hand_listens_again(chat, desk) -> None:
    first = chat(desk, "/billing", "My bill?", script=["Paid."], argv=("--json",)).json
    chat(desk, "Really?", script=["Yes."], argv=("--resume", first["session"]))
    assert chat.model.asked[0].messages[0].text.startswith("Bills.")


class Breaking(ScriptedModel):
    """Breaks off where it is asked for the second time."""

    is_broken = False

    def complete(self, request: Any, *, deadline_s: float) -> Any:
        if len(self.asked) == 1 and not self.is_broken:
            self.is_broken = True
            raise RuntimeError("broken")
        return super().complete(request, deadline_s=deadline_s)


def test_a_message_that_broke_off_goes_on_where_it_was(restwright, desk) -> None:
    model = Breaking(HELLO)
    restwright.find_model(lambda *_: model)
    broken = restwright("chat", str(desk), "--json", stdin="Greet Ana.\n").json
    assert broken["turns"][0]["stopped"] in {"error", "interrupted"}
    ended = restwright("chat", str(desk), "--resume", broken["session"], stdin="/trace\n")
    assert ended.out.startswith("Hello Ana.\nasked    Greet Ana.\n")
    assert model.left == ()


def test_a_write_is_not_sent_again_when_it_is_taken_up(chat, tmp_path, things, server) -> None:
    path = shop(tmp_path, server.url)
    first = chat(path, "Add it", script=WRITTEN, argv=("--json", "--yes")).json
    assert [call["status"] for call in first["turns"][0]["calls"]] == [201]
    ended = chat(path, "/undo", script=[], argv=("--resume", first["session"]))
    assert "What was sent cannot be undone:\n  things__add_thing" in ended.out
    assert [request[0] for request in server.requests] == ["POST"]
    assert chat(path, "/resume", script=[]).out == "No chat is kept yet.\n"


def shop(folder: Path, url: str, policy: str = "allow") -> Path:
    path = folder / "shop.yaml"
    path.write_text(SHOP.replace("URL", url).replace("POLICY", policy), "utf-8")
    return path


def test_what_is_approved_holds_for_manifests(chat, tmp_path, things, server) -> None:
    path = shop(tmp_path, server.url)
    ended = chat(path, "/approve writes", "/approve reads", "Add it", script=WRITTEN[:2])
    assert "without a terminal writes are allowed by --yes alone" in ended.err
    assert "* reads" in ended.out
    assert server.requests == []
    ended = chat(path, "/approve reads", "Add it", script=WRITTEN[:2], argv=("--yes",))
    assert server.requests == []
    ended = chat(path, "/approve writes", "Add it", script=WRITTEN, argv=("--yes",))
    assert ended.out.endswith("It is added.\n")
    assert len(server.requests) == 1


def test_what_a_manifest_refuses_no_approval_allows(chat, tmp_path, things, server) -> None:
    path = shop(tmp_path, server.url, "{tools: {add_thing: refuse}}")
    script: list[Reply] = [("selector", {"tools": [], "answer": "I cannot."})]
    chat(path, "/approve all", "Add it", script=script, argv=("--yes",))
    assert "things__list_things" in str(chat.model.asked)
    assert "things__add_thing" not in str(chat.model.asked)


def test_a_message_is_forgotten_and_asked_again(chat, desk) -> None:
    lines = ("/billing", "Paid?", "/retry", "/undo", "And?", "/undo", "/undo", "/undo")
    ended = chat(desk, *lines, script=["No.", "Yes.", "Well."])
    assert ended.out.splitlines() == [
        "Billing",
        "No.",
        "Yes.",
        "Forgotten: Paid?",
        "Well.",
        "Forgotten: And?",
        "There is nothing to undo.",
        "There is nothing to undo.",
    ]
    assert "Paid?" not in str(chat.model.asked[-1].messages)


def test_what_was_sent_is_not_sent_again_without_a_person(chat, tmp_path, things, server) -> None:
    ended = chat(shop(tmp_path, server.url), "Add it", "/retry", script=WRITTEN, argv=("--yes",))
    assert "/retry: what was sent cannot be undone" in ended.err
    assert len(server.requests) == 1


def test_it_is_saved(chat, desk, tmp_path) -> None:
    chat(desk, "/billing", "Paid?", f"/save {tmp_path / 'talk.md'}", script=["Yes."])
    text = (tmp_path / "talk.md").read_text("utf-8")
    assert "> Paid?\n\nYes.\n" in text


def test_the_model_is_changed_in_the_middle(chat, desk) -> None:
    ended = chat(desk, "/billing", "Paid?", "/model other", "And?", script=["Yes.", "No."])
    assert "The model is scripted." in ended.out
    assert "Paid?" in str(chat.model.asked[-1].messages)


def test_agents_of_slashgpt_are_taken_up_too(chat, tmp_path) -> None:
    place = slash_folder(tmp_path, dispatcher={"prompt": ["Be kind."], "title": "Kind"})
    first = chat(place / "dispatcher.json", "Hi", script=["Hello."], argv=("--json",)).json
    assert first["session"]
    argv = ("--resume", first["session"])
    ended = chat(place / "dispatcher.json", "And?", script=["Well."], argv=argv)
    assert ended.out == "Well.\n"
    said = [message.text for message in chat.model.asked[0].messages]
    assert said[-3:] == ["Hi", "Hello.", "And?"]


def test_a_chat_with_others_is_not_taken_up(chat, desk, tmp_path) -> None:
    first = chat(desk, "/billing", "Paid?", script=["Yes."], argv=("--json",)).json
    other = tmp_path / "other.yaml"
    other.write_text("title: Other\nprompt: Be brief.\n", "utf-8")
    ended = chat(other, "Hi", f"/resume {first['session']}", "Ho", script=["One.", "Two."])
    assert (ended.code, ended.out) == (1, "One.\nTwo.\n")
    assert "it is with other agents" in ended.err
    ended = chat(other, "Hi", script=["One."], argv=("--no-journal", "--json"))
    assert ended.json["session"] is None


def test_every_command_is_in_the_help(chat, desk) -> None:
    ended = chat(desk, "/help", "/help billing", "/help samples", script=[])
    assert all(f"/{name}" in ended.out for name in (*COMMANDS, "samples", "import", "billing"))
    assert "prompt: Bills." in ended.out
    assert json.loads("[]") == chat(desk, "/quit", script=[], argv=("--json",)).json["turns"]
