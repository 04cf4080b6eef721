"""The date, the time zone and the locale that a run's prompts speak of."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from restwright.errors import WrongType

Clock: TypeAlias = Callable[[], datetime]

_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
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
