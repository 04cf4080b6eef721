"""Row 4: the user agrees to each write, to one request, once."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import anyio
import mcp_types as types
import pytest
from tests.support.mcp.serving import Person, call, connected, says, serving_api, talk, texts

from mcp import Client, MCPError
from restwright.calls.approval.policy import ALLOW, READ_ONLY

NAME = "tricky__deleteNode"
CANCELLED = types.ElicitResult(action="cancel")
DECLINED = types.ElicitResult(action="decline")


def test_what_is_accepted_is_sent_once(api, tmp_path, era):
    person = Person()
    result = call(serving_api(api, tmp_path), era, NAME, {"id": "7"}, person)
    assert not result.is_error
    assert [request[:2] for request in api.seen] == [("DELETE", "/nodes/7")]
    (question,) = person.asked
    assert f"DELETE {api.url}/nodes/7" in question
    assert "DESTRUCTIVE" in question


@pytest.mark.parametrize(
    ("answer", "word"),
    [(DECLINED, "declined"), (CANCELLED, "closed the question"), (says(yes=False), "not agree")],
)
def test_what_is_not_accepted_is_not_sent(api, tmp_path, era, answer, word):
    person = Person(answer)
    result = call(serving_api(api, tmp_path), era, NAME, {"id": "7"}, person)
    assert result.is_error
    assert word in texts(result)[0]
    assert len(person.asked) == 1
    assert api.seen == []


def test_where_nobody_can_be_asked_nothing_is_sent(api, tmp_path, era):
    result = call(serving_api(api, tmp_path), era, NAME, {"id": "7"})
    assert result.is_error
    assert "cannot ask its user" in texts(result)[0]
    assert api.seen == []


def test_who_allows_writes_is_not_asked(api, tmp_path, era):
    person = Person()
    result = call(serving_api(api, tmp_path, policy=ALLOW), era, NAME, {"id": "7"}, person)
    assert (result.is_error, person.asked, api.count("DELETE")) == (False, [], 1)


def test_a_read_only_policy_refuses(api, tmp_path, era):
    person = Person()
    result = call(serving_api(api, tmp_path, policy=READ_ONLY), era, NAME, {"id": "7"}, person)
    assert (result.is_error, person.asked, api.seen) == (True, [], [])


def test_reads_are_not_asked_about(api, tmp_path, era):
    person = Person()
    assert not call(serving_api(api, tmp_path), era, "tricky__listNodes", {}, person).is_error
    assert person.asked == []


def test_the_key_of_a_write_is_the_one_that_was_shown(api, tmp_path, era):
    person = Person()
    assert not call(serving_api(api, tmp_path), era, "tricky__addNode", {"id": 7}, person).is_error
    (request,) = api.seen
    assert request[2]["Idempotency-Key"] in person.asked[0]


def test_mismatches_are_told_before_anybody_is_asked(api, tmp_path, era):
    person = Person()
    assert call(serving_api(api, tmp_path), era, NAME, {}, person).is_error
    assert person.asked == []


# What follows is of revisions without sessions, in which a client answers by a second call.
ANSWER = {"consent": says(yes=True)}


async def ask(client: Client, name: str = NAME, **arguments: Any) -> types.InputRequiredResult:
    asked = await client.session.call_tool(name, arguments, allow_input_required=True)
    assert isinstance(asked, types.InputRequiredResult)
    return asked


async def answer(client: Client, state: str | None, name: str = NAME, **arguments: Any) -> Any:
    return await client.session.call_tool(
        name,
        arguments,
        allow_input_required=True,
        input_responses=ANSWER,
        request_state=state,
    )


def modern(api, tmp_path, say, **more):
    return talk(serving_api(api, tmp_path, **more), "2026-07-28", say, Person())


def test_an_approval_is_worth_one_call(api, tmp_path):
    async def say(client: Client) -> types.CallToolResult:
        asked = await ask(client, id="7")
        assert not (await answer(client, asked.request_state, id="7")).is_error
        return await answer(client, asked.request_state, id="7")

    replayed = modern(api, tmp_path, say)
    assert replayed.is_error
    assert "used already" in texts(replayed)[0]
    assert api.count("DELETE") == 1


def test_an_answer_without_a_question_is_asked_again(api, tmp_path):
    async def say(client: Client) -> types.InputRequiredResult:
        return await answer(client, None, id="7")

    assert isinstance(modern(api, tmp_path, say), types.InputRequiredResult)
    assert api.seen == []


def test_an_approval_is_for_one_tool_and_its_arguments(api, tmp_path):
    async def say(client: Client) -> list[int]:
        asked = await ask(client, id="7")
        state = asked.request_state
        assert state is not None
        codes = []
        for name, arguments, given in (
            (NAME, {"id": "8"}, state),
            ("tricky__putNode", {"id": "7", "body_id": 1}, state),
            (NAME, {"id": "7"}, f"{state[:-3]}AAA"),
        ):
            with pytest.raises(MCPError) as caught:
                await answer(client, given, name, **arguments)
            codes.append(caught.value.error.code)
        return codes

    assert modern(api, tmp_path, say) == [-32602] * 3
    assert api.seen == []


def test_an_old_approval_is_worth_nothing(api, tmp_path):
    served = serving_api(api, tmp_path)
    ledger = served.built.providers.tools[0].ledger

    async def run() -> types.CallToolResult:
        async with connected(served, "2026-07-28", Person()) as client:
            asked = await ask(client, id="7")
            before = ledger.now
            ledger.now = lambda: before() + 601
            return await answer(client, asked.request_state, id="7")

    assert anyio.run(run).is_error
    assert api.seen == []


def test_what_is_no_longer_what_was_shown_is_asked_about_anew(api, tmp_path):
    served = serving_api(api, tmp_path)
    ledger = served.built.providers.tools[0].ledger

    async def run() -> Any:
        async with connected(served, "2026-07-28", Person()) as client:
            asked = await ask(client, id="7")
            (number,) = ledger._pending
            ledger._pending[number] = replace(ledger._pending[number], request_hash="another")
            again = await answer(client, asked.request_state, id="7")
            assert isinstance(again, types.InputRequiredResult)
            assert api.seen == []
            return await answer(client, again.request_state, id="7")

    assert not anyio.run(run).is_error
    assert [request[:2] for request in api.seen] == [("DELETE", "/nodes/7")]
