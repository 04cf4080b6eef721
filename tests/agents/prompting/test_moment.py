"""The date, the time zone and the locale that prompts speak of."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis.strategies import dates
from tests.support.planned import filled, planned, query, select, worded

from restwright.agents.agent import Agent
from restwright.agents.journal.sqlite import SQLiteJournal
from restwright.agents.prompting.moment import (
    check_locale,
    clock_in,
    find_timezone,
    make_moment,
    tell_calendar,
)
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
    query(give="number"),
    worded("2 orders."),
)


def ask(*script: Reply, **settings: Any) -> tuple[ScriptedModel, RecordingTransport, str]:
    model, send = ScriptedModel(script), RecordingTransport(respond)
    agent = Agent(orders(), model=model, send=send, **settings)
    return model, send, agent.ask("How many orders of last week are there?").text


def test_orders_of_last_week_are_asked_for_by_dates_that_the_model_derives() -> None:
    model, send, text = ask(*LAST_WEEK, now=MONDAY, locale="fr-FR")
    assert text == "2 orders.\n(since '2026-11-16' is assumed)\n(to '2026-11-22' is assumed)"
    assert send.sent[0].url.partition("?")[2] == "since=2026-11-16&to=2026-11-22"
    told = {request.role for request in model.asked if TODAY in request.messages[-1].text}
    # A small model takes the date for a part of the message that it plans.
    assert told == {"caller"}


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
    with SQLiteJournal(tmp_path / "sessions.sqlite3") as journal:
        agent = Agent(orders(), model=model, send=send, now=MONDAY, locale="fr-FR")
        with pytest.raises(BaseException, match="at its end"):
            agent.ask("How many orders of last week are there?", journal=journal)
        later = ScriptedModel(LAST_WEEK[2:])
        again = Agent(orders(), model=later, send=send, now=MONDAY + timedelta(days=9))
        assert again.ask(journal=journal, resume=journal.last_id).text.startswith(
            "2 orders.\n(since "
        )
        assert TODAY in later.asked[0].messages[-1].text
        [listed] = journal.sessions()
        assert listed.header.now == TODAY


def test_a_calendar_has_the_days_that_people_name() -> None:
    told = tell_calendar(TODAY)
    assert told == (
        f"{TODAY.rstrip()} yesterday 2026-11-22; tomorrow 2026-11-24; "
        "last week 2026-11-16 to 2026-11-22; this week 2026-11-23 to 2026-11-29; "
        "next week 2026-11-30 to 2026-12-06; last month 2026-10-01 to 2026-10-31; "
        "this month 2026-11-01 to 2026-11-30; this year 2026-01-01 to 2026-12-31.\n"
    )
    assert tell_calendar("") == ""


@given(dates(max_value=date(9998, 12, 31), min_value=date(2, 1, 1)))
def test_the_spans_of_a_calendar_follow_each_other(today: date) -> None:
    days = [
        date.fromisoformat(day) for day in re.findall(r"\d{4}-\d\d-\d\d", tell_calendar(f"{today}"))
    ]
    assert days[0] == today
    spans = list(zip(days[3::2], days[4::2], strict=True))
    assert all(first <= last for first, last in spans)
    for one, other in ((0, 1), (1, 2), (3, 4)):
        assert spans[one][1] + timedelta(1) == spans[other][0]
    assert all(spans[place][0] <= today <= spans[place][1] for place in (1, 4, 5))


def test_a_small_model_reads_the_days_of_a_list_by_the_calendar() -> None:
    schema = {"type": "object", "properties": {"id": {}, "placed_on": {"format": "date"}}}
    content = {"application/json": {"schema": {"type": "array", "items": schema}}}
    paths = {
        "/orders": {
            "get": {
                "operationId": "list_orders",
                "responses": {"200": {"description": "x", "content": content}},
            }
        }
    }
    placed = ["2026-11-15", "2026-11-16", "2026-11-22", "2026-11-23"]
    body = [{"id": number, "placed_on": day} for number, day in enumerate(placed)]
    asked = [
        {"field": "placed_on", "is": ">=", "value": "2026-11-16"},
        {"field": "placed_on", "is": "<=", "value": "2026-11-22"},
    ]
    step = {"kind": "find", "what": "the orders of last week", "quantity": "number"}
    model = ScriptedModel(
        [
            planned({**step, "period": "last week"}),
            select("list_orders"),
            query(give="number", where=asked),
            worded("2 orders."),
        ]
    )
    agent = Agent(
        catalog(load(document(paths), alias="shop")),
        model=model,
        send=RecordingTransport(lambda request: reply(200, body)),
        now=MONDAY,
    )
    taken = "(last week is taken for placed_on >= 2026-11-16, placed_on <= 2026-11-22)"
    assert agent.ask("How many orders of last week are there?").text == f"2 orders.\n{taken}"
    told = {request.role: request.messages[-1].text for request in model.asked}
    assert "last week 2026-11-16 to 2026-11-22" in told["reader"]
    assert (
        "last week is taken for placed_on >= 2026-11-16, placed_on <= 2026-11-22" in told["answer"]
    )
    assert "2026" not in told["planner"] + told["selector"]


def test_the_clock_is_asked_at_the_start_of_each_run() -> None:
    days = iter([MONDAY, MONDAY + timedelta(days=1)])
    model = ScriptedModel([planned(), worded("Hi.")] * 2, is_small=False)
    agent = Agent(orders(), model=model, send=never, now=lambda: next(days), kind="rest")
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
