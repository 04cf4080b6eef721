"""Chats: who speaks, which model is asked, and what belongs to whom."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import restwright as rw
from restwright.agents.steps import Conclusion, Say, Steps
from restwright.errors import NoSuchPart, UnusableSession, UsageError
from restwright.manifests.own.manifest import Handoff, Manifest
from restwright.manifests.session.session import HandoffRequest
from restwright.testing import ScriptedModel, document
from restwright.web.chat.chats import Chat, Chats, OnSwitch, Speaker
from restwright.web.chat.runs import Runs
from restwright.web.chat.view import show_turn

TOOLS = rw.catalog(rw.load(document({"/a": {"get": {"operationId": "look"}}}), alias="api"))


def echo(agent: rw.Agent, question: str) -> Steps[Conclusion]:
    """Say what was asked."""
    yield Say(rw.Event("plan", "1. say it"))
    return Conclusion(text=f"{agent.model.name}: {question}")


def make_speaker(
    key: str, kind: Callable[[OnSwitch], Any], manifest: Manifest | None = None
) -> Speaker:
    def make(model: Any, on_switch: OnSwitch, memory: Any) -> rw.Agent:
        del memory
        return rw.Agent(TOOLS, model=model, kind=kind(on_switch))

    return Speaker(key=key, title=key.title(), make=make, manifest=manifest)


def make_chats(*speakers: Speaker, **settings: Any) -> Chats:
    return Chats(
        speakers={one.key: one for one in speakers},
        find_model=lambda name, _: ScriptedModel((), name=name or "usual"),
        **settings,
    )


async def take_turn(chats: Chats, chat: Chat, text: str) -> str:
    turn = chats.say(chat, text)
    assert turn.run is not None
    while not turn.run.has_ended:
        await turn.run.wait(turn.run.last, timeout_s=20)
    assert turn.run.answer is not None
    return turn.run.answer.text


def test_an_agent_of_a_manifest_hands_over_and_the_other_one_goes_on(tmp_path: Path) -> None:
    second = Manifest(name="second", source="second", folder=tmp_path)
    file = tmp_path / "second"
    handoff = Handoff(name="second", file=file, known={file: second})
    first = Manifest(name="first", source="first", folder=tmp_path, agents=(handoff,))

    def hand_over(on_switch: OnSwitch) -> Any:
        def loop(agent: rw.Agent, question: str) -> Steps[Conclusion]:
            yield Say(rw.Event("plan", "1. hand over"))
            on_switch(HandoffRequest(agent="second", message=f"{question}!"))
            return Conclusion(text="")

        return loop

    chats = make_chats(
        make_speaker("first", hand_over, first), make_speaker("second", lambda _: echo, second)
    )

    async def test() -> None:
        chat = chats.begin()
        assert await take_turn(chats, chat, "Hello") == "usual: Hello!"
        assert chat.speaker == "second"
        run = chat.turns[0].run
        assert run is not None
        assert [one.text for one in run.records() if one.kind == "note"] == [
            "First speaks",
            "Second speaks",
        ]
        assert await take_turn(chats, chat, "And now?") == "usual: And now?"
        assert [turn.speaker for turn in chat.turns] == ["first", "second"]

    asyncio.run(test())


def test_another_model_is_asked_from_the_next_message_on() -> None:
    chats = make_chats(make_speaker("", lambda _: echo))

    async def test() -> None:
        chat = chats.begin()
        assert await take_turn(chats, chat, "a") == "usual: a"
        chats.choose(chat, model="other", kind="")
        assert await take_turn(chats, chat, "b") == "other: b"
        with pytest.raises(UsageError, match="no kind"):
            chats.choose(chat, model="other", kind="none")
        assert [turn.question for turn in chats.go_back(chat, 1)] == ["b"]
        assert [turn.question for turn in chat.turns] == ["a"]

    asyncio.run(test())


def test_a_chat_belongs_to_who_began_it() -> None:
    chats = make_chats(make_speaker("", lambda _: echo))

    async def test() -> None:
        chat = chats.begin(owner="ada")
        await take_turn(chats, chat, "a")
        assert chats.find(chat.id, "ada") is chat
        assert chats.in_memory("bob") == ()
        with pytest.raises(UnusableSession):
            chats.find(chat.id, "bob")
        with pytest.raises(NoSuchPart):
            chats.begin(speaker="nobody")

    asyncio.run(test())


def test_a_run_that_is_forgotten_leaves_the_answer_and_no_trace_in_memory() -> None:
    chats = make_chats(make_speaker("echo", lambda _: echo), runs=Runs(max_ended=1))

    async def test() -> None:
        chat = chats.begin()
        for text in ("one", "two", "three"):
            await take_turn(chats, chat, text)
            await asyncio.sleep(0)
        assert [turn.run is not None for turn in chat.turns] == [False, False, True]
        first = show_turn(chats, chat, chat.turns[0])
        assert (first.state, str(first.answer)) == ("Answered", "<p>usual: one</p>\n")

    asyncio.run(asyncio.wait_for(test(), 30))
