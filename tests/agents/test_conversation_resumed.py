"""Going on with a turn that was interrupted before others were asked."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator
from pathlib import Path

import pytest
from tests.support.two_apis import SEND, two_apis

from restwright.agents.agent import Agent
from restwright.agents.conversation import Conversation
from restwright.agents.journal.sqlite import SQLiteJournal
from restwright.agents.journal.store import Journal
from restwright.agents.memory.context import background
from restwright.agents.steps import Answer, Call, Complete, Completion, Conclusion, Message, Steps
from restwright.calls.approval.policy import ALLOW
from restwright.errors import UnusableSession
from restwright.net.messages import Request, Response
from restwright.testing import ScriptedModel, reply

READ = Call(tool="notes__list_notes", arguments={})


@pytest.fixture
def journal(tmp_path: Path) -> Generator[Journal]:
    with SQLiteJournal(tmp_path / "sessions.sqlite3") as opened:
        yield opened


class Pressed(ScriptedModel):
    """A model during whose request of this number Ctrl-C is pressed."""

    at: int = 0

    def complete(self, request: Complete, *, deadline_s: float) -> Completion:
        if len(self.asked) + 1 == self.at:
            self.asked.append(request)
            raise KeyboardInterrupt
        return super().complete(request, deadline_s=deadline_s)


class Sent:
    """The methods of what was sent."""

    def __init__(self) -> None:
        self.methods: list[str] = []

    def __call__(self, request: Request) -> Response:
        self.methods.append(request.method)
        return reply(200, {"number": len(self.methods)})


def loop(agent: Agent, question: str) -> Steps[Conclusion]:
    """Reads and asks the model; writes where the question says so."""
    del agent
    if question != "write":
        yield READ
    said = background().render(with_facts=True)
    answer = yield Complete(role="answer", messages=(Message("user", f"{said}\n{question}"),))
    assert isinstance(answer, Completion)
    if "write" in question:
        result = yield Call(**SEND)
        return Conclusion(text=f"{answer.text} {getattr(result, 'kind', '')}")
    return Conclusion(text=answer.text)


def interrupted_first(
    journal: Journal, *questions: str, replies: int = 9
) -> tuple[Conversation, Sent, Pressed]:
    """Turns of which the first one is interrupted while the model is asked."""
    sent, model = Sent(), Pressed([f"said {number}" for number in range(replies)])
    model.at = 1
    agent = Agent(two_apis(), model=model, send=sent, kind=loop, policy=ALLOW)
    conversation = Conversation(agent, journal)
    with pytest.raises(KeyboardInterrupt):
        conversation.ask(questions[0])
    for each in questions[1:]:
        conversation.ask(each)
    return conversation, sent, model


def blocking(conversation: Conversation, session: str) -> Answer:
    return conversation.resume_turn(session)


def from_a_loop(conversation: Conversation, session: str) -> Answer:
    return asyncio.run(conversation.resume_turn_async(session))


def taken_up(conversation: Conversation, **options: int) -> Conversation:
    assert conversation.journal is not None
    agent, journal = conversation.agent, conversation.journal
    return Conversation.resume(agent, journal, conversation.id, **options)


@pytest.mark.parametrize("go_on", [blocking, from_a_loop])
@pytest.mark.parametrize("again", [lambda each: each, taken_up], ids=["here", "taken up"])
def test_a_turn_before_the_last_goes_on_without_a_call_made_again(
    journal: Journal,
    again: Callable[[Conversation], Conversation],
    go_on: Callable[[Conversation, str], Answer],
) -> None:
    before, sent, model = interrupted_first(journal, "one", "two", "three")
    conversation = again(before)
    assert conversation.interrupted is None
    (turn,) = conversation.unfinished
    assert turn.question == "one"
    assert go_on(conversation, turn.session).text == "said 2"
    assert sent.methods == ["GET"] * 3
    # What came later is nothing that it knows of.
    assert "two" not in model.asked[-1].messages[-1].text
    assert [each.question for each in conversation.turns] == ["two", "three", "one"]
    assert conversation.unfinished == ()
    conversation.ask("four")
    told = model.asked[-1].messages[-1].text
    assert told.index("User: three") < told.index("User: one") < told.index("said 2")


def test_it_can_be_interrupted_again(journal: Journal) -> None:
    conversation, sent, model = interrupted_first(journal, "one", "two")
    model.at = 3
    with pytest.raises(KeyboardInterrupt):
        conversation.resume_turn(conversation.id)
    assert [each.question for each in conversation.turns] == ["two", "one"]
    assert conversation.interrupted is not None
    again = taken_up(conversation)
    assert [each.question for each in again.turns] == ["one", "two"]
    assert again.resume_turn(again.id).text == "said 1"
    assert sent.methods == ["GET"] * 2
    assert "two" not in model.asked[-1].messages[-1].text


def test_what_later_turns_read_is_held_against_it(journal: Journal) -> None:
    conversation, sent, _ = interrupted_first(journal, "write", "read")
    assert conversation.resume_turn(conversation.id).text.endswith("refused")
    assert sent.methods == ["GET"]


def test_a_later_turn_is_not_gone_on_with_alone(journal: Journal) -> None:
    """Neither what was said before it would be known, nor what was read."""
    conversation, sent, model = interrupted_first(journal, "one")
    conversation.resume_turn()
    model.at = len(model.asked) + 1
    with pytest.raises(KeyboardInterrupt):
        conversation.ask("write")
    first, second = (each.session for each in conversation.turns)
    with pytest.raises(UnusableSession, match=f"restwright chat --resume {second}"):
        conversation.agent.ask(journal=journal, resume=second)
    assert sent.methods == ["GET"]
    assert conversation.agent.ask(journal=journal, resume=first).text
    assert conversation.resume_turn(second).text.endswith("refused")


def test_a_write_that_is_not_sent_yet_is_none_that_was(journal: Journal) -> None:
    def approve(_: object, __: object) -> bool:
        raise KeyboardInterrupt

    sent = Sent()
    agent = Agent(two_apis(), model=ScriptedModel(["said"]), send=sent, kind=loop, approve=approve)
    conversation = Conversation(agent, journal)
    with pytest.raises(KeyboardInterrupt):
        conversation.ask("write")
    assert sent.methods == []
    assert [each.writes for each in conversation.turns] == [()]
    assert [each.writes for each in taken_up(conversation).turns] == [()]


def test_a_write_of_it_is_free_where_nothing_was_read(journal: Journal) -> None:
    conversation, sent, _ = interrupted_first(journal, "write", "write")
    assert conversation.resume_turn(conversation.id).text.endswith("ok")
    assert sent.methods == ["POST", "POST"]


def test_a_turn_that_cannot_be_gone_on_with_is_told_and_stays(journal: Journal) -> None:
    conversation, _, _ = interrupted_first(journal, "one", "two", "three")
    first, second, third = (each.session for each in conversation.turns)
    with pytest.raises(UnusableSession, match="that turn was not interrupted"):
        conversation.resume_turn(second)
    with pytest.raises(UnusableSession, match="last turn was not interrupted"):
        conversation.resume_turn()
    conversation.undo()
    with pytest.raises(UnusableSession, match="or was undone"):
        conversation.resume_turn(third)
    with pytest.raises(UnusableSession, match="none of the latest 1 turns"):
        taken_up(conversation, max_turns=1).resume_turn(first)
    held = journal.resume(first)
    with pytest.raises(UnusableSession, match="another process"):
        conversation.resume_turn(first)
    held.release()
    assert [each.question for each in conversation.turns] == ["one", "two"]
