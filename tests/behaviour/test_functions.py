"""Functions that stand behind tools: policy, consent, limits, journal and failures, as for HTTP."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest

from restwright.agents.agent import Agent
from restwright.agents.events import Event
from restwright.agents.journal.sqlite import SQLiteJournal
from restwright.agents.journal.store import Journal
from restwright.agents.runtime.budget import Limits
from restwright.agents.runtime.human_input import human_from_answers
from restwright.agents.steps import ApprovalDecision, Approve, Call, Conclusion, Steps
from restwright.calls.approval.approval import (
    approve_all,
    format_approval_question,
    hash_request,
    refuse_all,
)
from restwright.calls.approval.policy import ALLOW, CONFIRM, READ_ONLY, Policy
from restwright.calls.auth.connection import Connection
from restwright.calls.call import call, call_async, prepare
from restwright.calls.response.result import Result
from restwright.errors import Said
from restwright.jsontypes import JsonObject
from restwright.net.messages import Request
from restwright.net.secret import Secret
from restwright.testing import ScriptedModel, never
from restwright.tools.catalog.catalog import Catalog
from restwright.tools.function_tools import FunctionTool, build_function_catalog
from restwright.tools.tool import Handler, LocalResult, Tool

SCHEMA: JsonObject = {
    "type": "object",
    "properties": {"text": {"type": "string"}, "password": {"type": "string"}},
    "required": ["text"],
}
NAME = "notes__add_note"
READ = "notes__find_note"
NOTE: JsonObject = {"text": "milk"}


class Notes:
    """A function that keeps what it is given, and ends as it is told to."""

    def __init__(
        self, end: Callable[[JsonObject], Any] = lambda given: LocalResult(value="kept")
    ) -> None:
        self.kept: list[JsonObject] = []
        self.end = end

    def __call__(self, arguments: JsonObject) -> LocalResult:
        self.kept.append(arguments)
        return self.end(arguments)


def tools(notes: Notes, method: str = "post") -> Catalog:
    add = FunctionTool(
        name="add_note", handler=Handler(run_locally=notes), parameters=SCHEMA, method=method
    )
    return build_function_catalog("notes", [add])


def called(notes: Notes, method: str = "post", **how: Any) -> Result:
    return called_tool(tools(notes, method)[NAME], **how)


def read(notes: Notes, **how: Any) -> Result:
    find = FunctionTool(name="find_note", handler=Handler(run_locally=notes), parameters=SCHEMA)
    return called_tool(build_function_catalog("notes", [find])[READ], **how)


def called_tool(tool: Tool, **how: Any) -> Result:
    options = {"connection": Connection(), "send": never, "approve": approve_all} | how
    return call(tool, NOTE, **options)


def raising(error: BaseException) -> Callable[[JsonObject], LocalResult]:
    def end(_: JsonObject) -> LocalResult:
        raise error

    return end


def test_a_function_that_writes_is_not_run_unless_it_is_approved() -> None:
    notes = Notes()
    result = called(notes, approve=refuse_all)
    assert (result.kind, result.effect, notes.kept) == ("refused", "none", [])
    assert called(notes).value == "kept"
    assert notes.kept == [NOTE]


def test_a_function_that_reads_is_run_unasked() -> None:
    result = read(Notes(), approve=never)
    assert (result.value, result.effect) == ("kept", "none")


def test_a_function_whose_name_says_that_it_writes_is_asked_about_whatever_its_method() -> None:
    notes = Notes()
    assert called(notes, "get", approve=refuse_all).kind == "refused"
    assert notes.kept == []


@pytest.mark.parametrize(
    ("policy", "runs", "is_asked"),
    [
        (READ_ONLY, 0, False),
        (CONFIRM, 1, True),
        (ALLOW, 1, False),
        (Policy(default="allow", tools={"add_note": "ask"}), 1, True),
        (Policy(tools={"notes__*": "refuse"}), 0, False),
        (Policy(tools={"add_*": "read"}), 1, False),
    ],
)
@pytest.mark.parametrize("method", ["post", "delete"])
def test_the_policy_decides_about_functions(
    policy: Policy, runs: int, is_asked: bool, method: str
) -> None:
    notes, asked = Notes(), list[Request]()

    def approve(_: Tool, request: Request) -> bool:
        asked.append(request)
        return True

    called(notes, method, policy=policy, approve=approve)
    assert (len(notes.kept), bool(asked)) == (runs, is_asked)


def test_a_function_that_a_policy_calls_a_write_is_asked_about_whatever_its_method() -> None:
    notes, policy = Notes(), Policy(tools={"find_note": "write"})
    assert read(notes, approve=refuse_all, policy=policy).kind == "refused"
    assert notes.kept == []


def test_the_question_shows_the_function_and_its_arguments() -> None:
    tool = tools(Notes())[NAME]
    request = prepare(tool, {"text": "a\nb", "password": "hunter2"}, Connection())
    assert format_approval_question(tool, request) == (
        "notes__add_note would run\n  function:notes__add_note\n"
        '{\n  "text": "a\\nb",\n  "password": "*** (7 characters, masked by its name)"\n}\n'
        "Run function:notes__add_note?"
    )
    loss = tools(Notes(), "delete")[NAME]
    shown = format_approval_question(loss, prepare(loss, NOTE, Connection()))
    assert shown.startswith("DESTRUCTIVE: notes__add_note would run")
    assert shown.endswith("Run function:notes__add_note (DESTRUCTIVE)?")


def test_what_is_approved_is_what_is_run() -> None:
    tool, notes = tools(Notes())[NAME], Notes()
    one, same, other = (
        hash_request(prepare(tool, {"text": each}, Connection())) for each in ("a", "a", "b")
    )
    assert one == same != other
    seen: list[Request] = []

    def approve(_: Tool, request: Request) -> bool:
        seen.append(request)
        return True

    result = called(notes, approve=approve)
    assert result.request is seen[0]
    assert json.loads(seen[0].body) == notes.kept[0]


FAILURES: dict[str, tuple[Callable[[JsonObject], Any], str, str]] = {
    "ValueError": (raising(ValueError("db at 10.0.0.1")), "failed: ValueError", "unknown"),
    "KeyError": (raising(KeyError("x")), "failed: KeyError", "unknown"),
    "StopIteration": (raising(StopIteration("x")), "failed: StopIteration", "unknown"),
    "in words": (raising(Said("no list groceries")), "no list groceries", "unknown"),
    "no Said": (lambda given: given, "cannot be read (AttributeError)", "done"),
    "no JSON": (lambda given: LocalResult(value={1, 2}), "cannot be read (TypeError)", "done"),
    "a reported failure": (lambda given: LocalResult(error="the list is full"), "is full", "none"),
    "one that may have acted": (
        lambda given: LocalResult(error="it broke off", may_have_acted=True),
        "it broke off",
        "unknown",
    ),
}


@pytest.mark.parametrize("name", FAILURES)
def test_what_a_function_raises_is_in_the_result_with_what_is_known_of_its_effect(
    name: str,
) -> None:
    end, words, effect = FAILURES[name]
    result = called(Notes(end))
    assert not result.ok
    assert words in result.text
    assert "10.0.0.1" not in f"{result.text}{result!r}"
    assert result.effect == effect
    assert ("is unknown: look before repeating it" in result.text) == (effect == "unknown")
    assert ("so do not repeat it" in result.text) == (effect == "done")
    assert read(Notes(end)).effect == "none"


def test_the_developer_finds_what_was_raised() -> None:
    error = ValueError("db at 10.0.0.1")
    assert called(Notes(raising(error))).error is error


def test_a_model_is_given_the_words_of_a_read_that_failed_to_try_again() -> None:
    result = read(Notes(raising(Said("no such list"))))
    assert (result.kind, result.repairable_by) == ("mismatch", "model")


@pytest.mark.parametrize("end", [KeyboardInterrupt, SystemExit])
def test_an_interruption_of_a_function_goes_on_and_says_that_it_ran(
    end: type[BaseException],
) -> None:
    with pytest.raises(end) as caught:
        called(Notes(raising(end())))
    assert caught.value.__notes__ == [f"POST function:{NAME} was sent; its outcome is unknown"]
    with pytest.raises(end) as caught:
        read(Notes(raising(end())), policy=Policy(tools={"find_note": "write"}))
    assert caught.value.__notes__ == [f"GET function:{READ} was sent; its outcome is unknown"]


def test_what_a_human_filled_in_is_taken_out_of_what_a_function_gives() -> None:
    secret = Connection(secrets=(Secret("4929-1234-5678"),))
    echoed = called(
        Notes(lambda given: LocalResult(value=["card 4929-1234-5678"])), connection=secret
    )
    assert echoed.value == ["card ***"]
    failed = raising(Said("card 4929-1234-5678 is refused"))
    assert "4929" not in called(Notes(failed), connection=secret).text


def test_a_function_is_called_in_a_thread_from_an_event_loop() -> None:
    async def run() -> tuple[Result, bool]:
        loop = asyncio.get_running_loop()

        def end(_: JsonObject) -> LocalResult:
            # Would wait for itself in the thread of the loop.
            return LocalResult(
                value=asyncio.run_coroutine_threadsafe(asyncio.sleep(0, 7), loop).result(5)
            )

        tool = tools(Notes(end))[NAME]
        result = await call_async(
            tool, NOTE, connection=Connection(), send=never, approve=approve_all
        )
        refused = await call_async(
            tool, NOTE, connection=Connection(), send=never, approve=refuse_all
        )
        return result, refused.kind == "refused"

    result, is_refused = asyncio.run(run())
    assert (result.value, result.effect, is_refused) == (7, "done", True)


def adding(times: int) -> Callable[[Agent, str], Steps[Conclusion]]:
    def loop(agent: Agent, question: str) -> Steps[Conclusion]:
        del agent, question
        told: list[str] = []
        for number in range(times):
            result = yield Call(tool=NAME, arguments={"text": f"{number}"})
            assert isinstance(result, Result)
            told.append(result.text or str(result.value))
        return Conclusion(text="; ".join(told))

    return loop


def agent_of(notes: Notes, *, method: str = "post", times: int = 1, **options: Any) -> Agent:
    return Agent(tools(notes, method), model=ScriptedModel([]), kind=adding(times), **options)


@pytest.fixture
def journal(tmp_path: Path) -> Generator[Journal]:
    with SQLiteJournal(tmp_path / "sessions.sqlite3") as opened:
        yield opened


def test_an_agent_asks_before_a_function_that_writes() -> None:
    notes, asked = Notes(), list[str]()

    def approve(tool: Tool, request: Request) -> bool:
        asked.append(format_approval_question(tool, request))
        return False

    answer = agent_of(notes, approve=approve).ask("?")
    assert notes.kept == []
    assert "was not allowed" in answer.text
    assert len(asked) == 1
    assert '"text": "0"' in asked[0]


def test_an_approval_given_before_is_for_that_call_of_a_function_alone() -> None:
    notes, asked = Notes(), list[Request]()

    def approve(_: Tool, request: Request) -> bool:
        asked.append(request)
        return True

    def loop(agent: Agent, question: str) -> Steps[Conclusion]:
        del agent, question
        word = yield Approve(tool=NAME, arguments=NOTE)
        assert isinstance(word, ApprovalDecision)
        assert word.is_allowed
        yield Call(tool=NAME, arguments=NOTE)
        yield Call(tool=NAME, arguments=NOTE)
        return Conclusion(text="")

    model = ScriptedModel([])
    Agent(tools(notes), model=model, kind=loop, approve=approve).ask("?")
    assert (len(asked), len(notes.kept)) == (2, 2)


@pytest.mark.parametrize("method", ["get", "post"])
def test_functions_count_in_the_limits(method: str) -> None:
    notes = Notes()
    agent = agent_of(notes, method=method, times=3, policy=ALLOW, limits=Limits(calls=2))
    answer = agent.ask("?")
    assert (answer.stopped, len(notes.kept), answer.usage.http_calls) == ("limit", 2, 2)


def test_an_agent_tells_of_a_function_before_it_runs() -> None:
    told: list[tuple[str, int]] = []

    def hear(event: Event) -> None:
        told.append((event.text, len(notes.kept)))

    notes = Notes()
    agent_of(notes, policy=ALLOW, on_event=hear).ask("?")
    assert told[0] == (f"POST function:{NAME}", 0)


def test_a_run_that_is_killed_in_a_function_reports_it_as_of_unknown_effect(
    journal: Journal,
) -> None:
    class Killed(BaseException):
        """What nothing outlives."""

    notes = Notes(raising(Killed()))
    with pytest.raises(Killed):
        agent_of(notes, policy=ALLOW).ask("?", journal=journal)
    notes.end = lambda given: LocalResult(value="kept")
    again = agent_of(notes, policy=ALLOW)
    answer = again.ask(journal=journal, resume=journal.last_id)
    assert "whether it took effect is unknown" in answer.text
    assert len(notes.kept) == 1
    human = human_from_answers({"took_effect": "no"})
    sent = agent_of(notes, policy=ALLOW, human=human).ask(journal=journal, resume=journal.last_id)
    assert (sent.text, len(notes.kept)) == ("kept", 2)


def test_a_function_whose_outcome_is_kept_is_not_run_again(journal: Journal) -> None:
    notes = Notes(raising(ValueError()))
    first = agent_of(notes, policy=ALLOW, times=2, limits=Limits(calls=1))
    stopped = first.ask("?", journal=journal)
    assert stopped.stopped == "limit"
    again = agent_of(notes, policy=ALLOW, times=2)
    answer = again.ask(journal=journal, resume=stopped.session)
    assert len(notes.kept) == 2
    assert answer.text.count("whether it took effect is unknown") == 2
