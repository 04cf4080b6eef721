"""Runs of a server: numbered, followed from anywhere, answered once, stopped, and bounded."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine
from dataclasses import replace
from typing import Any

import pytest

import restwright as rw
from restwright.agents.steps import (
    Call,
    Complete,
    Completion,
    Conclusion,
    Message,
    NoAnswer,
    Question,
    Steps,
)
from restwright.calls.auth.connection import Connection
from restwright.errors import LimitReached, NoSuchPart, RefusedRequest, UsageError
from restwright.jsontypes import Json
from restwright.net.messages import Request, Response
from restwright.testing import ScriptedModel, document, reply
from restwright.web.chat.records import RunRecord
from restwright.web.chat.runs import MAX_RUN_CHARS, Run, Runs

FILM = {"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}}
PATHS: dict[str, Any] = {
    "/films/{id}": {
        "get": {"operationId": "get_film", "parameters": [FILM]},
        "delete": {"operationId": "remove_film", "parameters": [FILM]},
    },
}
TOOLS = rw.catalog(rw.load(document(PATHS), alias="tv"))
WORDS = "The film is called Metropolis, and it was made in 1927. " * 5


def watch_film(agent: rw.Agent, question: str) -> Steps[Conclusion]:
    """Look a film up, remove it, and answer."""
    yield Call(tool="tv__get_film", arguments={"id": 7})
    removed = yield Call(tool="tv__remove_film", arguments={"id": 7})
    said = yield Complete(role="answer", messages=(Message("user", question),))
    assert isinstance(said, Completion)
    return Conclusion(text=f"{said.text} {getattr(removed, 'kind', '')}".strip())


def look_film(agent: rw.Agent, question: str) -> Steps[Conclusion]:
    """Look a film up, and answer."""
    yield Call(tool="tv__get_film", arguments={"id": 7})
    said = yield Complete(role="answer", messages=(Message("user", question),))
    assert isinstance(said, Completion)
    return Conclusion(text=said.text)


def ask_name(agent: rw.Agent, question: str) -> Steps[Conclusion]:
    """Ask the user for a name."""
    said = yield Question("Which one?", "", None, "name")
    return Conclusion(text=str(getattr(said, "value", "nothing")))


async def answer(request: Request) -> Response:
    await asyncio.sleep(0)
    return reply(200, {"of": request.url, "title": "Metropolis"})


def agent_of(kind: Callable[..., Any], **settings: Any) -> rw.Agent:
    given: dict[str, Any] = {
        "model": ScriptedModel([WORDS] * 4),
        "send": answer,
        "kind": kind,
        "connections": {"tv": Connection(server="https://api.example.test", auth="none")},
    }
    return rw.Agent(TOOLS, **{**given, **settings})


def cost_a_quarter(reply: Completion) -> float:
    del reply
    return 0.25


def answer_nothing(question: Question) -> NoAnswer:
    return NoAnswer(f"nobody knows {question.text}")


def start(runs: Runs, agent: rw.Agent, question: str = "What?", **settings: Any) -> Run:
    def begin(on_step: Any) -> AsyncGenerator[rw.Event]:
        return replace(agent, on_step=on_step).stream(question)

    return runs.start(begin, question, **settings)


async def collect(run: Run, after: int = 0) -> list[RunRecord]:
    """All records of a run until it ends, as a page reads them."""
    found: list[RunRecord] = []
    while True:
        new = await run.wait(after, timeout_s=20)
        found += new
        after = new[-1].number if new else after
        if run.has_ended and after >= run.last:
            return found


async def pending(run: Run) -> Any:
    after = 0
    while run.pending is None:
        after = max([after, *(record.number for record in await run.wait(after, timeout_s=20))])
    return run.pending


def run_test(test: Callable[[], Coroutine[Any, Any, None]]) -> None:
    async def within() -> None:
        await asyncio.wait_for(test(), 60)

    asyncio.run(within())


def test_fifty_runs_at_once_lose_and_double_nothing():
    async def test() -> None:
        runs = Runs()
        all_runs = [start(runs, agent_of(look_film), f"Question {n}?") for n in range(50)]
        # Two watch each run: one from the start, one that loses its connection again and again.
        seen = await asyncio.gather(*(collect(run) for run in all_runs for _ in range(2)))
        for number, run in enumerate(all_runs):
            for records in seen[2 * number : 2 * number + 2]:
                numbers = [record.number for record in records]
                assert numbers == sorted({*numbers})
                words = "".join(record.text for record in records if record.kind == "words")
                assert words in {WORDS, ""} or WORDS.startswith(words)
                kinds = [record.kind for record in records if record.kind != "words"]
                assert kinds == ["call", "response", "reply", "answer", "end"]
            assert run.state == "ended"
            assert run.answer is not None
            assert run.answer.question == f"Question {number}?"

    run_test(test)


def test_who_watches_from_the_start_is_told_each_word_once():
    async def test() -> None:
        run = start(Runs(), agent_of(look_film))
        records = await collect(run)
        assert [record.number for record in records] == [*range(1, len(records) + 1)]
        assert "".join(record.text for record in records if record.kind == "words") == WORDS

    run_test(test)


def test_a_connection_that_is_lost_goes_on_where_it_was():
    async def test() -> None:
        run = start(Runs(), agent_of(watch_film))
        asked = await pending(run)
        first = run.records()
        run.decide(asked.id, asked.hash, is_allowed=True)
        rest = await collect(run, after=first[2].number)
        numbers = [record.number for record in (*first[:3], *rest)]
        assert numbers == [*range(1, run.last + 1)]

    run_test(test)


def test_a_page_that_is_loaded_again_is_shown_everything_but_words_that_the_answer_replaces():
    async def test() -> None:
        run = start(Runs(), agent_of(look_film))
        await collect(run)
        kinds = [record.kind for record in run.records()]
        assert kinds == ["call", "response", "reply", "answer", "end"]

    run_test(test)


def test_records_have_request_value_tokens_and_seconds():
    async def test() -> None:
        run = start(Runs(), agent_of(look_film), price=cost_a_quarter)
        by_kind = {record.kind: record for record in await collect(run)}
        assert by_kind["call"].data["method"] == "GET"
        assert by_kind["response"].data["value"]["title"] == "Metropolis"
        assert by_kind["response"].data["arguments"] == {"id": 7}
        assert by_kind["reply"].data["role"] == "answer"
        assert by_kind["reply"].data["output_tokens"] > 0
        assert by_kind["reply"].data["cost"] == 0.25
        assert by_kind["end"].data["state"] == "ended"

    run_test(test)


@pytest.mark.parametrize(("is_allowed", "outcome"), [(True, "ok"), (False, "refused")])
def test_an_approval_is_for_the_request_that_was_shown_and_spent_once(
    is_allowed: bool, outcome: str
):
    async def test() -> None:
        run = start(Runs(), agent_of(watch_film))
        asked = await pending(run)
        assert asked.request["method"] == "DELETE"
        with pytest.raises(RefusedRequest, match="another request"):
            run.decide(asked.id, "0" * 64, is_allowed=True)
        with pytest.raises(RefusedRequest, match="answered before"):
            run.decide("other", asked.hash, is_allowed=True)
        run.decide(asked.id, asked.hash, is_allowed=is_allowed)
        with pytest.raises(RefusedRequest, match="answered before"):
            run.decide(asked.id, asked.hash, is_allowed=True)
        records = await collect(run)
        assert run.answer is not None
        assert run.answer.text.endswith(outcome)
        decided = [record for record in records if record.kind == "decision"]
        assert [record.data["is_allowed"] for record in decided] == [is_allowed]
        assert decided[0].data["id"] == asked.id

    run_test(test)


@pytest.mark.parametrize(("value", "text"), [("Nosferatu", "Nosferatu"), (None, "nothing")])
def test_a_question_is_answered_once(value: Json, text: str):
    async def test() -> None:
        run = start(Runs(), agent_of(ask_name))
        asked = await pending(run)
        with pytest.raises(UsageError, match="not what is asked"):
            run.reply(asked.id, 7)
        run.reply(asked.id, value)
        with pytest.raises(UsageError, match="answered before"):
            run.reply(asked.id, "Faust")
        await collect(run)
        assert run.answer is not None
        assert run.answer.text == text
        assert "Nosferatu" not in str([r for r in run.records() if r.kind != "answer"])

    run_test(test)


def test_a_run_that_is_stopped_sends_nothing_more():
    sent: list[str] = []

    async def note(request: Request) -> Response:
        sent.append(request.method)
        return reply(200, {})

    async def test() -> None:
        run = start(Runs(), agent_of(watch_film, send=note))
        asked = await pending(run)
        run.stop()
        records = await collect(run)
        assert run.state == "stopped"
        assert records[-1].kind == "end"
        with pytest.raises(RefusedRequest):
            run.decide(asked.id, asked.hash, is_allowed=True)
        assert sent == ["GET"]

    run_test(test)


def test_a_run_that_is_stopped_before_it_begins_has_ended():
    async def test() -> None:
        run = start(Runs(), agent_of(look_film))
        run.stop()
        assert [record.kind for record in await collect(run)] == ["end"]

    run_test(test)


def test_who_says_nothing_for_long_is_asked_again_later_by_taking_the_run_up():
    async def test() -> None:
        run = start(Runs(), agent_of(watch_film), wait_s=0.05)
        records = await collect(run)
        assert run.state == "stopped"
        assert records[-1].text == "nobody answered"

    run_test(test)


def test_what_is_raised_before_the_first_step_is_told():
    async def test() -> None:
        async def broken() -> AsyncGenerator[rw.Event]:
            raise KeyError("a secret")
            yield  # pyright: ignore[reportUnreachable]

        run = Runs().start(lambda _: broken(), "What?")
        records = await collect(run)
        assert (run.state, records[-1].text) == ("failed", "KeyError ended the run")

    run_test(test)


def test_memory_of_one_run_is_bounded():
    big = {"items": [{"name": "x" * 500} for _ in range(20_000)]}

    async def send(request: Request) -> Response:
        return reply(200, big)

    async def test() -> None:
        run = start(Runs(), agent_of(look_film, send=send))
        records = await collect(run)
        value = next(record for record in records if record.kind == "response").data["value"]
        assert len(str(value)) < 30_000
        assert run.size < 100_000

    run_test(test)


def test_words_without_end_take_up_no_more_than_a_run_may():
    async def test() -> None:
        run = Run(id="a", question="What?")

        async def speak() -> AsyncGenerator[rw.Event]:
            for _ in range(5_000):
                yield rw.Event("words", "word " * 400, {"reply": 1})

        await run.follow(lambda _: speak())
        # The end is told in any case.
        assert run.size < MAX_RUN_CHARS + 3000
        assert (run.state, run.records()[-1].kind) == ("ended", "end")

    run_test(test)


def test_runs_that_ended_are_forgotten_and_those_of_others_are_not_found():
    async def test() -> None:
        runs = Runs(max_ended=3)
        first = start(runs, agent_of(look_film), owner="ada", chat="one")
        await collect(first)
        assert runs.of_chat("one", "ada") == (first,)
        with pytest.raises(NoSuchPart):
            runs.find(first.id, "bob")
        for _ in range(4):
            await collect(start(runs, agent_of(ask_name, human=answer_nothing)))
        with pytest.raises(NoSuchPart):
            runs.find(first.id, "ada")

    run_test(test)


def test_too_many_runs_are_refused():
    async def test() -> None:
        runs = Runs(max_running=3)
        waiting = [start(runs, agent_of(ask_name)) for _ in range(3)]
        with pytest.raises(LimitReached):
            start(runs, agent_of(ask_name))
        await runs.close()
        assert {run.state for run in waiting} == {"stopped"}

    run_test(test)
