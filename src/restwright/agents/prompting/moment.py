"""The date, the time zone and the locale that a run's prompts speak of."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import TypeAlias
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from restwright.errors import WrongType

Clock: TypeAlias = Callable[[], datetime]

_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_LOCALE = re.compile(r"[A-Za-z0-9]{1,8}([-_][A-Za-z0-9]{1,8}){0,8}")
_WANTED = "a `datetime` with a time zone, or a function that returns one"


@dataclass(frozen=True, slots=True)
class Moment:
    """When and where a run is: `text` is one line of its prompts, with a line end, or empty."""

    text: str = ""


def make_moment(now: datetime | Clock | Moment | None, locale: str = "") -> Moment:
    """
    Return the moment of a run: `Today is Monday, 2026-11-23 (time zone Europe/Paris).`

    Args:
        now: A function is called; None is the clock of this machine.
        locale: Such as `de-CH`; empty where nobody says it.

    Raises:
        WrongType: It is no date and time, or one without a time zone.
    """
    if isinstance(now, Moment):
        return now
    date = datetime.now().astimezone() if now is None else now() if callable(now) else now
    check_date(date)
    zone = getattr(date.tzinfo, "key", "") or date.tzname() or f"UTC{date:%z}"
    told = f"time zone {zone}" + (f", locale {locale}" if locale else "")
    return Moment(f"Today is {_WEEKDAYS[date.weekday()]}, {date:%Y-%m-%d} ({told}).\n")


def tell_calendar(now: str) -> str:
    """
    Return what a run's line of the date says, and the days that people name from there.

    Weeks begin on Monday (ISO 8601). Empty where the line has no date.
    """
    found = _DAY.search(now)
    if found is None:
        return ""
    today = date.fromisoformat(found[0])
    if not date.min.year < today.year < date.max.year:
        return now
    week, month = today - timedelta(today.weekday()), today.replace(day=1)
    spans = {
        "last week": (week - timedelta(7), week),
        "this week": (week, week + timedelta(7)),
        "next week": (week + timedelta(7), week + timedelta(14)),
        "last month": ((month - timedelta(1)).replace(day=1), month),
        "this month": (month, _next_month(month)),
        "this year": (month.replace(month=1), month.replace(year=month.year + 1, month=1)),
    }
    days = [f"yesterday {today - timedelta(1)}", f"tomorrow {today + timedelta(1)}"]
    days += [f"{name} {first} to {end - timedelta(1)}" for name, (first, end) in spans.items()]
    return f"{now.rstrip()} {'; '.join(days)}.\n"


def _next_month(month: date) -> date:
    return (month + timedelta(31)).replace(day=1)


def clock_in(timezone: str) -> Clock:
    """
    Return the clock of a time zone, such as `Europe/Paris`.

    Raises:
        ValueError: There is none of that name.
    """
    zone = find_timezone(timezone)
    return lambda: datetime.now(zone)


def find_timezone(name: str) -> ZoneInfo:
    """
    Return the time zone of a name in the IANA database, as this machine or `tzdata` has it.

    Raises:
        ValueError: There is none of that name.
    """
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        why = "names are as in the IANA database, such as Europe/Paris or UTC"
        raise ValueError(f"there is no time zone {name[:64]!r}; {why}") from None


def check_locale(locale: str) -> None:
    """
    Find out whether a text may be a locale: it stands in prompts.

    Raises:
        ValueError: It is none; empty is.
    """
    if locale and not _LOCALE.fullmatch(locale):
        raise ValueError(f"{locale[:64]!r} is no locale; one is de-CH or fr")


def check_date(date: object) -> None:
    """
    Find out whether something says when it is, wherever one is.

    Raises:
        WrongType: It is no date and time, or one without a time zone.
    """
    if not isinstance(date, datetime):
        raise WrongType("`now`", _WANTED, type(date).__name__)
    if date.utcoffset() is None:
        raise WrongType("`now`", _WANTED, "a `datetime` without one")
