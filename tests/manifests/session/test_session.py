"""Sessions: whose turn it is, and what is remembered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest

from restwright.agents.steps import Message, Steps
from restwright.errors import ModelUnavailable
from restwright.manifests.session.session import (
    MAX_HANDOFFS,
    AgentTurn,
    HandoffRequest,
    ManifestSession,
    Sample,
    SessionAgent,
    TurnContext,
)


@dataclass
class Scripted:
    """An agent that says what it is told to, and keeps what it was asked."""

    name: str
    turns: list[AgentTurn]
    greeting: str = ""
    title: str = ""
    samples: tuple[Sample, ...] = ()
    heard: list[tuple[str, TurnContext]] = field(default_factory=list)

    def turn(self, text: str, context: TurnContext) -> Steps[AgentTurn]:
        self.heard.append((text, context))
        said = self.turns.pop(0)
        history = (*context.history, Message("user", text), Message("assistant", said.text))
        yield from ()
        return AgentTurn(text=said.text, switch=said.switch, history=history)


def drive(_: SessionAgent, steps: Steps[AgentTurn]) -> AgentTurn:
    try:
        next(steps)
    except StopIteration as stop:
        return stop.value
    raise AssertionError("there is nothing to perform")


def session(*speakers: Scripted) -> ManifestSession:
    by_name: Mapping[str, SessionAgent] = {each.name: each for each in speakers}
    return ManifestSession(speakers=by_name, current=speakers[0].name, drive_turn=drive)


def to(agent: str, text: str = "", **more: object) -> AgentTurn:
    return AgentTurn(text=text, switch=HandoffRequest(agent=agent, **more))  # type: ignore[arg-type]


def test_a_turn_goes_on_with_what_was_said_before() -> None:
    one = Scripted("a", [AgentTurn(text="hi"), AgentTurn(text="again")])
    talk = session(one)
    assert talk.ask("hello").text == "hi"
    assert talk.ask("so?").text == "again"
    assert [each.text for each in one.heard[1][1].history] == ["hello", "hi"]


def test_a_switch_carries_a_message_and_memory() -> None:
    first = Scripted("a", [to("b", message="q", memory={"x": 1})])
    second = Scripted("b", [AgentTurn(text="done")])
    talk = session(first, second)
    reply = talk.ask("hello")
    assert (reply.text, reply.agent, talk.current) == ("done", "b", "b")
    assert second.heard[0][0] == "q"
    assert second.heard[0][1].memory == {"x": 1}


def test_memory_is_merged_only_where_that_is_said() -> None:
    first = Scripted("a", [to("b", memory={"x": 1}, initiate=True)])
    second = Scripted("b", [to("c", memory={"y": 2}, merge=True, initiate=True)])
    third = Scripted("c", [to("a", memory={"z": 3})])
    talk = session(first, second, third)
    talk.ask("hello")
    assert third.heard[0][1].memory == {"x": 1, "y": 2}
    assert talk.memory == {"z": 3}


def test_a_switch_without_message_waits_for_the_user_unless_it_initiates() -> None:
    first = Scripted("a", [to("b", "over to b")])
    second = Scripted("b", [AgentTurn(text="hello")])
    talk = session(first, second)
    reply = talk.ask("x")
    assert (reply.text, talk.current, second.heard) == ("over to b", "b", [])


def test_an_unknown_agent_is_feedback_and_keeps_the_state() -> None:
    first = Scripted("a", [to("wether"), AgentTurn(text="sorry")])
    talk = session(first, Scripted("weather", []))
    assert talk.ask("x").text == "sorry"
    assert talk.current == "a"
    assert first.heard[1][0] == (
        "There is no agent 'wether', and nothing was handed over. Did you mean weather?"
    )


def test_agents_that_only_hand_over_are_stopped() -> None:
    first = Scripted("a", [to("b", message="q") for _ in range(MAX_HANDOFFS)])
    second = Scripted("b", [to("a", message="q") for _ in range(MAX_HANDOFFS)])
    reply = session(first, second).ask("x")
    assert reply.stopped == "limit"
    assert "8 times" in reply.reason
    assert len(first.heard) + len(second.heard) == MAX_HANDOFFS + 1


def test_a_missing_model_leaves_the_conversation_as_it_was() -> None:
    def unavailable(_: SessionAgent, steps: Steps[AgentTurn]) -> AgentTurn:
        del steps
        raise ModelUnavailable("m", "no key", "set it")

    talk = session(Scripted("a", []))
    talk.drive_turn = unavailable
    with pytest.raises(ModelUnavailable):
        talk.ask("x")
    assert (talk.history, talk.current) == ((), "a")


def test_a_greeting_is_said_once() -> None:
    talk = session(Scripted("a", [], greeting="welcome"))
    assert (talk.greet(), talk.greet()) == ("welcome", "")
    assert talk.history == (Message("assistant", "welcome"),)
