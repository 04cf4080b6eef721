"""Tasks for the operations of the library: simple, constrained and nested arguments."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from random import Random

from restwright.calls.mismatch import Mismatch
from restwright.jsontypes import Json, JsonObject
from restwright_bench.calling.criteria import Unordered, meant
from restwright_bench.calling.task import Task, new_id

FIRST = ("Ada", "Bela", "Cora", "Dion", "Edda", "Fynn", "Gesa", "Hugo", "Ilse", "Jorin")
LAST = ("Alder", "Birkin", "Calder", "Dorn", "Elmhurst", "Farrow", "Gantry", "Holm")
SKILLS = ["baking", "sound engineering", "first aid", "carpentry", "face painting", "juggling"]
TOWNS = {"Helsinki": 2, "Seoul": 9, "Lima": -5, "Karachi": 5, "Reykjavik": 0}
NUMBERS = {3: "three", 4: "four", 5: "five"}


def simple(draw: Random) -> Task:
    """One reader: a card number, a name and an age, all said."""
    card, name, age = new_id(draw), _name(draw), draw.randrange(18, 95)
    wanted = {"card": card, "name": name, "age": age}
    text = f"{name}, who is {age} years old, wants a library card. The card's number is {card}."
    return Task(text=text, reference=wanted, means=meant(wanted))


def constrained(draw: Random) -> Task:
    """A volunteer to be made up, within the constraints of the schema and of a few words."""
    first, over, least = draw.choice(FIRST), draw.randrange(20, 70), draw.choice(list(NUMBERS))
    text = (
        f"Make up a volunteer and sign them up for the festival. They are called {first} and any "
        f"last name, are older than {over}, have at least {NUMBERS[least]} different skills and "
        "cannot be called on now. Everything else is up to you."
    )
    reference = {
        "id": new_id(draw),
        "name": f"{first} {draw.choice(LAST)}",
        "portrait": f"https://pictures.example.org/{first.lower()}.png",
        "age": over + 3,
        "email": f"{first.lower()}@example.org",
        "phone": f"+358{draw.randrange(10**7, 10**8)}",
        "skills": draw.sample(SKILLS, least),
        "is_active": False,
        "signed_up_at": "2026-01-15T09:00:00Z",
    }

    def means(given: JsonObject) -> Iterator[Mismatch]:
        if given["is_active"]:
            yield Mismatch("/is_active", "false", "true")
        if not given["name"].startswith(f"{first} "):
            yield Mismatch("/name", f"{first} and a last name", given["name"])
        if given["age"] <= over:
            yield Mismatch("/age", f"more than {over}", str(given["age"]))
        if len({each.casefold() for each in given["skills"]}) < least:
            yield Mismatch("/skills", f"{least} different ones", str(len(given["skills"])))

    return Task(text=text, reference=reference, means=means)


def nested(draw: Random) -> Task:
    """A visit with its channel and its reader, told in one paragraph with local times."""
    town = draw.choice(list(TOWNS))
    zone = timezone(timedelta(hours=TOWNS[town]))
    employer = draw.random() < 0.7
    came_from = f"https://news.example.org/{draw.randrange(100, 999)}"
    linked = draw.random() < 0.7
    reader, words = _reader(draw, zone, employed=employer)
    channel, started = _time(draw, zone, 2019), _time(draw, zone, 2025)
    page = f"https://library.example.org/books/{draw.randrange(1000, 9999)}"
    address = ".".join(str(draw.randrange(1, 255)) for _ in range(4))
    wanted = {
        "channel": {"code": "reading-room", "name": "Reading room", "opened_at": _iso(channel)},
        "reader": {**reader, "emails": reader["emails"].items},
        "page": page,
        "came_from": came_from if linked else None,
        "address": address,
        "started_at": _iso(started),
    }
    text = (
        f"All times are those of {town}, UTC{TOWNS[town]:+d}. The channel is the one called "
        f"Reading room, code reading-room, which opened at {_moment(channel)}. "
        f"The visit started at {_moment(started)}, from the address {address}, "
        f"on the page {page}, " + (f"reached from {came_from}. " if linked else "opened directly. ")
    )
    means = meant({**wanted, "reader": reader})
    return Task(text=f"Record this visit. {text}{words}", reference=wanted, means=means)


def _reader(draw: Random, zone: timezone, *, employed: bool) -> tuple[JsonObject, str]:
    """A reader who signed in, and the same in words."""
    name, identifier = _name(draw), new_id(draw)
    nickname = f"{name.split()[0].lower()}{draw.randrange(10, 99)}"
    born = _time(draw, zone, draw.randrange(1950, 2004))
    joined = _time(draw, zone, 2021)
    mobile = f"0{draw.randrange(10**8, 10**9)}"
    grade = draw.choice(("trainee", "clerk", "lead", "director"))
    emails: list[Json] = [
        {"address": f"{nickname}@example.org", "is_confirmed": True},
        {"address": f"{nickname}@mail.example.net", "is_confirmed": False},
    ]
    job = {"name": "Harbour Works", "grade": grade, "joined_at": _iso(joined)}
    reader = {
        "id": identifier,
        "nickname": nickname,
        "emails": Unordered(emails),
        "citizen": {"name": name, "mobile": mobile, "born": born.date().isoformat()},
        "employer": job if employed else None,
    }
    words = (
        f"The reader was signed in as {nickname}, id {identifier}: {name}, born on "
        f"{_day(born)}, mobile {mobile}. The mail address {emails[0]['address']} is "
        f"confirmed, {emails[1]['address']} is not yet. "
    )
    work = f"{name} joined Harbour Works as {grade} at {_moment(joined)}."
    return reader, words + (work if employed else f"{name} has no employer.")


def _name(draw: Random) -> str:
    return f"{draw.choice(FIRST)} {draw.choice(LAST)}"


def _time(draw: Random, zone: timezone, year: int) -> datetime:
    minutes = draw.randrange(360 * 24 * 12) * 5
    return datetime(year, 1, 1, tzinfo=zone) + timedelta(minutes=minutes)


def _moment(time: datetime) -> str:
    """A time as people say it, without its zone."""
    return f"{time.hour % 12 or 12}:{time:%M %p} on {_day(time)}"


def _day(time: datetime) -> str:
    return f"{time.day} {time:%B} {time.year}"


def _iso(time: datetime) -> str:
    return time.astimezone(UTC).isoformat().replace("+00:00", "Z")
