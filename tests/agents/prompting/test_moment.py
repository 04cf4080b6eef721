"""The date, the time zone and the locale that prompts speak of."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from tests.support.planned import code, filled, planned, select, worded

from restwright.agents.agent import Agent
from restwright.agents.journal.store import Journal
from restwright.agents.prompting.moment import check_locale, clock_in, find_timezone, make_moment
from restwright.errors import WrongType
from restwright.net.messages import Request, Response
from restwright.openapi.api import load
from restwright.testing import RecordingTransport, Reply, ScriptedModel, document, never, reply
from restwright.tools.catalog.catalog import Catalog, catalog

PARIS = ZoneInfo("Europe/Paris")
MONDAY = datetime(2026, 11, 23, 9, 30, tzinfo=PARIS)
TODAY = "Today is Monday, 2026-11-23 (time zone Europe/Paris, locale fr-FR).\n"


def orders() -> Catalog:
    date = {"type": "string", "format": "date"}
    inputs = [
        {"name": name, "in": "query", "required": True, "schema": date} for name in ("since", "to")
    ]
    paths = {"/orders": {"get": {"operationId": "list_orders", "parameters": inputs}}}
    return catalog(load(document(paths), alias="shop"))


def respond(request: Request) -> Response:
    return reply(200, [{"id": 1}, {"id": 2}])


LAST_WEEK: tuple[Reply, ...] = (
    planned({"kind": "find", "what": "the orders of last week", "quantity": "number"}),
    select("list_orders"),
    filled(since="2026-11-16", to="2026-11-22"),
    code("len(data)"),
    worded("2 orders."),
)


def ask(*script: Reply, **settings: Any) -> tuple[ScriptedModel, RecordingTransport, str]:
    model, send = ScriptedModel(script), RecordingTransport(respond)
    agent = Agent(orders(), model=model, send=send, **settings)
    return model, send, agent.ask("How many orders of last week are there?").text


def test_orders_of_last_week_are_asked_for_by_dates_that_the_model_derives() -> None:
    model, send, text = ask(*LAST_WEEK, now=MONDAY, locale="fr-FR")
    assert text == "2 orders."
    assert send.sent[0].url.partition("?")[2] == "since=2026-11-16&to=2026-11-22"
    told = {request.role for request in model.asked if TODAY in request.messages[-1].text}
    assert told == {"planner", "caller"}


@pytest.mark.parametrize("calls_tools", [False, True])
def test_calling_is_told_it_by_its_system_prompt(calls_tools: bool) -> None:
    tools = [{"reason": "r", "name": "shop__list_orders"}]
    reply: Reply = "None." if calls_tools else {"calls": []}
    model = ScriptedModel(
        [{"tools": tools, "answer": ""}, reply, {"answer": "None."}],
        calls_tools=calls_tools,
        is_small=False,
    )
    Agent(orders(), model=model, now=MONDAY, locale="fr-FR").ask("Any orders of today?")
    assert TODAY in model.asked[1].messages[0].text


@pytest.mark.parametrize(
    ("kind", "first"),
    [
        ("react", {"thought": "So.", "operation": "finish", "task": ""}),
        ("plan", {"steps": []}),
    ],
)
def test_the_baselines_are_told_it_by_their_system_prompts(kind: str, first: Reply) -> None:
    model, _, _ = ask(first, worded("None."), kind=kind, now=MONDAY, locale="fr-FR")
    assert TODAY in model.asked[0].messages[0].text


def test_a_run_that_is_taken_up_again_says_the_same(tmp_path: Any) -> None:
    model, send = ScriptedModel(LAST_WEEK[:2]), RecordingTransport(respond)
    with Journal(tmp_path / "sessions.sqlite3") as journal:
        agent = Agent(orders(), model=model, send=send, now=MONDAY, locale="fr-FR")
        with pytest.raises(BaseException, match="at its end"):
            agent.ask("How many orders of last week are there?", journal=journal)
        later = ScriptedModel(LAST_WEEK[2:])
        again = Agent(orders(), model=later, send=send, now=MONDAY + timedelta(days=9))
        assert again.ask(journal=journal, resume=journal.last_id).text == "2 orders."
        assert TODAY in later.asked[0].messages[-1].text
        [listed] = journal.sessions()
        assert listed.header.now == TODAY


def test_the_clock_is_asked_at_the_start_of_each_run() -> None:
    days = iter([MONDAY, MONDAY + timedelta(days=1)])
    model = ScriptedModel([planned(), worded("Hi.")] * 2)
    agent = Agent(orders(), model=model, send=never, now=lambda: next(days))
    agent.ask("Hi")
    agent.ask("Hi")
    assert "Monday" in model.asked[0].messages[-1].text
    assert "Tuesday" in model.asked[2].messages[-1].text


@pytest.mark.parametrize(
    ("now", "locale", "text"),
    [
        (MONDAY, "", "Today is Monday, 2026-11-23 (time zone Europe/Paris).\n"),
        (
            datetime(2026, 3, 1, tzinfo=timezone(timedelta(hours=-3))),
            "",
            "Today is Sunday, 2026-03-01 (time zone UTC-03:00).\n",
        ),
        (lambda: datetime(2024, 2, 29, tzinfo=UTC), "", "Thursday, 2024-02-29 (time zone UTC)"),
    ],
)
def test_a_moment_has_weekday_date_and_time_zone(now: Any, locale: str, text: str) -> None:
    assert text in make_moment(now, locale).text


def test_without_one_the_clock_of_this_machine_is_read() -> None:
    assert f"{datetime.now().astimezone():%Y-}" in make_moment(None).text


def test_the_clock_of_a_time_zone_is_asked_in_it() -> None:
    assert clock_in("Asia/Kathmandu")().utcoffset() == timedelta(hours=5, minutes=45)


@pytest.mark.parametrize("name", ["Mars/Base", "", "../etc/passwd", "a\x00b", "UTC\n"])
def test_a_time_zone_that_there_is_not_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="there is no time zone"):
        find_timezone(name)


@pytest.mark.parametrize("locale", ["de CH", "x" * 9, "fr\nObey.", "<data>"])
def test_what_is_no_locale_gets_into_no_prompt(locale: str) -> None:
    with pytest.raises(ValueError, match="is no locale"):
        check_locale(locale)
    with pytest.raises(ValueError, match="is no locale"):
        Agent(orders(), model=ScriptedModel([]), locale=locale)


@pytest.mark.parametrize("now", [datetime(2026, 1, 2), "2026-01-02", 1])  # noqa: DTZ001
def test_what_says_no_moment_is_refused(now: Any) -> None:
    with pytest.raises(WrongType):
        Agent(orders(), model=ScriptedModel([]), now=now)
    with pytest.raises(WrongType):
        Agent(orders(), model=ScriptedModel([]), now=lambda: now).ask("Hi")
